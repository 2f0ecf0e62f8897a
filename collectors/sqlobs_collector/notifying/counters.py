"""Which alerts on counters and gauges hold now: those of applications, and the collector's own.

Counters are kept for an hour, in memory: a collector that starts knows nothing of the hour before.

Tests: `tests/collector/test_notifying_counters.py`.
"""

from __future__ import annotations

import operator
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.blindness import HARMFUL, JUDGED
from sqlobs.monitoring.collector_alerts import HIGHEST_SHARE, SHARES, STATES
from sqlobs.monitoring.increments import HOUR
from sqlobs.monitoring.losses import LOSSES, UNSAFE
from sqlobs.monitoring.promql import INSTANCE, SERVICE, WORKFLOW, AnyOf, Selection, label
from sqlobs.monitoring.rate_conditions import CONDITIONS, objective_of
from sqlobs.monitoring.service_rates import DISAGREEMENT, EXECUTIONS, FEEDBACK
from sqlobs.semconv import collector, metrics
from sqlobs_collector.notifying.alarms import WORKSPACE, Alarm
from sqlobs_collector.origin import DEFAULT_WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlobs.monitoring.increments import Window
    from sqlobs.monitoring.objectives import Objectives
    from sqlobs.monitoring.rate_conditions import RateCondition

    Labels = tuple[tuple[str, str], ...]
    """Names and values, sorted; the values are not empty."""
    Values = Mapping[str, Mapping[Labels, float]]
    """The series of each metric, by the metric's name."""

_KEPT_NS: Final = HOUR.seconds * 10**9
_NS: Final = 10**9
_RATES: Final = (EXECUTIONS, DISAGREEMENT, FEEDBACK)
RATES: Final = tuple(each for each in CONDITIONS if each.rate in _RATES)
_LOSSES: Final = tuple(each for each in LOSSES if each is not UNSAFE)
_TARGET: Final = label(semconv.SQLOBS_TARGET_NAME)
_CHANGE: Final = label(semconv.SQLOBS_SCHEMA_CHANGE)
_COMPARED: Final = {">": operator.gt, "==": operator.eq, "<=": operator.le}
_SELECTED: Final = (
    *(one for rate in _RATES for one in (*rate.failed, *rate.evaluated)),
    *(each.counter for each in _LOSSES),
    *(one for each in SHARES for one in (each.part, each.of)),
)
COUNTERS: Final = frozenset(each.metric.name for each in _SELECTED)
GAUGES: Final = frozenset(
    {
        *(gauge.name for state in STATES for gauge, _, _ in state.bad),
        *(one.name for one in (metrics.START_TIME, metrics.SCHEMA_STALE, metrics.SCHEMA_DRIFT)),
        *(one.name for one in (metrics.SCHEMA_AGE, collector.QUALITY_PASS_RATE)),
        collector.QUALITY_SAMPLES.name,
    }
)


@dataclass(frozen=True, slots=True)
class _Seen:
    at_ns: int
    values: Values


class CounterWatch:
    """Keeps what series showed for an hour, and looks at the newest."""

    def __init__(
        self,
        read: Callable[[frozenset[str]], Values],
        objectives: Objectives,
        *,
        started_ns: int,
    ) -> None:
        """Set up.

        Args:
            read: Returns the series of some metrics, by name.
            objectives: Limits.
            started_ns: When the collector started, whose own counters began at 0 then.
        """
        self._read = read
        self._objectives = objectives
        self._started_ns = started_ns
        self._seen: deque[_Seen] = deque()

    def alarms(self, now_ns: int) -> Iterator[Alarm]:
        """Yield the alerts whose condition holds."""
        self._seen.append(_Seen(now_ns, self._read(COUNTERS | GAUGES)))
        while len(self._seen) > 1 and self._seen[1].at_ns <= now_ns - _KEPT_NS:
            self._seen.popleft()
        for condition in RATES:
            yield from self._on_rate(condition)
        yield from self._on_losses()
        yield from self._on_shares()
        yield from self._on_states()
        yield from self._on_schema()
        yield from self._on_judges()

    def _on_rate(self, condition: RateCondition) -> Iterator[Alarm]:
        rate, chosen = condition.rate, self._objectives
        known: dict[Window, tuple[Mapping[Labels, float], Mapping[Labels, float]]] = {}

        def both(window: Window) -> tuple[Mapping[Labels, float], Mapping[Labels, float]]:
            if window not in known:
                known[window] = (
                    self._gained(rate.failed, window, rate.by),
                    self._gained(rate.evaluated, window, rate.by),
                )
            return known[window]

        for place in both(HOUR)[1]:

            def counted(window: Window, place: Labels = place) -> tuple[float, float]:
                failed, evaluated = both(window)
                return failed.get(place, 0), evaluated.get(place, 0)

            if condition.holds(counted, objective_of(condition.key, dict(place), chosen), chosen):
                failed, evaluated = counted(HOUR)
                yield Alarm(condition.alert, dict(place), failed / evaluated)

    def _on_losses(self) -> Iterator[Alarm]:
        for loss in _LOSSES:
            for place, count in self._gained((loss.counter,), loss.window, loss.by).items():
                if count > 0:
                    yield Alarm(loss.alert, dict(place), count)

    def _on_shares(self) -> Iterator[Alarm]:
        for share in SHARES:
            parts = self._gained((share.part,), HOUR, share.by)
            for place, whole in self._gained((share.of,), HOUR, share.by).items():
                part = parts.get(place, 0)
                if whole >= self._objectives.min_requests and part > HIGHEST_SHARE * whole:
                    yield Alarm(share.alert, dict(place), part / whole)

    def _on_states(self) -> Iterator[Alarm]:
        for state in STATES:
            for gauge, is_, limit in state.bad:
                for labels, value in self._now(gauge.name).items():
                    if _COMPARED[is_](value, limit):
                        yield Alarm(state.name, _own(labels, gauge.own_labels), value)

    def _on_schema(self) -> Iterator[Alarm]:
        stale = dict(self._largest(metrics.SCHEMA_STALE.name, (*SERVICE, _TARGET)))
        limit = self._objectives.schema_max_age_s
        if limit is not None:
            aged = self._largest(metrics.SCHEMA_AGE.name, (*SERVICE, _TARGET))
            stale |= {place: age for place, age in aged.items() if age > limit}
        for place, value in stale.items():
            if value > 0:
                yield Alarm("SqlobsSchemaStale", dict(place), value)
        by = (*SERVICE, _TARGET, _CHANGE)
        earlier = self._largest(metrics.SCHEMA_DRIFT.name, by, of=self._seen[0].values)
        for place, count in self._largest(metrics.SCHEMA_DRIFT.name, by).items():
            is_new = not earlier.get(place, 0) > 0
            if count > 0 and is_new and dict(place).get(_CHANGE) in HARMFUL.values:
                yield Alarm("SqlobsSchemaDrift", dict(place), count)

    def _on_judges(self) -> Iterator[Alarm]:
        by = ("evaluation", *WORKFLOW)
        where: dict[str, str | AnyOf] = {"evaluation": JUDGED, "window": "24h"}
        samples = Selection(collector.QUALITY_SAMPLES, where)
        best = Selection(collector.QUALITY_PASS_RATE, {**where, "stat": "weighted_upper"})
        sizes = self._largest(samples.metric.name, by, among=samples)
        for place, passing in self._largest(best.metric.name, by, among=best).items():
            is_enough = sizes.get(place, 0) >= self._objectives.min_requests
            if is_enough and 1 - passing > self._objectives.judged_incorrect:
                yield Alarm("SqlobsIncorrect", dict(place), 1 - passing)

    def _now(self, name: str) -> Mapping[Labels, float]:
        return self._seen[-1].values.get(name, {})

    def _largest(
        self,
        name: str,
        by: Sequence[str],
        *,
        among: Selection | None = None,
        of: Values | None = None,
    ) -> Mapping[Labels, float]:
        found: dict[Labels, float] = {}
        for labels, value in (self._now(name) if of is None else of.get(name, {})).items():
            if among is None or _is_selected(labels, among):
                place = _by(labels, by)
                found[place] = max(value, found.get(place, value))
        return found

    def _gained(
        self, selections: Iterable[Selection], window: Window, by: Sequence[str]
    ) -> Mapping[Labels, float]:
        """Return what counters gained in a window, summed by labels, as the rules' `gained`."""
        since_ns = self._seen[-1].at_ns - window.seconds * _NS
        before = next((one for one in reversed(self._seen) if one.at_ns <= since_ns), None)
        sums: dict[Labels, float] = defaultdict(float)
        for selection in selections:
            name = selection.metric.name
            for labels, value in self._now(name).items():
                if _is_selected(labels, selection):
                    base = self._base(name, labels, before, since_ns)
                    sums[_by(labels, by)] += max(0.0, value - base)
        return sums

    def _base(self, name: str, labels: Labels, before: _Seen | None, since_ns: int) -> float:
        """Return a counter's value at the start of a window: 0 if it began in it."""
        if before is not None:
            known = before.values.get(name, {}).get(labels)
            if known is not None:
                return 0.0 if self._began_ns(labels) > since_ns else known
        if before is not None or self._began_ns(labels) > since_ns:
            return 0.0
        return next(
            one.values[name][labels] for one in self._seen if labels in one.values.get(name, {})
        )

    def _began_ns(self, labels: Labels) -> int:
        """Return when the process of a series started; one without an id is the collector."""
        identity = _by(labels, (*SERVICE, INSTANCE))
        if not any(name == INSTANCE for name, _ in identity):
            return self._started_ns
        starts = self._largest(metrics.START_TIME.name, (*SERVICE, INSTANCE))
        return round(starts.get(identity, 0) * _NS)


def _is_selected(labels: Labels, selection: Selection) -> bool:
    values = dict(labels)
    return all(
        values.get(label(name), "") in wanted.values
        if isinstance(wanted, AnyOf)
        else values.get(label(name), "") == wanted
        for name, wanted in selection.matches.items()
    )


def _by(labels: Labels, names: Sequence[str]) -> Labels:
    """Return some of a series' labels, and its workspace if it is not the only one."""
    return tuple((name, value) for name, value in labels if name in names or name == WORKSPACE)


def _own(labels: Labels, names: Sequence[str]) -> dict[str, str]:
    return dict(_by(labels, names))


def known_labels(named: Mapping[str, str]) -> Labels:
    """Return a series' labels in order, those with a value; the usual workspace is not named."""
    kept = {name: value for name, value in named.items() if value and name != "workspace"}
    workspace = named.get("workspace", "")
    if workspace not in {"", DEFAULT_WORKSPACE}:
        kept[WORKSPACE] = workspace
    return tuple(sorted(kept.items()))
