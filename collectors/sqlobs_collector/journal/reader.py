"""The reading end of the journal: entries in the order they were acknowledged, and the gaps."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlobs_collector.journal import frame
from sqlobs_collector.journal.entry import START, Lost, Place, Recorded
from sqlobs_collector.journal.files import segment_name, sequence_of
from sqlobs_collector.journal.frame import FrameKind
from sqlobs_collector.journal.held import HeldSegments
from sqlobs_collector.journal.segment import SegmentReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlobs_collector.journal.frame import Header
    from sqlobs_collector.journal.segment import Frame

_BOOKMARKS: Final = 4


@dataclass(slots=True)
class Reading:
    """The bytes after a position."""

    place: Place
    """How far it goes: what was acknowledged up to there is among the entries, or lost."""
    entries: list[Recorded] = field(default_factory=list)
    lost: Lost = field(default_factory=Lost)
    name: str = ""
    """The file that the place is in; those before it are read to their ends."""
    damaged: list[str] = field(default_factory=list)
    """Files that were read to their ends, and lack something."""
    is_behind: bool = False
    """More was acknowledged than can be found."""
    is_newest_damaged: bool = False
    """The newest file is to be followed by another."""


class _Bookmark(NamedTuple):
    """Where in a file the frames begin that are behind a place."""

    name: str
    place: Place
    offset: int
    revision: int
    """Of the files: in a later one, the frames may lie elsewhere."""


class _Opened(NamedTuple):
    """The file that is read."""

    name: str
    segment: SegmentReader
    revision: int


class JournalReader:
    """Reads beside the writer, from any place, past whatever is damaged."""

    def __init__(
        self,
        directory: Path,
        identity: bytes,
        *,
        held: HeldSegments | None = None,
        acknowledged: Callable[[], Place] | None = None,
    ) -> None:
        """Set up.

        Args:
            directory: Where the files lie.
            identity: Of the journal: what others wrote is not read.
            held: The files that the writer in this process keeps open.
            acknowledged: How far to read, with a writer in this process; else to the end.
        """
        self._identity = identity
        self._held = held or HeldSegments(directory)
        self._acknowledged = acknowledged
        self._bookmarks: deque[_Bookmark] = deque(maxlen=_BOOKMARKS)
        self._open: _Opened | None = None
        self.damaged: set[str] = set()
        """Files that lack something, as far as was read."""

    def names(self) -> list[str]:
        """Return the names of all files, oldest first."""
        return self._held.names()

    def newest(self) -> str:
        """Return the name of the newest file; empty: there is none."""
        return max(self.names(), default="")

    def beginning(self) -> Place:
        """Return the place before the first thing that can be read."""
        for name in self.names():
            opened = self._opened(name)
            found = opened.segment.next_frame(len(frame.PREFIX)) if opened else None
            if found is not None:
                return _before(found.header)
        return START

    def read(self, after: Place, *, limit_bytes: int) -> Reading:
        """Return the next entries, at least one if there are any.

        Args:
            after: The last place already read.
            limit_bytes: The size of bodies at which to stop.

        Raises:
            OSError: A file cannot be opened now.
        """
        # Asked before the files are listed, and these before they are read: what was acknowledged
        # by now is in one of them, and a file that has a successor gets no more entries.
        limit = sys.maxsize if self._acknowledged is None else self._acknowledged().sequence
        names = self.names()
        first = max(0, bisect_right(names, segment_name(after.sequence)) - 1)
        turn = _Turn(Reading(after, name=names[first] if names else ""), limit, limit_bytes)
        for name, following in pairwise([*names[first:], ""]):
            turn.begin(name, upper=sequence_of(following) if following else sys.maxsize)
            self._read_file(name, turn)
            if turn.reading.entries:
                break
        return self._concluded(turn, names)

    def close(self) -> None:
        """Close the file that is open; idempotent."""
        opened, self._open = self._open, None
        if opened is not None:
            opened.segment.close()

    def _read_file(self, name: str, turn: _Turn) -> None:
        opened = self._opened(name)
        if opened is None:
            return
        segment, offset = opened.segment, self._offset(opened, turn.reading.place)
        while not turn.is_full:
            found = segment.next_frame(offset or len(frame.PREFIX))
            if found is not None and turn.is_ahead(found.header):
                break
            if not offset and not _opens(found, name):
                self.damaged.add(name)
            if found is None:
                break
            offset = found.end
            self.damaged.update(turn.take(found))
        self._bookmarks.append(_Bookmark(name, turn.reading.place, offset, opened.revision))

    def _concluded(self, turn: _Turn, names: list[str]) -> Reading:
        self.damaged.intersection_update(names)  # what is gone was moved away
        reading = turn.reading
        is_done = not reading.entries
        reading.is_behind = is_done and reading.place.sequence < turn.limit < sys.maxsize
        reading.is_newest_damaged = reading.is_behind or not self.damaged.isdisjoint(names[-1:])
        reading.damaged = sorted(name for name in self.damaged if name < reading.name)
        return reading

    def _offset(self, opened: _Opened, place: Place) -> int:
        """Return where to begin; 0: at the first frame of a file that was not looked at yet."""
        known = (
            one
            for one in self._bookmarks
            if (one.name, one.revision) == (opened.name, opened.revision) and one.place <= place
        )
        return max((one.offset for one in known), default=0)

    def _opened(self, name: str) -> _Opened | None:
        """Return a file, opened; None: it is gone."""
        if self._open is None or self._open[::2] != (name, self._held.revision):
            self.close()
            try:
                descriptor, revision = self._held.open(name)
            except FileNotFoundError:
                return None
            self._open = _Opened(name, SegmentReader(descriptor, self._identity), revision)
        return self._open


class _Turn:
    """One read: takes frames in their order, and keeps account of what is missing between them."""

    def __init__(self, reading: Reading, limit: int, limit_bytes: int) -> None:
        self.reading = reading
        self.limit = limit
        self._limit_bytes = limit_bytes
        self._size = 0
        self._upper = sys.maxsize
        self._name = ""

    @property
    def is_full(self) -> bool:
        """Whether enough was read."""
        return self._size >= self._limit_bytes

    def begin(self, name: str, *, upper: int) -> None:
        """Go on to a file whose frames are before those of the next."""
        self._name, self._upper = name, upper

    def is_ahead(self, header: Header) -> bool:
        """Return whether a frame is an entry that is not acknowledged yet."""
        return header.kind == FrameKind.ENTRY and header.sequence > self.limit

    def take(self, found: Frame) -> list[str]:
        """Take a frame; returns the file that lacks something, if this shows that one does."""
        header = found.header
        if header.kind == FrameKind.PROBE or header.sequence <= self.reading.place.sequence:
            return []
        if header.sequence >= self._upper:
            return [self._name]
        is_entry = header.kind == FrameKind.ENTRY
        is_short = self._account(_before(header))
        self.reading.place, self.reading.name = header.place, self._name
        if is_entry:
            recorded = frame.recorded(header, found.content)
            self.reading.entries.append(recorded)
            self._size += max(1, len(recorded.entry.body))
        lacking = self._name if is_entry else frame.followed(header, found.content)
        return [lacking] if is_short else []

    def _account(self, before: Place) -> bool:
        """Count what was acknowledged between the place and a frame; say whether that is any."""
        missing = before.entries - self.reading.place.entries
        if missing <= 0:
            return False
        records = max(0, before.records - self.reading.place.records)
        self.reading.lost = self.reading.lost.plus(Lost(missing, records))
        return True


def _before(header: Header) -> Place:
    """Return how far the journal was acknowledged before a frame."""
    if header.kind == FrameKind.ENTRY:
        return Place(header.sequence - 1, header.entries - 1, header.records - header.record_count)
    return header.place._replace(sequence=header.sequence - 1)


def _opens(found: Frame | None, name: str) -> bool:
    """Return whether a file begins as its name says."""
    if found is None or found.header.kind != FrameKind.OPENING:
        return False
    return found.header.sequence == sequence_of(name)
