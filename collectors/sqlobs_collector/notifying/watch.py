"""Everything that the collector watches for alerts: requests in the store, counters and gauges."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlobs_collector.notifying.counters import CounterWatch, known_labels
from sqlobs_collector.notifying.rates import rate_alarms
from sqlobs_collector.notifying.usage import UsageWatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import CollectorRegistry

    from sqlobs.monitoring.objectives import Objectives
    from sqlobs_collector.notifying.alarms import Alarm
    from sqlobs_collector.notifying.counters import Labels, Values
    from sqlobs_collector.sdkmetrics import ShownSeries
    from sqlobs_collector.store.alert_counts import AlertCountReader
    from sqlobs_collector.store.usage import UsageReader


class Series:
    """Reads series of the applications, as they sent them, and of the collector."""

    def __init__(self, registry: CollectorRegistry, sdk_metrics: ShownSeries) -> None:
        self._registry = registry
        self._sdk_metrics = sdk_metrics

    def read(self, names: frozenset[str]) -> Values:
        """Return the series of some metrics by name."""
        found: dict[str, dict[Labels, float]] = defaultdict(dict)
        for name, values in self._sdk_metrics.values(names).items():
            found[name] = {known_labels(labels): value for labels, value in values}
        for family in self._registry.collect():
            for sample in family.samples:
                if sample.name in names:
                    found[sample.name][known_labels(sample.labels)] = sample.value
        return found


class Watch:
    """Looks for all alerts that a collector can see."""

    def __init__(
        self,
        counts: AlertCountReader,
        usage: UsageReader,
        series: Series,
        *,
        objectives: Objectives,
        started_ns: int,
    ) -> None:
        """Set up.

        Args:
            counts: Counts failures.
            usage: Adds up what requests take.
            series: Counters and gauges.
            objectives: Limits and schedules.
            started_ns: When the collector started.
        """
        self._counts = counts
        self._objectives = objectives
        self._usage = UsageWatch(usage, objectives, started_ns=started_ns)
        self._counters = CounterWatch(series.read, objectives, started_ns=started_ns)

    def alarms(self, now_ns: int) -> Iterator[Alarm]:
        """Yield the alerts whose condition holds."""
        yield from rate_alarms(self._counts, self._objectives, now_ns=now_ns)
        yield from self._usage.alarms(now_ns)
        yield from self._counters.alarms(now_ns)
