"""One file of the journal: appended to by one writer, read by descriptor from any offset."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlobs_collector.datadir import OWNER_ONLY, make_durable
from sqlobs_collector.journal import frame
from sqlobs_collector.journal.files import unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlobs_collector.journal.frame import Header

_CHUNK_BYTES: Final = 256 * 1024


class DamagedError(OSError):
    """A file is not the one that was written: removed, replaced or cut by somebody else."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(errno.ESTALE, f"{name} was {what} while it was in use")


class SegmentWriter:
    """Appends to a file of its own; what it appended is on the disk when `append` returns."""

    def __init__(self, directory: Path, name: str, *, head: bytes) -> None:
        """Make the file; it has its name only once its head is durable.

        Raises:
            OSError: It cannot be made; nothing is left of it.
        """
        self.name = name
        self.path = directory / name
        self.size = len(head)
        draft = unfinished(self.path)
        self.descriptor = _create(draft)
        try:
            _write(self.descriptor, head)
            os.fsync(self.descriptor)
            draft.rename(self.path)
            make_durable(directory)
        except OSError:
            self.close()
            for path in (draft, self.path):
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            raise

    def append(self, data: bytes) -> None:
        """Write frames, durably, and make sure that they are where they will be looked for.

        Raises:
            OSError: They must not be acknowledged; the file must not be appended to again.
        """
        _write(self.descriptor, data)
        os.fdatasync(self.descriptor)
        self._check(self.size + len(data))
        self.size += len(data)

    def check(self) -> None:
        """Make sure that the file is what was written, as far as its name and its size tell.

        Raises:
            DamagedError: It was removed, replaced or cut.
        """
        self._check(self.size)

    @property
    def is_in_place(self) -> bool:
        """Whether the name still leads to this file."""
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self.descriptor))
        except FileNotFoundError:
            return False

    def cut(self) -> None:
        """Give back the room of what was not acknowledged, as far as that goes."""
        with suppress(OSError):
            if os.fstat(self.descriptor).st_size > self.size:
                os.ftruncate(self.descriptor, self.size)

    def replace(self, draft: Path) -> None:
        """Let a file take the place of this one, under its name and for everybody who reads it.

        Raises:
            OSError: It cannot be opened or renamed; this file is as it was.
        """
        descriptor = os.open(draft, os.O_RDWR | os.O_APPEND)
        try:
            draft.rename(self.path)
            os.dup2(descriptor, self.descriptor, inheritable=False)
            self.size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)

    def restore(self) -> None:
        """Write the file again under its name, out of what the descriptor still holds.

        Raises:
            OSError: There is no room, or the directory cannot be written.
        """
        draft = unfinished(self.path)
        target = _create(draft)
        try:
            for offset in range(0, self.size, _CHUNK_BYTES):
                length = min(_CHUNK_BYTES, self.size - offset)
                _write(target, os.pread(self.descriptor, length, offset))
            os.fsync(target)
            draft.rename(self.path)
            make_durable(self.path.parent)
            os.dup2(target, self.descriptor, inheritable=False)
        finally:
            os.close(target)

    def close(self) -> None:
        """Close the file; idempotent."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _check(self, size: int) -> None:
        found = os.fstat(self.descriptor).st_size
        if found != size:
            raise DamagedError(self.name, "cut" if found < size else "written to")
        if not self.is_in_place:
            raise DamagedError(self.name, "replaced" if self.path.exists() else "removed")


class Frame(NamedTuple):
    """A whole frame, and where the next begins."""

    header: Header
    content: bytes
    end: int


class SegmentReader:
    """Finds the whole frames of a file, past whatever is damaged."""

    def __init__(self, descriptor: int, identity: bytes) -> None:
        self._descriptor = descriptor
        self._identity = identity

    def next_frame(self, offset: int) -> Frame | None:
        """Return the first whole frame at or behind an offset; None: there is none, or none yet."""
        return next(self._frames(offset), None)

    def last_header(self) -> Header | None:
        """Return the last header; its content may be damaged: it was written anyway."""
        offset, last = len(frame.PREFIX), None
        while True:
            header = self._header(offset)
            if header is None:
                found = self._find(offset + 1)
                if found is None:
                    return last
                offset = found
            else:
                offset, last = offset + frame.HEADER_BYTES + header.content_bytes, header

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)

    def _frames(self, offset: int) -> Iterator[Frame]:
        at: int | None = offset
        while at is not None:
            if (found := self._frame(at)) is not None:
                yield found
            at = self._find(at + 1)

    def _frame(self, offset: int) -> Frame | None:
        header = self._header(offset)
        if header is None:
            return None
        begin = offset + frame.HEADER_BYTES
        content = self._read(header.content_bytes, begin)
        if not frame.is_whole(header, content):
            return None
        return Frame(header, content, begin + len(content))

    def _header(self, offset: int) -> Header | None:
        return frame.parse_header(self._identity, self._read(frame.HEADER_BYTES, offset))

    def _find(self, offset: int) -> int | None:
        """Return where the identity stands next; it may lie across two chunks."""
        size = os.fstat(self._descriptor).st_size
        for begin in range(offset, size, _CHUNK_BYTES - frame.IDENTITY_BYTES + 1):
            at = self._read(_CHUNK_BYTES, begin).find(self._identity)
            if at >= 0:
                return begin + at
        return None

    def _read(self, length: int, offset: int) -> bytes:
        """Read; what the disk cannot give any more is damaged, like what is wrong."""
        try:
            return os.pread(self._descriptor, length, offset)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return b""


def _create(path: Path) -> int:
    flags = os.O_CREAT | os.O_TRUNC | os.O_RDWR | os.O_APPEND
    return os.open(path, flags, OWNER_ONLY)


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
