"""Data points of the SDK's metrics, as an OTLP request has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality

from sqlobs import semconv
from sqlobs.semconv.metrics import METRICS
from sqlobs_collector.otlp.triage import MOST_BUCKETS
from sqlobs_collector.series_point import SeriesPoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.metrics.v1 import metrics_pb2 as otlp

    from sqlobs.semconv.metrics import Metric
    from sqlobs_collector.series_point import Labels

    _Point = otlp.NumberDataPoint | otlp.HistogramDataPoint

_MAX_TEXT: Final = 256
"""Maximum characters of a label's value: names of models, workflows and services are shorter."""
_INSTANCE: Final = semconv.IDENTITY.index(semconv.SERVICE_INSTANCE_ID)


def points_of(request: ExportMetricsServiceRequest, *, workspace: str) -> Iterator[SeriesPoint]:
    """Yield the points of a request; metrics outside the contract are ignored."""
    for resource in request.resource_metrics:
        resource_labels = _texts(resource.resource.attributes)
        for scope in resource.scope_metrics:
            for metric in scope.metrics if scope.scope.name == semconv.SCOPE else ():
                yield from _of_metric(metric, workspace, resource_labels)


def _of_metric(
    metric: otlp.Metric, workspace: str, resource_labels: dict[str, str]
) -> Iterator[SeriesPoint]:
    known, kind = METRICS.get(metric.name), metric.WhichOneof("data")
    if known is None or (known.kind == "histogram") != (kind == "histogram"):
        return
    if kind == "histogram":
        is_delta = _is_delta(metric.histogram.aggregation_temporality)
        for buckets in metric.histogram.data_points:
            if len(buckets.explicit_bounds) <= MOST_BUCKETS:  # else rejected, and counted so
                labels = _labels(known, buckets, workspace, resource_labels)
                yield _histogram(known, buckets, labels, is_delta=is_delta)
    elif kind in {"sum", "gauge"}:
        is_delta = kind == "sum" and _is_delta(metric.sum.aggregation_temporality)
        for point in (metric.sum if kind == "sum" else metric.gauge).data_points:
            labels = _labels(known, point, workspace, resource_labels)
            yield SeriesPoint(
                known.name,
                labels,
                (),
                (_number(point),),
                is_delta,
                point.start_time_unix_nano,
                point.time_unix_nano,
                {0: _exemplar(point.exemplars[-1])} if point.exemplars else {},
            )


def _histogram(
    known: Metric, point: otlp.HistogramDataPoint, labels: Labels, *, is_delta: bool
) -> SeriesPoint:
    bounds = tuple(point.explicit_bounds)
    counts = [float(count) for count in point.bucket_counts][: len(bounds) + 1]
    counts += [0.0] * (len(bounds) + 1 - len(counts))
    exemplars: dict[int, str] = {}
    for exemplar in point.exemplars:
        value = exemplar.as_double or float(exemplar.as_int)
        exemplars[sum(bound < value for bound in bounds)] = _exemplar(exemplar)
    return SeriesPoint(
        known.name,
        labels,
        bounds,
        (*counts, point.sum),
        is_delta,
        point.start_time_unix_nano,
        point.time_unix_nano,
        exemplars,
    )


def _labels(
    metric: Metric, point: _Point, workspace: str, resource_labels: dict[str, str]
) -> Labels:
    attributes = _texts(point.attributes)
    own = [attributes.get(name) or resource_labels.get(name, "") for name in semconv.IDENTITY]
    own[_INSTANCE] = own[_INSTANCE] or f"start-{point.start_time_unix_nano}"
    return workspace, *own, *(attributes.get(name, "") for name in metric.attributes)


def _is_delta(temporality: int) -> bool:
    return temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA


def _number(point: otlp.NumberDataPoint) -> float:
    return float(point.as_int) if point.WhichOneof("value") == "as_int" else point.as_double


def _exemplar(exemplar: otlp.Exemplar) -> str:
    is_integer = exemplar.WhichOneof("value") == "as_int"
    value = float(exemplar.as_int) if is_integer else exemplar.as_double
    trace, span = exemplar.trace_id[:16].hex(), exemplar.span_id[:8].hex()
    at_s = exemplar.time_unix_nano / 10**9
    return f' # {{span_id="{span}",trace_id="{trace}"}} {value!r} {at_s!r}'


def _texts(attributes: Iterable[KeyValue]) -> dict[str, str]:
    return {attribute.key: _text(attribute.value) for attribute in attributes}


def _text(value: AnyValue) -> str:
    kind = value.WhichOneof("value")
    if kind == "bool_value":
        return "true" if value.bool_value else "false"
    return "" if kind is None else str(getattr(value, kind))[:_MAX_TEXT]
