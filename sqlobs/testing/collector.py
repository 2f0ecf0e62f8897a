"""A collector in memory: what would have been sent, as units, records and schemas."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from sqlobs import semconv
from sqlobs.schema.model import Schema
from sqlobs.tracing.sending.collector_client import Reply
from sqlobs.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue


@dataclass(frozen=True, slots=True)
class ReceivedRecord:
    """One log record as the collector gets it."""

    name: str
    """Its event name."""
    attributes: dict[str, object]
    body: object = None


class FakeCollector:
    """An in-memory collector that keeps what it receives. Thread-safe.

    Set `reply` to simulate a rejection or an unreachable collector: `Reply("rejected", 401)`,
    `Reply("unreachable")`.
    """

    endpoint = "memory:"

    def __init__(self) -> None:
        self.reply = Reply("accepted", 200)
        self.records: list[ReceivedRecord] = []
        self.schemas: dict[str, Schema] = {}
        """By version."""
        self._lock = threading.Lock()

    @property
    def units(self) -> list[Unit]:
        """The units, in order of arrival."""
        return [
            Unit.from_record(record.attributes, record.body)  # type: ignore[arg-type]  # as OTLP has them
            for record in self.records
            if record.name == semconv.EVENT_UNIT
        ]

    def deliver(
        self,
        path: str,
        payload: bytes,
        *,
        within_s: float,  # noqa: ARG002 - the protocol's
        is_repeated: bool = True,  # noqa: ARG002 - likewise
    ) -> Reply:
        """Keep the log records of a request; other signals are accepted and not kept."""
        reply = self.reply
        if reply.is_accepted and path == "/v1/logs":
            records = list(_records_of(payload))
            with self._lock:
                self.records += records
        return reply

    def put_document(self, path: str, document: bytes, *, within_s: float) -> Reply:  # noqa: ARG002 - the protocol's
        """Keep a schema."""
        reply = self.reply
        if reply.is_accepted:
            with self._lock:
                self.schemas[path.rpartition("/")[2]] = Schema.from_json(document)
        return reply

    def close(self) -> None:
        """Do nothing: other senders may still use it."""


def _records_of(payload: bytes) -> Iterable[ReceivedRecord]:
    for resource in ExportLogsServiceRequest.FromString(payload).resource_logs:
        for scope in resource.scope_logs:
            for record in scope.log_records:
                body = _value_of(record.body)
                yield ReceivedRecord(record.event_name, _values_of(record.attributes), body)


def _values_of(pairs: Iterable[KeyValue]) -> dict[str, object]:
    return {pair.key: _value_of(pair.value) for pair in pairs}


def _value_of(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return tuple(map(_value_of, value.array_value.values))
    if kind == "kvlist_value":
        return _values_of(value.kvlist_value.values)
    return None if kind is None else getattr(value, kind)
