"""The last acknowledged entry, in a file next to the journal's directory.

If the end of the journal is truncated or its directory removed, the mark shows how much is lost. It
is written before each acknowledgment, but not synced: it survives a killed process; after a power
loss, the journal, which is synced, is ahead of it.
"""

from __future__ import annotations

import logging
import os
import struct
import zlib
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlobs_collector.datadir import OWNER_ONLY
from sqlobs_collector.journal.entry import Place

if TYPE_CHECKING:
    from pathlib import Path

_log = logging.getLogger(__name__)

_CONTENT: Final = struct.Struct("<16sQQQQ")
_CHECKSUM: Final = struct.Struct("<I")
_SIZE: Final = _CONTENT.size + _CHECKSUM.size


class Mark(NamedTuple):
    """What a mark says."""

    identity: bytes
    """Of the journal."""
    acknowledged: Place
    file: int
    """The sequence of the file that was appended to; 0: there was none."""


class MarkFile:
    """One mark, overwritten in place."""

    def __init__(self, directory: Path) -> None:
        """Set up; the file is next to the journal's directory and is named after it."""
        self._path = directory.with_name(f"{directory.name}.mark")
        self._descriptor = -1
        self._content = b""
        self._has_failed = False

    def read(self) -> Mark | None:
        """Return what the file says; None: there is none, or it is damaged."""
        try:
            data = self._path.read_bytes()[:_SIZE]
        except FileNotFoundError:
            return None
        content = data[: _CONTENT.size]
        if len(data) < _SIZE or _CHECKSUM.pack(zlib.crc32(content)) != data[_CONTENT.size :]:
            _log.warning("%s is damaged and is being rewritten", self._path)
            return None
        identity, sequence, entries, records, file = _CONTENT.unpack(content)
        return Mark(identity, Place(sequence, entries, records), file)

    def write(self, mark: Mark) -> None:
        """Keep a mark; where that fails, only the count of what a damage destroys is lost."""
        content = _CONTENT.pack(mark.identity, *mark.acknowledged, mark.file)
        self._content = content + _CHECKSUM.pack(zlib.crc32(content))
        self._attempt()

    def check(self) -> None:
        """Write the mark again if the file was removed, or says something else."""
        if self._content and not self._is_in_place():
            self.close()
            self._attempt()

    def sync(self) -> None:
        """Make the mark durable, as far as that goes."""
        if self._descriptor >= 0:
            try:
                os.fdatasync(self._descriptor)
            except OSError as error:
                self._failed(error)

    def close(self) -> None:
        """Close the file; idempotent."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _attempt(self) -> None:
        try:
            if self._descriptor < 0:
                self._descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, OWNER_ONLY)
            os.pwrite(self._descriptor, self._content, 0)
            self._has_failed = False
        except OSError as error:
            self._failed(error)

    def _is_in_place(self) -> bool:
        try:
            is_same = os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
            return is_same and os.pread(self._descriptor, _SIZE, 0) == self._content
        except OSError:
            return False

    def _failed(self, error: OSError) -> None:
        if not self._has_failed:
            self._has_failed = True
            _log.warning("cannot write %s (%s): requests are still acknowledged", self._path, error)
