"""The layout of a journal file.

A file is `PREFIX`, an opening frame, then entries, with a probe here and there. A frame is a
header, a text (JSON) and a body. Each begins with the identity of its journal, 16 random bytes:
the next whole frame behind a damaged one is found by them, and nothing that a client sends can be
mistaken for a frame, since no client knows them.
"""

from __future__ import annotations

import enum
import json
import struct
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlobs_collector.journal.entry import Entry, Place, Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX: Final = b"sqlobs-journal-1"
IDENTITY_BYTES: Final = 16
_HEADER: Final = struct.Struct("<16sBQQQqIIII")
_CHECKSUM: Final = struct.Struct("<I")
HEADER_BYTES: Final = _HEADER.size + _CHECKSUM.size


class FrameKind(enum.IntEnum):
    """What a frame says."""

    OPENING = 0
    """A file begins; its place is what was acknowledged before it, the sequence the file's own."""
    ENTRY = 1
    PROBE = 2
    """The collector tried whether it can write."""


class Header(NamedTuple):
    """The fixed part of a frame."""

    kind: int
    sequence: int
    entries: int
    records: int
    received_ns: int
    record_count: int
    text_bytes: int
    body_bytes: int
    checksum: int
    """Of text and body."""

    @property
    def place(self) -> Place:
        """How far the journal was acknowledged once this frame was."""
        return Place(self.sequence, self.entries, self.records)

    @property
    def content_bytes(self) -> int:
        """The size of what follows."""
        return self.text_bytes + self.body_bytes


def opening(identity: bytes, place: Place, *, follows: str, begun_ns: int) -> bytes:
    """Return how a file begins, which follows another; empty: it is the first."""
    return PREFIX + _frame(identity, FrameKind.OPENING, place, begun_ns, text=follows.encode())


def followed(header: Header, content: bytes) -> str:
    """Return the name of the file that one with this opening follows."""
    return content[: header.text_bytes].decode()


def probe(identity: bytes, place: Place, *, now_ns: int) -> bytes:
    """Return a frame that says nothing."""
    return _frame(identity, FrameKind.PROBE, place, now_ns)


def group(
    identity: bytes, after: Place, entries: Iterable[Entry], *, received_ns: int
) -> tuple[bytes, Place]:
    """Return entries as frames, and the place that they lead to."""
    place, frames = after, []
    for entry in entries:
        place = Place(place.sequence + 1, place.entries + 1, place.records + entry.record_count)
        frames.append(_entry(identity, place, entry, received_ns))
    return b"".join(frames), place


def again(identity: bytes, header: Header, content: bytes, entry: Entry | None) -> bytes:
    """Return a whole frame as it was; with another entry's content, where one is given.

    Its place stays: what was acknowledged up to here was, even if less of it is left.
    """
    text, body = content[: header.text_bytes], content[header.text_bytes :]
    if entry is not None:
        text, body = _names(entry), entry.body
    return _frame(
        identity,
        FrameKind(header.kind),
        header.place,
        header.received_ns,
        record_count=header.record_count,
        text=text,
        body=body,
    )


def parse_header(identity: bytes, data: bytes) -> Header | None:
    """Return the header at the start of some bytes; None: there is none, or not a whole one."""
    if len(data) < HEADER_BYTES or not data.startswith(identity):
        return None
    [checksum] = _CHECKSUM.unpack_from(data, _HEADER.size)
    if zlib.crc32(data[: _HEADER.size]) != checksum:
        return None
    return Header(*_HEADER.unpack_from(data)[1:])


def is_whole(header: Header, content: bytes) -> bool:
    """Return whether the content of a frame is what was written."""
    return len(content) == header.content_bytes and zlib.crc32(content) == header.checksum


def recorded(header: Header, content: bytes) -> Recorded:
    """Return the entry of a whole frame."""
    workspace, kind, subject, encoding = json.loads(content[: header.text_bytes])
    body = content[header.text_bytes :]
    entry = Entry(workspace, kind, subject, encoding, header.record_count, body)
    return Recorded(header.place, header.received_ns, entry)


def _entry(identity: bytes, place: Place, entry: Entry, received_ns: int) -> bytes:
    return _frame(
        identity,
        FrameKind.ENTRY,
        place,
        received_ns,
        record_count=entry.record_count,
        text=_names(entry),
        body=entry.body,
    )


def _names(entry: Entry) -> bytes:
    return json.dumps([entry.workspace, entry.kind, entry.subject, entry.encoding]).encode()


def _frame(
    identity: bytes,
    kind: FrameKind,
    place: Place,
    at_ns: int,
    *,
    record_count: int = 0,
    text: bytes = b"",
    body: bytes = b"",
) -> bytes:
    checksum = zlib.crc32(body, zlib.crc32(text))
    sizes = (record_count, len(text), len(body))
    header = _HEADER.pack(identity, kind, *place, at_ns, *sizes, checksum)
    return b"".join((header, _CHECKSUM.pack(zlib.crc32(header)), text, body))
