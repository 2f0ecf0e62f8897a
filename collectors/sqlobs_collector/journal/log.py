"""The sequence of journal files; a failed file is replaced by a new one."""

from __future__ import annotations

import logging
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sqlobs_collector.journal import files, frame
from sqlobs_collector.journal.entry import START, Place
from sqlobs_collector.journal.held import HeldSegments
from sqlobs_collector.journal.mark import Mark, MarkFile
from sqlobs_collector.journal.segment import SegmentReader, SegmentWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from sqlobs_collector.journal.entry import Entry

_log = logging.getLogger(__name__)

_HOUR_NS: Final = 3600 * 10**9


class JournalLog:
    """Appends groups of entries; used by one thread at a time.

    A file is appended to by the process that made it, and only as long as nothing went wrong with
    it: then another follows, which says at its beginning how much had been acknowledged. Sequences
    begin again with each file at the microseconds since 1970, or behind the last one if that is
    more: none is ever used twice, even where nothing is left that remembers it.
    """

    def __init__(
        self, directory: Path, *, file_bytes: int, clock_ns: Callable[[], int] = time.time_ns
    ) -> None:
        """Find out what is there; nothing is written yet.

        Args:
            directory: Where the files lie.
            file_bytes: The size from which on a file is followed by another.
            clock_ns: The time.
        """
        self._directory = directory
        self._file_bytes = file_bytes
        self._clock_ns = clock_ns
        self._mark = MarkFile(directory)
        self._segment: SegmentWriter | None = None
        self._is_empty = True
        self.held = HeldSegments(directory)
        mark = self._mark.read()
        self.identity = mark.identity if mark else identity_of(directory)
        self.acknowledged = START
        """The last entry that was acknowledged."""
        self._file = max(map(files.sequence_of, files.segment_names(directory)), default=0)
        """The sequence of the newest file."""
        self._sequence = self._file
        self.resume(_last_place(directory, self.identity))
        if mark is not None:
            self.resume(mark.acknowledged)
            self._file = max(self._file, mark.file)

    def resume(self, place: Place) -> None:
        """Record that a place was acknowledged; new entries come after it."""
        self.acknowledged = max(self.acknowledged, place)
        self._sequence = max(self._sequence, place.sequence)

    def append(self, entries: Sequence[Entry], *, received_ns: int) -> None:
        """Write entries, durably; once more to a new file if that fails.

        Raises:
            OSError: Nothing of it is acknowledged.
        """
        try:
            self._append(self._current(received_ns), entries, received_ns)
        except OSError as error:
            if self._segment is not None:
                _log.warning("journal file %s is abandoned (%s)", self._segment.name, error)
            self._append(self.begin(), entries, received_ns)

    def probe(self) -> None:
        """Write an empty frame to test whether the journal is writable.

        Raises:
            OSError: It cannot.
        """
        try:
            self._probe(self._segment or self.begin())
        except OSError:
            self._probe(self.begin())

    def check(self) -> None:
        """Check that all files are in place; missing ones are written again.

        Raises:
            OSError: A new file cannot be made.
        """
        self._mark.check()
        if self._segment is None:
            self.held.restore()
            return
        try:
            self._segment.check()
        except OSError as error:
            _log.warning("journal file %s is abandoned (%s)", self._segment.name, error)
            self.begin()
        self.held.restore()

    def begin(self) -> SegmentWriter:
        """Begin another file; the one before is not appended to any more.

        Raises:
            OSError: It cannot be made.
        """
        self._leave()
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.remove_unfinished(self._directory)
        sequence = max(self._sequence + 1, self._clock_ns() // 1000)
        place = self.acknowledged._replace(sequence=sequence)
        follows = files.segment_name(self._file) if self._file else ""
        head = frame.opening(self.identity, place, follows=follows, begun_ns=self._clock_ns())
        segment = SegmentWriter(self._directory, files.segment_name(sequence), head=head)
        self._segment, self._is_empty = segment, True
        self._sequence = self._file = sequence
        self._mark.write(Mark(self.identity, self.acknowledged, sequence))
        self._mark.sync()
        self.held.hold(segment)
        return segment

    def rotate(self, name: str) -> None:
        """Begin another file if this one is still appended to, or none is.

        Raises:
            OSError: It cannot be made.
        """
        if self._segment is None or self._segment.name == name:
            self.begin()

    def set_aside(self, name: str) -> Path | None:
        """Move a damaged file, all of which was read, to the quarantine; returns where it is.

        Raises:
            OSError: It cannot be moved.
        """
        if self._segment is not None and self._segment.name == name:
            self.begin()
        self.held.release(name)
        return files.set_aside(self._directory, name)

    def close(self) -> None:
        """Close all files; idempotent."""
        self._segment = None
        self._restore()
        self.held.close()
        self._mark.sync()
        self._mark.close()

    def _current(self, received_ns: int) -> SegmentWriter:
        """Return the file of the hour; never an earlier one, should the clock go back."""
        segment = self._segment
        if segment is None or segment.size >= self._file_bytes:
            return self.begin()
        is_over = files.hour_of(segment.name) < received_ns // _HOUR_NS
        return self.begin() if is_over else segment

    def _append(self, segment: SegmentWriter, entries: Sequence[Entry], received_ns: int) -> None:
        after = self.acknowledged._replace(sequence=self._sequence)
        data, place = frame.group(self.identity, after, entries, received_ns=received_ns)
        self._sequence = place.sequence  # used, even where this fails: it may be on the disk
        segment.append(data)
        self._mark.write(Mark(self.identity, place, self._file))
        self.acknowledged, self._is_empty = place, False

    def _probe(self, segment: SegmentWriter) -> None:
        data = frame.probe(self.identity, self.acknowledged, now_ns=self._clock_ns())
        segment.append(data)

    def _leave(self) -> None:
        segment, self._segment = self._segment, None
        if segment is not None and self._is_empty:
            self.held.release(segment.name)
            with suppress(OSError):
                segment.path.unlink(missing_ok=True)
        elif segment is not None:
            segment.cut()
            self._restore()

    def _restore(self) -> None:
        try:
            self.held.restore()
        except OSError as error:
            _log.warning("cannot restore journal files yet (%s)", error)


def identity_of(directory: Path) -> bytes:
    """Return the identity of the journal in a directory; a new one where nothing tells any.

    Raises:
        OSError: A file cannot be opened.
    """
    mark = MarkFile(directory).read()
    if mark is not None:
        return mark.identity
    found = map(_told_identity, _paths(directory))
    return next(filter(None, found), None) or secrets.token_bytes(frame.IDENTITY_BYTES)


def _told_identity(path: Path) -> bytes | None:
    """Return the identity at the start of a file, if there is a whole frame of that identity."""
    begin = len(frame.PREFIX)
    with path.open("rb") as file:
        identity = file.read(begin + frame.IDENTITY_BYTES)[begin:]
        is_random = len(set(identity)) > frame.IDENTITY_BYTES // 2  # zeros are not
        if is_random and SegmentReader(file.fileno(), identity).next_frame(begin) is not None:
            return identity
    return None


def _last_place(directory: Path, identity: bytes) -> Place:
    """Return how far the files say that the journal went."""
    for path in _paths(directory):
        with path.open("rb") as file:
            header = SegmentReader(file.fileno(), identity).last_header()
        if header is not None:
            return header.place
    return START


def _paths(directory: Path) -> Iterator[Path]:
    """Yield the files of a journal, the newest first."""
    for name in reversed(files.segment_names(directory)):
        yield directory / name
