"""One accepted request, as the journal keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

EntryKind = Literal["logs", "traces", "schema"]
Encoding = Literal["identity", "gzip"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What one request brought that is kept."""

    workspace: str
    kind: EntryKind
    subject: str
    """The version of a schema; empty for the others."""
    encoding: Encoding
    record_count: int
    body: bytes
    """An OTLP request in protobuf, or a schema document, encoded as `encoding` says."""


class Position(NamedTuple):
    """A place in the journal; positions grow in the order of acknowledgement."""

    segment: str
    """The name of the file."""
    entry_id: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry that is in the journal."""

    position: Position
    received_ns: int
    entry: Entry
