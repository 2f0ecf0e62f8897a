"""Which alerts on failure rates hold now, as the store's requests tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.annotations import VERSION
from sqlobs.monitoring.increments import MINUTES_30
from sqlobs.monitoring.promql import WORKFLOW
from sqlobs.monitoring.rate_conditions import CONDITIONS, is_watched, objective_of
from sqlobs.monitoring.service_rates import BY_VERSION, ERRORS, HALLUCINATION, SYNTAX, UNCHECKED
from sqlobs_collector.origin import DEFAULT_WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs.metrics.rate_change import Counts
    from sqlobs.monitoring.increments import Window
    from sqlobs.monitoring.objectives import Objectives
    from sqlobs.monitoring.rate_conditions import RateCondition
    from sqlobs.monitoring.rates import Rate
    from sqlobs_collector.store.alert_counts import AlertCountReader, Place
    from sqlobs_collector.store.incidents import RateName

_RATES: Final[Mapping[str, RateName]] = {
    HALLUCINATION.name: "schema_hallucination",
    BY_VERSION.name: "schema_hallucination",
    SYNTAX.name: "syntactic",
    ERRORS.name: "error",
    UNCHECKED.name: "unchecked",
}
"""The store's rates by the name of the rules' rate; the others are not in the store."""
WATCHED: Final = tuple(each for each in CONDITIONS if each.rate.name in _RATES)
_WORKSPACE: Final = "sqlobs_workspace"


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alert whose condition holds."""

    condition: RateCondition
    place: Place
    share: float | None
    """Of the last half hour's requests."""

    @property
    def labels(self) -> dict[str, str]:
        """The labels that the rules give it; a workspace is named if there are several."""
        workspace, *values = self.place
        names = VERSION if len(values) > len(WORKFLOW) else WORKFLOW
        named = dict(zip(names, values, strict=True))
        return named if workspace == DEFAULT_WORKSPACE else {_WORKSPACE: workspace, **named}

    @property
    def rate(self) -> RateName:
        """The store's name of its rate."""
        return _RATES[self.condition.rate.name]


def alarms(reader: AlertCountReader, objectives: Objectives, *, now_ns: int) -> list[Alarm]:
    """Return the alerts whose condition holds."""
    found: list[Alarm] = []
    for rate in {each.rate.name: each.rate for each in WATCHED}.values():
        windows = _windows(rate)
        counts = reader.counts(
            _RATES[rate.name],
            [each.seconds for each in windows],
            now_ns=now_ns,
            by_version=rate is BY_VERSION,
        )
        for place, counted in counts.items():
            found += _of_place(rate, place, dict(zip(windows, counted, strict=True)), objectives)
    return found


def _windows(rate: Rate) -> Sequence[Window]:
    needed = {MINUTES_30}
    for each in WATCHED:
        if each.rate is rate:
            needed |= {bound.window for bound in each.bounds}
            needed |= {window for burn in each.burns for window in (burn.long, burn.short)}
            needed |= {
                window for bound, recent in each.slow_bounds for window in (bound.window, recent)
            }
    return sorted(needed, key=lambda window: window.seconds)


def _of_place(
    rate: Rate, place: Place, counts: Mapping[Window, Counts], objectives: Objectives
) -> Iterator[Alarm]:
    labels = dict(zip(WORKFLOW, place[1:], strict=False))

    def counted(window: Window) -> tuple[float, float]:
        return counts[window].failed, counts[window].requests

    for condition in WATCHED:
        if condition.rate is rate and is_watched(condition, labels, objectives):
            objective = objective_of(condition.key, labels, objectives)
            if condition.holds(counted, objective, objectives):
                yield Alarm(condition, place, counts[MINUTES_30].rate)
