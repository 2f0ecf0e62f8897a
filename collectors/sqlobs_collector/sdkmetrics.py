"""The SDK's metrics, received by OTLP and exposed on `/metrics`, so that one scrape is enough."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar

from sqlobs import semconv
from sqlobs.semconv.metrics import METRICS
from sqlobs_collector.otlp.triage import MOST_BUCKETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.metrics.v1 import metrics_pb2 as otlp
    from prometheus_client import Metric as Family

    from sqlobs.semconv.metrics import Metric

    _Bucket = tuple[str, float] | tuple[str, float, Exemplar]
    _Point = otlp.NumberDataPoint | otlp.HistogramDataPoint

SILENCE_S: Final = 300
"""An instance that sent nothing for this long is removed."""
_MAX_SERIES: Final = 50_000
_MAX_TEXT: Final = 256
"""Maximum characters of a label's value: names of models, workflows and services are shorter."""
_WORKSPACE: Final = "workspace"
_RESOURCE: Final = (_WORKSPACE, *semconv.IDENTITY)

_Labels = tuple[str, ...]


@dataclass(slots=True)
class _Series:
    """The last known state of one stream; delta points are accumulated."""

    seen_s: float
    value: float = 0.0
    bounds: tuple[float, ...] = ()
    counts: list[float] = field(default_factory=list)
    """Observations per bucket, not cumulative."""
    exemplars: dict[int, Exemplar] = field(default_factory=dict)
    """The newest exemplar by bucket; a counter has one, at 0."""


class SdkMetrics(Collector):
    """Keeps the newest state of every series of the contract; used on one event loop."""

    def __init__(self, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._families: dict[str, dict[_Labels, _Series]] = {}

    def consume(self, request: ExportMetricsServiceRequest, *, workspace: str) -> None:
        """Update the series from a request; metrics outside the contract are ignored."""
        for resource in request.resource_metrics:
            resource_labels = {**_texts(resource.resource.attributes), _WORKSPACE: workspace}
            for scope in resource.scope_metrics:
                if scope.scope.name == semconv.SCOPE:
                    for metric in scope.metrics:
                        self._take(metric, resource_labels)

    def collect(self) -> Iterator[Family]:
        """Yield the current metric families, without instances that stopped sending."""
        self._forget()
        for name, series in sorted(self._families.items()):
            if series:
                yield _family(METRICS[name], series)

    def _take(self, metric: otlp.Metric, resource_labels: dict[str, str]) -> None:
        known = METRICS.get(metric.name)
        if known is None:
            return
        kind = metric.WhichOneof("data")
        if kind == "gauge":
            for point in metric.gauge.data_points:
                self._series(known, point, resource_labels).value = _number(point)
        elif kind == "sum":
            is_delta = _is_delta(metric.sum.aggregation_temporality)
            for point in metric.sum.data_points:
                self._add_number(
                    self._series(known, point, resource_labels), point, is_delta=is_delta
                )
        elif kind == "histogram":
            is_delta = _is_delta(metric.histogram.aggregation_temporality)
            for buckets in metric.histogram.data_points:
                if len(buckets.explicit_bounds) > MOST_BUCKETS:
                    continue  # rejected, and counted so
                _add_buckets(
                    self._series(known, buckets, resource_labels), buckets, is_delta=is_delta
                )

    def _series(self, metric: Metric, point: _Point, resource_labels: dict[str, str]) -> _Series:
        labels = _labels(metric, point, resource_labels)
        family = self._families.setdefault(metric.name, {})
        if labels not in family and sum(map(len, self._families.values())) >= _MAX_SERIES:
            return _Series(0)  # longer than any legitimate value: not exposed
        series = family.setdefault(labels, _Series(0))
        series.seen_s = self._clock_s()
        return series

    def _add_number(self, series: _Series, point: otlp.NumberDataPoint, *, is_delta: bool) -> None:
        series.value = _number(point) + (series.value if is_delta else 0)
        for exemplar in point.exemplars:
            series.exemplars[0] = _exemplar(exemplar)

    def _forget(self) -> None:
        oldest_s = self._clock_s() - SILENCE_S
        for family in self._families.values():
            for labels in [one for one, series in family.items() if series.seen_s < oldest_s]:
                del family[labels]


def _labels(metric: Metric, point: _Point, resource_labels: dict[str, str]) -> _Labels:
    attributes = _texts(point.attributes)
    own = [attributes.get(name) or resource_labels.get(name, "") for name in semconv.IDENTITY]
    instance = semconv.IDENTITY.index(semconv.SERVICE_INSTANCE_ID)
    own[instance] = own[instance] or f"start-{point.start_time_unix_nano}"
    return (
        *(attributes.get(name, "") for name in metric.attributes),
        resource_labels[_WORKSPACE],
        *own,
    )


def _add_buckets(series: _Series, point: otlp.HistogramDataPoint, *, is_delta: bool) -> None:
    bounds = tuple(point.explicit_bounds)
    counts = [float(count) for count in point.bucket_counts]
    if is_delta and series.bounds == bounds and len(series.counts) == len(counts):
        counts = [before + more for before, more in zip(series.counts, counts, strict=True)]
        series.value += point.sum
    else:
        series.value = point.sum
    series.bounds, series.counts = bounds, counts
    for exemplar in point.exemplars:
        value = exemplar.as_double or float(exemplar.as_int)
        bucket = sum(bound < value for bound in bounds)
        series.exemplars[bucket] = _exemplar(exemplar)


def _family(metric: Metric, series: dict[_Labels, _Series]) -> Family:
    names = [*metric.prometheus_labels, *(name.replace(".", "_") for name in _RESOURCE)]
    name, text = metric.prometheus_name, metric.brief
    if metric.kind == "histogram":
        histogram = HistogramMetricFamily(name, text, labels=names)
        for labels, one in series.items():
            histogram.add_metric(labels, buckets=_cumulative(one), sum_value=one.value)
        return histogram
    if metric.kind == "counter":
        counter = CounterMetricFamily(name, text, labels=names)
        for labels, one in series.items():
            counter.add_metric(labels, one.value, exemplar=one.exemplars.get(0))
        return counter
    gauge = GaugeMetricFamily(name, text, labels=names)
    for labels, one in series.items():
        gauge.add_metric(labels, one.value)
    return gauge


def _cumulative(series: _Series) -> Sequence[_Bucket]:
    total = 0.0
    buckets: list[_Bucket] = []
    for index, bound in enumerate((*series.bounds, float("inf"))):
        total += series.counts[index] if index < len(series.counts) else 0
        name = "+Inf" if bound == float("inf") else str(bound)
        exemplar = series.exemplars.get(index)
        buckets.append((name, total) if exemplar is None else (name, total, exemplar))
    return buckets


def _is_delta(temporality: int) -> bool:
    return temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA


def _number(point: otlp.NumberDataPoint) -> float:
    return float(point.as_int) if point.WhichOneof("value") == "as_int" else point.as_double


def _exemplar(exemplar: otlp.Exemplar) -> Exemplar:
    is_integer = exemplar.WhichOneof("value") == "as_int"
    return Exemplar(
        {"trace_id": exemplar.trace_id[:16].hex(), "span_id": exemplar.span_id[:8].hex()},
        float(exemplar.as_int) if is_integer else exemplar.as_double,
        exemplar.time_unix_nano / 10**9,
    )


def _texts(attributes: Iterable[KeyValue]) -> dict[str, str]:
    return {attribute.key: _text(attribute.value) for attribute in attributes}


def _text(value: AnyValue) -> str:
    kind = value.WhichOneof("value")
    if kind == "bool_value":
        return "true" if value.bool_value else "false"
    return "" if kind is None else str(getattr(value, kind))[:_MAX_TEXT]
