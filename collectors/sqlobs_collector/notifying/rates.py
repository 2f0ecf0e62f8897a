"""Which alerts on failure rates hold now, as the store's requests tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.metrics.rate_change import Counts
from sqlobs.monitoring.increments import MINUTES_13, MINUTES_30
from sqlobs.monitoring.promql import WORKFLOW
from sqlobs.monitoring.rate_conditions import CONDITIONS, is_watched, objective_of
from sqlobs.monitoring.service_rates import (
    BY_VERSION,
    ERRORS,
    FIRST_ATTEMPTS,
    HALLUCINATION,
    SYNTAX,
    UNCHECKED,
)
from sqlobs_collector.notifying.alarms import Alarm, labels_of
from sqlobs_collector.store.alert_counts import WORKFLOW_PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs.monitoring.increments import Window
    from sqlobs.monitoring.objectives import Objectives
    from sqlobs.monitoring.rate_conditions import RateCondition
    from sqlobs.monitoring.rates import Rate
    from sqlobs_collector.store.alert_counts import AlertCountReader, Place, Windows
    from sqlobs_collector.store.incidents import RateName

    _Counted = Mapping[Place, Mapping[Window, Counts]]

_RATES: Final[Mapping[str, RateName]] = {
    HALLUCINATION.name: "schema_hallucination",
    BY_VERSION.name: "schema_hallucination",
    SYNTAX.name: "syntactic",
    ERRORS.name: "error",
    UNCHECKED.name: "unchecked",
    FIRST_ATTEMPTS.name: "first_attempt",
}
"""The store's rates by the name of the rules' rate; `counters.py` has the others."""
WATCHED: Final = tuple(each for each in CONDITIONS if each.rate.name in _RATES)


def rate_alarms(
    reader: AlertCountReader, objectives: Objectives, *, now_ns: int
) -> Iterator[Alarm]:
    """Yield the alerts whose condition holds."""
    rates = {each.rate.name: each.rate for each in WATCHED}
    windows = {name: _windows(rate) for name, rate in rates.items()}
    every = sorted(set().union(*windows.values()), key=lambda window: window.seconds)
    found = reader.counts([each.seconds for each in every], now_ns=now_ns)
    counted = {
        name: _counted(found, rate, [(each, every.index(each)) for each in windows[name]])
        for name, rate in rates.items()
    }
    for condition in WATCHED:
        for place, counts in counted[condition.rate.name].items():
            if not _is_said_better(condition, place, counted, objectives):
                yield from _alarms(condition, place, counts, objectives)


def _counted(found: Windows, rate: Rate, windows: Sequence[tuple[Window, int]]) -> _Counted:
    """Return the requests of a rate by place, where its longest window has some.

    Args:
        found: All that was counted, by version.
        rate: By version, or by workflow.
        windows: Each with its place among those that were counted, the shortest first.
    """
    counted: dict[Place, dict[Window, Counts]] = {}
    _, last = windows[-1]
    for version, by_rate in found.items():
        counts = by_rate[_RATES[rate.name]]
        if counts[last].requests:
            place = version if rate is BY_VERSION else version[:WORKFLOW_PARTS]
            known = counted.setdefault(place, {each: Counts() for each, _ in windows})
            for each, number in windows:
                known[each] += counts[number]
    return counted


def _windows(rate: Rate) -> Sequence[Window]:
    needed = {MINUTES_13, MINUTES_30}
    for each in WATCHED:
        if each.rate is rate:
            needed |= {bound.window for bound in each.bounds}
            needed |= {window for burn in each.burns for window in (burn.long, burn.short)}
            needed |= {
                window for bound, recent in each.slow_bounds for window in (bound.window, recent)
            }
    return sorted(needed, key=lambda window: window.seconds)


def _is_said_better(
    condition: RateCondition,
    place: Place,
    counted: Mapping[str, _Counted],
    objectives: Objectives,
) -> bool:
    """Return whether another rate, which has its own alert, is above its objective."""
    labels = dict(zip(WORKFLOW, place[1:], strict=False))
    for key, rate in condition.unless:
        counts = counted[rate.name].get(place)
        share = counts[MINUTES_13].rate if counts else None
        if share is not None and share > objective_of(key, labels, objectives):
            return True
    return False


def _alarms(
    condition: RateCondition,
    place: Place,
    counts: Mapping[Window, Counts],
    objectives: Objectives,
) -> Iterator[Alarm]:
    labels = dict(zip(WORKFLOW, place[1:], strict=False))

    def of(window: Window) -> tuple[float, float]:
        return counts[window].failed, counts[window].requests

    if is_watched(condition, labels, objectives):
        objective = objective_of(condition.key, labels, objectives)
        if condition.holds(of, objective, objectives):
            rate = _RATES[condition.rate.name]
            yield Alarm(condition.alert, labels_of(place), counts[MINUTES_30].rate, rate)
