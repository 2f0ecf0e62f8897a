"""Which alerts on latency, traffic, cost and unsafe statements hold now, as the store tells."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.increments import DAY, HOUR
from sqlobs.monitoring.losses import UNSAFE
from sqlobs.monitoring.usage import MINUTES_10, SAME_TIME_S
from sqlobs.monitoring.usage_conditions import Cost, Latency, is_costly, is_missed, is_slow
from sqlobs_collector.notifying.alarms import Alarm, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs.monitoring.objectives import Objectives
    from sqlobs_collector.store.alert_counts import Place
    from sqlobs_collector.store.usage import UsageReader

_WINDOW_NS: Final = MINUTES_10.seconds * 10**9
_HOUR_NS: Final = HOUR.seconds * 10**9
_DAY_NS: Final = DAY.seconds * 10**9
_WEEK_NS: Final = 7 * _DAY_NS
_USUAL_UNTIL_NS: Final = 1800 * 10**9
_COST_EVERY_NS: Final = 300 * 10**9
"""Days of costs are dear to add up, and move slowly."""
_HIGH: Final = 95
_SLOWEST_FIFTH: Final = 80


class UsageWatch:
    """Looks at the requests of the last days."""

    def __init__(self, reader: UsageReader, objectives: Objectives, *, started_ns: int) -> None:
        """Set up.

        Args:
            reader: Adds up.
            objectives: Limits and schedules.
            started_ns: Since when requests arrive: what was missed before is no silence.
        """
        self._reader = reader
        self._objectives = objectives
        self._started_ns = started_ns
        self._usual: Mapping[Place, float] = {}
        self._latencies: Sequence[tuple[int, Place, float]] = ()
        """By number of ten minutes since 1970, of a day."""
        self._usual_end = 0
        """Number of the first ten minutes that are not among them."""
        self._costs: Sequence[Alarm] = ()
        self._costs_ns = 0

    def alarms(self, now_ns: int) -> Iterator[Alarm]:
        """Yield the alerts whose condition holds."""
        yield from self._slow(now_ns)
        yield from self._silent(now_ns)
        yield from self._costly_lately(now_ns)
        for place, count in self._reader.unsafe(now_ns - _HOUR_NS, now_ns).items():
            yield Alarm(UNSAFE.alert, labels_of(place), count)

    def _slow(self, now_ns: int) -> Iterator[Alarm]:
        usual = self._usually(now_ns)
        for place, seconds in self._reader.durations(now_ns - _WINDOW_NS, now_ns).items():
            found = Latency(
                len(seconds),
                _quantile(seconds, _HIGH),
                _quantile(seconds, _SLOWEST_FIFTH),
                usual.get(place),
            )
            labels = labels_of(place)
            if is_slow(found, labels, self._objectives):
                yield Alarm("SqlobsLatency", labels, found.p95_s)

    def _usually(self, now_ns: int) -> Mapping[Place, float]:
        """Return the median of a day's latencies of ten minutes; each of them is computed once."""
        end = (now_ns - _USUAL_UNTIL_NS) // _WINDOW_NS
        first = end - _DAY_NS // _WINDOW_NS
        begin = max(first, self._usual_end)
        if begin < end:
            known = [one for one in self._latencies if one[0] >= first]
            found = self._reader.quantiles(
                begin * _WINDOW_NS, end * _WINDOW_NS, percent=_HIGH, part_ns=_WINDOW_NS
            )
            self._latencies = [
                *known,
                *((begin + part, place, seconds) for part, place, seconds in found),
            ]
            self._usual_end = end
            by_place: dict[Place, list[float]] = defaultdict(list)
            for _, place, seconds in self._latencies:
                by_place[place].append(seconds)
            self._usual = {place: median(seconds) for place, seconds in by_place.items()}
        return self._usual

    def _silent(self, now_ns: int) -> Iterator[Alarm]:
        if now_ns - self._started_ns < _WINDOW_NS:
            return
        lately = self._requests(now_ns)
        earlier = [self._requests(now_ns - seconds * 10**9) for seconds in SAME_TIME_S]
        known = {place for counts in earlier for place in counts}
        if any(each.schedule for each in self._objectives.workflows):
            known |= self._reader.requests(now_ns - _WEEK_NS, now_ns).keys()
        now = datetime.fromtimestamp(now_ns / 10**9, UTC)
        for place in sorted(known - lately.keys()):
            labels, counts = labels_of(place), [each.get(place, 0) for each in earlier]
            if is_missed(counts, labels, self._objectives, now=now):
                yield Alarm("SqlobsNoTraffic", labels, 0)

    def _requests(self, until_ns: int) -> Mapping[Place, int]:
        return self._reader.requests(until_ns - _WINDOW_NS, until_ns)

    def _costly_lately(self, now_ns: int) -> Sequence[Alarm]:
        if now_ns - self._costs_ns >= _COST_EVERY_NS:
            self._costs, self._costs_ns = [*self._costly(now_ns)], now_ns
        return self._costs

    def _costly(self, now_ns: int) -> Iterator[Alarm]:
        costs = self._reader.costs
        hour = costs(now_ns - _HOUR_NS, now_ns)
        if not hour:
            return
        day = costs(now_ns - _DAY_NS, now_ns)
        usual = costs(now_ns - _DAY_NS - _HOUR_NS, now_ns - _HOUR_NS)
        yesterday = costs(now_ns - _DAY_NS - _HOUR_NS, now_ns - _DAY_NS)
        for place, usd in hour.items():
            found = Cost(usd, day.get(place, 0), usual.get(place, 0), place in yesterday)
            labels = labels_of(place)
            if is_costly(found, labels, self._objectives):
                yield Alarm("SqlobsCost", labels, found.day)


def _quantile(ascending: Sequence[float], percent: int) -> float:
    return ascending[-(-len(ascending) * percent // 100) - 1]
