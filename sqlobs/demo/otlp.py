"""OTLP messages as plain records: one per span, metric point and log record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from google.protobuf.message import Message
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    Record = dict[str, Any]

_KINDS: Final = ("unspecified", "internal", "server", "client", "producer", "consumer")
_STATUSES: Final = ("unset", "ok", "error")
_TEMPORALITIES: Final = ("unspecified", "delta", "cumulative")

EMPTY_ANSWERS: Final[dict[str, Message]] = {
    "/v1/traces": ExportTraceServiceResponse(),
    "/v1/metrics": ExportMetricsServiceResponse(),
    "/v1/logs": ExportLogsServiceResponse(),
}
"""What a receiver says when it has taken everything, by path."""


def span_records(body: bytes) -> Iterator[Record]:
    """Yield one record per span of an export request in protobuf."""
    for group in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = attributes_of(group.resource.attributes)
        for scoped in group.scope_spans:
            for span in scoped.spans:
                yield {**_span(span), "scope": scoped.scope.name, "resource": resource}


def metric_records(body: bytes) -> Iterator[Record]:
    """Yield one record per data point of an export request in protobuf."""
    for group in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        resource = attributes_of(group.resource.attributes)
        for scoped in group.scope_metrics:
            for metric in scoped.metrics:
                for point in _points(metric):
                    yield {**point, "scope": scoped.scope.name, "resource": resource}


def log_records(body: bytes) -> Iterator[Record]:
    """Yield one record per log record of an export request in protobuf."""
    for group in ExportLogsServiceRequest.FromString(body).resource_logs:
        resource = attributes_of(group.resource.attributes)
        for scoped in group.scope_logs:
            for record in scoped.log_records:
                yield {**_log(record), "scope": scoped.scope.name, "resource": resource}


def attributes_of(pairs: Iterable[KeyValue]) -> Record:
    """Return attributes as a mapping of plain values."""
    return {pair.key: _plain(pair.value) for pair in pairs}


def _plain(value: AnyValue) -> Any:  # noqa: ANN401 - an attribute has any type
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_plain(element) for element in value.array_value.values]
    if kind == "kvlist_value":
        return attributes_of(value.kvlist_value.values)
    if kind == "bytes_value":
        return value.bytes_value.hex()
    return getattr(value, kind)


def _span(span: Span) -> Record:
    return {
        "name": span.name,
        "kind": _KINDS[span.kind],
        "trace_id": span.trace_id.hex(),
        "span_id": span.span_id.hex(),
        "parent_span_id": span.parent_span_id.hex() or None,
        "start_unix_nano": span.start_time_unix_nano,
        "end_unix_nano": span.end_time_unix_nano,
        "status": _STATUSES[span.status.code],
        "attributes": attributes_of(span.attributes),
        "events": [
            {"name": event.name, "attributes": attributes_of(event.attributes)}
            for event in span.events
        ],
        "links": [
            {"trace_id": link.trace_id.hex(), "span_id": link.span_id.hex()} for link in span.links
        ],
    }


def _points(metric: Metric) -> Iterator[Record]:
    kind = str(metric.WhichOneof("data"))
    points = getattr(metric, kind)
    for point in points.data_points:
        record: Record = {
            "name": metric.name,
            "unit": metric.unit,
            "kind": kind,
            "attributes": attributes_of(point.attributes),
            "start_unix_nano": point.start_time_unix_nano,
            "time_unix_nano": point.time_unix_nano,
        }
        if kind != "gauge":
            record["temporality"] = _TEMPORALITIES[points.aggregation_temporality]
        if kind == "histogram":
            record |= {"count": point.count, "sum": point.sum}
            record |= {"bounds": list(point.explicit_bounds), "counts": list(point.bucket_counts)}
        else:
            record["value"] = getattr(point, point.WhichOneof("value") or "as_int")
        yield record


def _log(record: LogRecord) -> Record:
    return {
        "event_name": record.event_name,
        "trace_id": record.trace_id.hex(),
        "span_id": record.span_id.hex(),
        "time_unix_nano": record.time_unix_nano or record.observed_time_unix_nano,
        "severity": record.severity_text,
        "attributes": attributes_of(record.attributes),
        "body": _plain(record.body),
    }
