"""Journal entries to the records inside: attributes and bodies as Python values."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from sqlobs import semconv
from sqlobs_collector.otlp.triage import service_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

    from sqlobs_collector.journal.entry import Entry, Recorded
    from sqlobs_collector.otlp.triage import Service
    from sqlobs_collector.store.payload import Value

_GZIP: Final = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Record:
    """One log record or span that is ours."""

    workspace: str
    trace_id: str
    """32 hex digits."""
    span_id: str
    """16 hex digits."""
    event: str
    """The event's name; empty for a span."""
    service: Service
    occurred_ns: int
    """When the request ended."""
    received_ns: int
    attributes: dict[str, Value]
    body: Value
    tracestate: str = ""
    digest: str = ""
    """A hash of the record and its workspace, but for units: a repeated one has the same."""


def records(recorded: Recorded) -> Iterator[Record]:
    """Yield the records of a journal entry of logs or traces, in order."""
    entry = recorded.entry
    if entry.kind == "logs":
        yield from _log_records(recorded, _content(entry))
    elif entry.kind == "traces":
        yield from _spans(recorded, _content(entry))


def document(entry: Entry) -> bytes:
    """Return the document of a journal entry of kind `schema`."""
    return _content(entry)


def _content(entry: Entry) -> bytes:
    """Return the body, decompressed; its size was checked when it came."""
    if entry.encoding == "identity":
        return entry.body
    content, rest = b"", entry.body
    while rest:
        member = zlib.decompressobj(_GZIP)
        content += member.decompress(rest)
        rest = member.unused_data
    return content


def _log_records(recorded: Recorded, content: bytes) -> Iterator[Record]:
    workspace = recorded.entry.workspace
    for resource in ExportLogsServiceRequest.FromString(content).resource_logs:
        service = service_of(resource.resource.attributes)
        for scope in resource.scope_logs:
            for record in scope.log_records:
                yield Record(
                    workspace=workspace,
                    trace_id=record.trace_id.hex(),
                    span_id=record.span_id.hex(),
                    event=record.event_name,
                    service=service,
                    occurred_ns=record.time_unix_nano
                    or record.observed_time_unix_nano
                    or recorded.received_ns,
                    received_ns=recorded.received_ns,
                    attributes=_attributes(record.attributes),
                    body=_value(record.body),
                    digest=""
                    if record.event_name == semconv.EVENT_UNIT
                    else _digest(workspace, record.SerializeToString()),
                )


def _spans(recorded: Recorded, content: bytes) -> Iterator[Record]:
    for resource in ExportTraceServiceRequest.FromString(content).resource_spans:
        service = service_of(resource.resource.attributes)
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Record(
                    workspace=recorded.entry.workspace,
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    event="",
                    service=service,
                    occurred_ns=span.end_time_unix_nano or recorded.received_ns,
                    received_ns=recorded.received_ns,
                    attributes=_attributes(span.attributes),
                    body=None,
                    tracestate=span.trace_state,
                )


def _digest(workspace: str, serialised: bytes) -> str:
    return hashlib.blake2b(workspace.encode() + b"\0" + serialised, digest_size=16).hexdigest()


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, Value]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Value:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values)
    scalar: Value = getattr(value, kind)
    return scalar
