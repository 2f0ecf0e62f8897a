"""Log records as an OTLP request, encoded without an SDK.

No limit of the SDK (`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`) tears what the collector is to execute,
and no queue of the SDK drops records uncounted.
Tests: `tests/telemetry/test_collector_contract.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from sqlobs import semconv
from sqlobs._version import __version__

if TYPE_CHECKING:
    from sqlobs.unit import Attributes, SpanIdentity


@dataclass(frozen=True, slots=True)
class Event:
    """One log record."""

    name: str
    timestamp_ns: int
    span: SpanIdentity
    attributes: Attributes
    body: Mapping[str, str] | None = None

    @property
    def size(self) -> int:
        """The estimated size in bytes, uncompressed."""
        values = (*self.attributes.items(), *(self.body or {}).items())
        return _FIXED_SIZE + sum(len(name) + _size_of(value) for name, value in values)


_FIXED_SIZE = 100
"""Ids, times and lengths of a record."""


def encode(events: Iterable[Event], *, resource: Mapping[str, object]) -> bytes:
    """Return an `ExportLogsServiceRequest` with the events."""
    scope_logs = ScopeLogs(
        scope=InstrumentationScope(name=semconv.SCOPE, version=__version__),
        log_records=map(_record, events),
        schema_url=semconv.SCHEMA_URL,
    )
    resource_logs = ResourceLogs(
        resource=Resource(attributes=_pairs(resource)),
        scope_logs=[scope_logs],
        schema_url=semconv.SCHEMA_URL,
    )
    return ExportLogsServiceRequest(resource_logs=[resource_logs]).SerializeToString()


def rejected_of(response: bytes) -> int:
    """Return how many records of an accepted request were rejected; 0 if unreadable."""
    try:
        parsed = ExportLogsServiceResponse.FromString(response)
    except Exception:  # noqa: BLE001 - protobuf's DecodeError has no stable home; an odd answer is no loss
        return 0
    return parsed.partial_success.rejected_log_records


def _record(event: Event) -> LogRecord:
    return LogRecord(
        time_unix_nano=event.timestamp_ns,
        observed_time_unix_nano=event.timestamp_ns,
        event_name=event.name,
        trace_id=event.span.trace_id.to_bytes(16, "big"),
        span_id=event.span.span_id.to_bytes(8, "big"),
        flags=int(event.span.sampled),
        attributes=_pairs(event.attributes),
        body=None
        if event.body is None
        else AnyValue(kvlist_value=KeyValueList(values=_pairs(event.body))),
    )


def _pairs(values: Mapping[str, object]) -> list[KeyValue]:
    return [KeyValue(key=name, value=_value(value)) for name, value in values.items()]


_INT64 = 1 << 63


def _value(value: object) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int() if -_INT64 <= value < _INT64:
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case str():
            return AnyValue(string_value=_valid(value))
        case Sequence():
            return AnyValue(array_value=ArrayValue(values=map(_value, value)))
    return AnyValue(string_value=_valid(str(value)))


def _valid(text: str) -> str:
    """Return valid UTF-8: a model may write lone surrogates."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _size_of(value: object) -> int:
    match value:
        case str():
            return len(value) if value.isascii() else len(value.encode(errors="replace"))
        case Sequence():
            return sum(map(_size_of, value))
    return 8
