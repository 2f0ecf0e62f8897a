"""Counters of the collector's pipeline as Prometheus metrics."""

from __future__ import annotations

import math
from collections import Counter as Count
from typing import TYPE_CHECKING, Final, NamedTuple

from prometheus_client import Counter, Gauge
from sqlalchemy.exc import DBAPIError

from sqlobs.semconv import collector as metrics
from sqlobs_collector.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from prometheus_client import CollectorRegistry

    from sqlobs.judge.judgment import Usage
    from sqlobs.semconv.collector import CollectorMetric

OURS: Final = Origin("", "sqlobs-collector", "")
"""The origin of series that describe the collector as a whole."""
_MAX_ORIGINS: Final = 200


class Step(NamedTuple):
    """A state that a unit of a service entered."""

    origin: Origin
    state: str
    reason: str | None


def readable(read: Callable[[], float]) -> Callable[[], float]:
    """Return a function that reads a gauge; NaN where the store, which it is from, fails.

    Everything else on the page is shown, above all that the store is down.
    """

    def value() -> float:
        try:
            return read()
        except DBAPIError:
            return math.nan

    return value


class PipelineMetrics:
    """Counters and gauges of the pipeline; counts start at 0 with the process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._origins: set[Origin] = set()
        self._received = self._counter(metrics.RECEIVED)
        self._rejected = self._counter(metrics.REJECTED)
        self._relayed = self._counter(metrics.RELAYED)
        self._series_dropped = self._counter(metrics.SERIES_DROPPED)
        self.series_dropped(0)
        self._units = self._counter(metrics.UNITS)
        self._evaluations = self._counter(metrics.EVALUATIONS)
        self._comparisons = self._counter(metrics.COMPARISONS)
        self._judge_tokens = self._counter(metrics.JUDGE_TOKENS)
        self._judge_cost = self._counter(metrics.JUDGE_COST)
        self._store_failures = self._counter(metrics.STORE_FAILURES)
        self._gauges: dict[str, Gauge] = {}

    def received(self, *, signal: str, kind: str, origin: Origin, count: int) -> None:
        """Count acknowledged records of one service."""
        self._received.labels(signal, kind, *self._known(origin)).inc(count)

    def rejected(self, *, signal: str, reason: str, count: int = 1) -> None:
        """Count rejected requests, or rejected records in accepted requests."""
        self._rejected.labels(signal, reason, *OURS).inc(count)

    def relayed(self, *, signal: str, outcome: str) -> None:
        """Count a request for the backend by outcome, such as `sent` or `unsupported`."""
        self._relayed.labels(signal, outcome, *OURS).inc()

    def series_dropped(self, count: int) -> None:
        """Count data points of the SDK's metrics that are not shown."""
        self._series_dropped.labels("budget", *OURS).inc(count)

    def store_failed(self, reason: str) -> None:
        """Count a failure of the store."""
        self._store_failures.labels(reason, *OURS).inc()

    def unit(self, *, origin: Origin, state: str, reason: str | None, count: int = 1) -> None:
        """Count units that enter a state."""
        self._units.labels(state, reason or "", *self._known(origin)).inc(count)

    def units(self, steps: Iterable[Step]) -> None:
        """Count the states that units enter."""
        for step, count in Count(steps).items():
            self.unit(origin=step.origin, state=step.state, reason=step.reason, count=count)

    def evaluation(self, *, origin: Origin, name: str, label: str, kind: str) -> None:
        """Count an evaluation by its label and the kind of its evaluator."""
        self._evaluations.labels(name, label, kind, *self._known(origin)).inc()

    def comparison(self, *, origin: Origin, static: str, engine: str) -> None:
        """Count a statement by the checker's label and the engine's."""
        self._comparisons.labels(static, engine, *self._known(origin)).inc()

    def judge(self, *, origin: Origin, model: str, usage: Usage) -> None:
        """Count the tokens and the cost of a judge call."""
        known = self._known(origin)
        for kind, count in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self._judge_tokens.labels(model, kind, *known).inc(count)
        self._judge_cost.labels(model, *known).inc(usage.cost_usd or 0)

    def watch(
        self, metric: CollectorMetric, *values: str, read: Callable[[], float], workspace: str = ""
    ) -> None:
        """Register a gauge that is read at each scrape.

        Args:
            metric: The gauge.
            values: Values of its own labels.
            read: Returns the gauge's value.
            workspace: The workspace that it concerns; empty = the collector as a whole.
        """
        of = OURS._replace(workspace=workspace)
        self._gauge(metric).labels(*values, *of).set_function(readable(read))

    def _gauge(self, metric: CollectorMetric) -> Gauge:
        if metric.name not in self._gauges:
            gauge = Gauge(metric.name, metric.brief, metric.labels, registry=self._registry)
            self._gauges[metric.name] = gauge
        return self._gauges[metric.name]

    def _counter(self, metric: CollectorMetric) -> Counter:
        return Counter(metric.name, metric.brief, metric.labels, registry=self._registry)

    def _known(self, origin: Origin) -> Origin:
        """Return the origin, or `other` once there are too many distinct origins."""
        if origin not in self._origins:
            if len(self._origins) >= _MAX_ORIGINS:
                return Origin(origin.workspace, "other", "")
            self._origins.add(origin)
        return origin
