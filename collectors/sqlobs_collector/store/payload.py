"""The stored content of a record: an OTLP log record, compressed if that saves space."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from sqlobs import semconv

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

Value = str | bool | int | float | bytes | list["Value"] | dict[str, "Value"] | None
"""What an attribute or a body may hold."""

_LEVEL: Final = 1
_COMPRESSED_FROM: Final = 4096
"""Bytes: compressing a usual record of a kilobyte costs as much as all else, and saves a third."""
_PLAIN: Final = b"="
_DEFLATED: Final = b"z"


class Said(NamedTuple):
    """What a record said."""

    attributes: dict[str, Value]
    body: Value

    @property
    def correction(self) -> str | None:
        """The SQL that a user corrected, if feedback holds one that was not rejected."""
        sql = self.attributes.get(semconv.SQLOBS_FEEDBACK_QUERY_TEXT)
        if self.attributes.get(semconv.SQLOBS_FEEDBACK_VALUE) == "rejected":
            return None
        return sql if isinstance(sql, str) and sql.strip() else None


def pack(record: bytes) -> bytes:
    """Return what is kept of a serialized log record."""
    if len(record) < _COMPRESSED_FROM:
        return _PLAIN + record
    return _DEFLATED + zlib.compress(record, _LEVEL)


def unpack(payload: bytes) -> Said:
    """Return attributes and body of the record that was packed."""
    kept = payload[1:]
    record = LogRecord.FromString(zlib.decompress(kept) if payload[:1] == _DEFLATED else kept)
    return Said({one.key: value_of(one.value) for one in record.attributes}, value_of(record.body))


def values_of(pairs: Iterable[KeyValue], *, named: frozenset[str]) -> dict[str, Value]:
    """Return the values of some attributes, those that are there."""
    return {key: value_of(pair.value) for pair in pairs if (key := pair.key) in named}


def value_of(value: AnyValue) -> Value:
    """Return a value of OTLP as Python has it."""
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [value_of(one) for one in value.array_value.values]
    if kind == "kvlist_value":
        return {one.key: value_of(one.value) for one in value.kvlist_value.values}
    scalar: Value = getattr(value, kind)
    return scalar
