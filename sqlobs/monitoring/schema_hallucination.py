"""The objective on invented names: a fast page, slow tickets, a canary's ticket, the first notice.

Beside the burn rates of the Site Reliability Workbook stand lower confidence bounds of the rate.
Text-to-SQL has hundreds of requests an hour and failures that are rare, so that a burn rate over an
hour sees a harmful change late. docs/alerts.md has the bound, its constants and what they give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.increments import DAY, DAYS_3, HOUR, HOURS_6, MINUTES_30, Window
from sqlobs.monitoring.promql import WORKFLOW, block, lines
from sqlobs.monitoring.rates import (
    FAST_WINDOWS,
    LONG_WINDOWS,
    PAGE_BOUNDS,
    PAGE_BURNS,
    SLOW_BOUNDS,
    TICKET_BOUND,
    VERSION_BOUND,
    any_of,
)
from sqlobs.monitoring.rules import Alert, Group, Recording
from sqlobs.monitoring.service_rates import (
    BY_VERSION,
    HALLUCINATION,
    UNCHECKED,
    hallucination_objective,
    objective,
)
from sqlobs.semconv.evaluations import SCHEMA_HALLUCINATION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.settings import RuleSettings

EVALUATION: Final = SCHEMA_HALLUCINATION
_OBJECTIVE: Final = objective(SCHEMA_HALLUCINATION)
_PAGE: Final = "workflow:sqlobs_schema_hallucination:page"
_SLOW: Final = "workflow:sqlobs_schema_hallucination:slow"
_BY_VERSION: Final = "version:sqlobs_schema_hallucination:ticket"
_ON: Final = f"on ({', '.join(WORKFLOW)})"
_INVENTS: Final = (
    "{{ $value | humanizePercentage }} of the SQL names tables or columns that do not exist"
)
SLOW_KEPT_S: Final = 21_600
RECENT_S: Final = 3600


def ratio(window: str) -> str:
    """Return the name of the recorded rate over a window, such as `1h`."""
    return HALLUCINATION.ratio_in(_window(window))


def failed(window: str) -> str:
    """Return the name of the recorded number of failed requests."""
    return HALLUCINATION.failed_in(_window(window))


def evaluated(window: str) -> str:
    """Return the name of the recorded number of evaluated requests."""
    return HALLUCINATION.evaluated_in(_window(window))


def _window(name: str) -> Window:
    return next(each for each in (*FAST_WINDOWS, *LONG_WINDOWS) if each.name == name)


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield the recordings of every window, then the alerts."""
    fast: tuple[Recording | Alert, ...] = (
        *HALLUCINATION.recordings((*FAST_WINDOWS, HOURS_6), settings),
        hallucination_objective(settings),
        *BY_VERSION.recordings((MINUTES_30,), settings),
        _held(_PAGE, any_of([*_bounds(), *_burns(settings)])),
        _held(_BY_VERSION, _version_condition()),
        _page(),
        _version_ticket(),
        _first(settings),
    )
    yield Group("sqlobs-schema-hallucination", 30, fast)
    # Long windows move slowly and cost most.
    slow: tuple[Recording | Alert, ...] = (
        *HALLUCINATION.recordings((DAY, DAYS_3), settings),
        _held(_SLOW, _slow_condition(settings)),
        _ticket(),
    )
    yield Group("sqlobs-schema-hallucination-slow", 60, slow)


def _bounds() -> list[str]:
    return [bound.exceeds(HALLUCINATION, _OBJECTIVE) for bound in PAGE_BOUNDS]


def _burns(settings: RuleSettings) -> list[str]:
    return [burn.exceeds(HALLUCINATION, _OBJECTIVE, settings) for burn in PAGE_BURNS]


def _version_condition() -> str:
    return VERSION_BOUND.exceeds(BY_VERSION, f"{_ON} group_left () {_OBJECTIVE}")


def _slow_condition(settings: RuleSettings) -> str:
    """Return the condition of the ticket: an hour, or days that are not known to be over."""
    days = [
        lines(
            bound.exceeds(HALLUCINATION, _OBJECTIVE),
            f"unless ({HALLUCINATION.ratio_in(recent)} <= {_OBJECTIVE}",
            f"  and {HALLUCINATION.evaluated_in(recent)} >= {settings.objectives.min_requests})",
        )
        for bound, recent in SLOW_BOUNDS
    ]
    return any_of([TICKET_BOUND.exceeds(HALLUCINATION, _OBJECTIVE), *days])


def _held(name: str, condition: str) -> Recording:
    """Return the recording of a condition that missing verdicts cannot end.

    A schema that is out of date turns invented names into answers without a verdict. While there
    are many more of those than usual, an alert that fires goes on firing.
    """
    share, usual = UNCHECKED.ratio_in(MINUTES_30), UNCHECKED.ratio_in(DAY)
    before = f"({usual} offset 1d or {usual} offset 1h or 0 * {share})"
    missing = f"{share} > 2 * {before} and {share} > {_OBJECTIVE}"
    return Recording(name, lines(condition, "or", block((f"{name} and {_ON} ({missing})",))))


def _page() -> Alert:
    return Alert(
        name="SqlobsSchemaHallucination",
        severity="page",
        expr=_PAGE,
        hold_s=0,
        scope="workflow",
        summary=_INVENTS,
        description=(
            "Generated SQL contains tables or columns that are not in the schema, far above the"
            " objective. Check the invented names on failing traces, then the latest change of"
            " prompt, model or schema."
        ),
        explained=EVALUATION,
    )


def _version_ticket() -> Alert:
    return Alert(
        name="SqlobsSchemaHallucinationVersion",
        severity="ticket",
        expr=_BY_VERSION,
        hold_s=0,
        scope="version",
        summary=_INVENTS,
        description=(
            "One model and prompt version fails beyond chance, whatever its share of the traffic."
            " Compare it with the other versions; stop the rollout if it is a canary."
        ),
        kept_s=RECENT_S,
        explained=EVALUATION,
    )


def _ticket() -> Alert:
    return Alert(
        name="SqlobsSchemaHallucinationSlow",
        severity="ticket",
        expr=_SLOW,
        hold_s=0,
        scope="workflow",
        summary=f"{_INVENTS}, over an hour or for days",
        description=(
            "The rate is above the objective beyond chance. Look for one kind of question or one"
            " table that always fails."
        ),
        kept_s=SLOW_KEPT_S,
        explained=EVALUATION,
    )


def _first(settings: RuleSettings) -> Alert:
    before = settings.duration(HOUR.seconds)
    return Alert(
        name="SqlobsSchemaHallucinationFirst",
        severity="info",
        expr=lines(
            f"{HALLUCINATION.failed_in(HOUR)} > 0",
            f"unless {HALLUCINATION.failed_in(DAYS_3)} offset {before} > 0",
        ),
        hold_s=0,
        scope="workflow",
        summary="invented a name for the first time in three days",
        description=(
            "An early sign of a harmful change of prompt, model or schema, regardless of traffic."
        ),
        kept_s=0,
        explained=EVALUATION,
    )
