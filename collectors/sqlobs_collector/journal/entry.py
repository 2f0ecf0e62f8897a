"""One accepted request, as the journal keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

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


class Place(NamedTuple):
    """How far something went in a journal; places grow in the order of acknowledgment."""

    sequence: int
    """Of the entry: never used twice in a journal, not even after all of its files are gone."""
    entries: int
    """Entries acknowledged up to here, since the journal began; gaps are counted by it."""
    records: int
    """The records in them."""


START: Final = Place(0, 0, 0)
"""Before the first entry."""


class Lost(NamedTuple):
    """What was acknowledged and can no longer be read."""

    entries: int = 0
    records: int = 0

    def plus(self, other: Lost) -> Lost:
        """Return both together."""
        return Lost(self.entries + other.entries, self.records + other.records)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry that is in the journal."""

    place: Place
    """Up to and including this entry."""
    received_ns: int
    entry: Entry
