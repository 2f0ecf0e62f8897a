"""The conditions of the alerts on failure rates, for counts that do not come from a rule.

The rules have the same conditions as PromQL; both read the same bounds.

Tests: `tests/monitoring/test_backtest.py`, `tests/collector/test_notifying.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs.monitoring.blindness import UNCHECKED_BOUNDS
from sqlobs.monitoring.objective_alerts import ALERTS
from sqlobs.monitoring.promql import WORKFLOW
from sqlobs.monitoring.rates import (
    PAGE_BOUNDS,
    PAGE_BURNS,
    SLOW_BOUNDS,
    TICKET_BOUND,
    VERSION_BOUND,
    Bound,
    Burn,
    Rate,
)
from sqlobs.monitoring.rules import KEPT_S
from sqlobs.monitoring.schema_hallucination import RECENT_S, SLOW_KEPT_S
from sqlobs.monitoring.service_rates import BY_VERSION, HALLUCINATION, UNCHECKED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.monitoring.increments import Window
    from sqlobs.monitoring.objectives import Objectives, WorkflowObjectives
    from sqlobs.monitoring.rules import Severity

    Counted = Callable[[Window], tuple[float, float]]
    """Returns failures and evaluated requests of a window up to now."""

_INVENTED: Final = "schema_hallucination"


@dataclass(frozen=True, slots=True)
class RateCondition:
    """When an alert on a failure rate fires."""

    alert: str
    severity: Severity
    key: str
    """The objective's key in the file."""
    rate: Rate
    bounds: tuple[Bound, ...]
    burns: tuple[Burn, ...] = ()
    slow_bounds: tuple[tuple[Bound, Window], ...] = ()
    kept_s: float = KEPT_S
    explained: str = ""
    unless: tuple[tuple[str, Rate], ...] = ()
    """Objectives' keys and rates: above them, another alert says it better."""

    def holds(self, counted: Counted, objective: float, chosen: Objectives) -> bool:
        """Return whether the rate is above an objective beyond chance."""
        return (
            any(each.is_exceeded(*counted(each.window), objective) for each in self.bounds)
            or any(_burns(each, counted, objective, chosen) for each in self.burns)
            or any(
                bound.is_exceeded(*counted(bound.window), objective)
                and not _is_over(recent, counted, objective, chosen)
                for bound, recent in self.slow_bounds
            )
        )


def _burns(burn: Burn, counted: Counted, objective: float, chosen: Objectives) -> bool:
    failed, evaluated = counted(burn.long)
    if evaluated < chosen.min_requests or failed < chosen.min_failures:
        return False
    failed_lately, lately = counted(burn.short)
    threshold = burn.threshold(objective)
    return failed > threshold * evaluated and failed_lately > threshold * lately


def _is_over(recent: Window, counted: Counted, objective: float, chosen: Objectives) -> bool:
    failed, evaluated = counted(recent)
    return evaluated >= chosen.min_requests and failed <= objective * evaluated


CONDITIONS: Final = (
    RateCondition(
        "SqlobsSchemaHallucination",
        "page",
        _INVENTED,
        HALLUCINATION,
        PAGE_BOUNDS,
        burns=PAGE_BURNS,
        explained=_INVENTED,
    ),
    RateCondition(
        "SqlobsSchemaHallucinationVersion",
        "ticket",
        _INVENTED,
        BY_VERSION,
        (VERSION_BOUND,),
        kept_s=RECENT_S,
        explained=_INVENTED,
    ),
    RateCondition(
        "SqlobsSchemaHallucinationSlow",
        "ticket",
        _INVENTED,
        HALLUCINATION,
        (TICKET_BOUND,),
        slow_bounds=SLOW_BOUNDS,
        kept_s=SLOW_KEPT_S,
        explained=_INVENTED,
    ),
    RateCondition(
        "SqlobsVerdictsMissing",
        "ticket",
        "missing_verdicts",
        UNCHECKED,
        UNCHECKED_BOUNDS,
        explained="unchecked",
    ),
    *(
        RateCondition(
            each.name,
            each.severity,
            each.key,
            each.rate,
            each.bounds,
            explained=each.explained,
            unless=each.unless,
        )
        for each in ALERTS
    ),
)


def objective_of(key: str, labels: Mapping[str, str], chosen: Objectives) -> Any:  # noqa: ANN401 - some have none
    """Return a workflow's objective: its own, else the file's."""
    for each in chosen.workflows:
        own: float | None = getattr(each, key, None)
        if own is not None and is_about(each, labels):
            return own
    return getattr(chosen, key)


def is_watched(condition: RateCondition, labels: Mapping[str, str], chosen: Objectives) -> bool:
    """Return whether a workflow is watched for it: some have no verdicts from the application."""
    return condition.rate is not UNCHECKED or not any(
        each.checked_by == "collector" and is_about(each, labels) for each in chosen.workflows
    )


def is_about(entry: WorkflowObjectives, labels: Mapping[str, str]) -> bool:
    """Return whether an entry of the file is about a workflow."""
    wanted = (entry.service, entry.environment, entry.workflow)
    return all(
        value is None or labels.get(name) == value
        for name, value in zip(WORKFLOW, wanted, strict=True)
    )
