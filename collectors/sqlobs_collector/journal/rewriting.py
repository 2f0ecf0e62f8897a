"""Rewrites journal files without what was erased; places stay, so that nothing counts as lost."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs_collector.datadir import OWNER_ONLY
from sqlobs_collector.journal import frame
from sqlobs_collector.journal.files import QUARANTINE, quarantined
from sqlobs_collector.journal.frame import FrameKind
from sqlobs_collector.journal.segment import SegmentReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sqlobs_collector.journal.entry import Entry, Recorded
    from sqlobs_collector.journal.held import HeldSegments
    from sqlobs_collector.journal.segment import Frame

_DRAFT: Final = ".erasing.new"


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is left of an entry."""

    entry: Entry
    removed: int
    """Records that are not in it any more."""


class JournalRewriter:
    """Rewrites the files of one journal.

    Args:
        directory: Where they lie.
        identity: Of the journal.
        held: The files that the writer in this process keeps open.
        reduce: Returns what is left of an entry; None: all of it.
    """

    def __init__(
        self,
        directory: Path,
        identity: bytes,
        *,
        held: HeldSegments,
        reduce: Callable[[Recorded], Reduced | None],
    ) -> None:
        self._directory = directory
        self._identity = identity
        self._held = held
        self._reduce = reduce

    def rewrite(self, name: str) -> int:
        """Rewrite a file that nobody appends to any more; return how many records it lost.

        A process that is killed leaves the file as it was, or as it is to be.

        Raises:
            OSError: It cannot be read or written; it is as it was.
        """
        draft = self._directory / _DRAFT
        draft.unlink(missing_ok=True)
        try:
            descriptor, _ = self._held.open(name)
        except FileNotFoundError:
            return 0
        reader = SegmentReader(descriptor, self._identity)
        try:
            removed = self._write(reader, draft)
            if removed:
                self._held.replace(name, draft)
        finally:
            reader.close()
            with suppress(FileNotFoundError):
                draft.unlink()
        return removed

    def delete_damaged(self) -> int:
        """Delete the files of the quarantine, whose records nobody can attribute; return how many.

        Raises:
            OSError: One cannot be deleted.
        """
        found = len(quarantined(self._directory))
        if found:
            shutil.rmtree(self._directory / QUARANTINE)
        return found

    def _write(self, reader: SegmentReader, draft: Path) -> int:
        removed = 0
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        with os.fdopen(os.open(draft, flags, OWNER_ONLY), "wb") as file:
            file.write(frame.PREFIX)
            for found in _frames(reader):
                reduced = self._reduced(found)
                removed += reduced.removed if reduced else 0
                entry = reduced.entry if reduced else None
                file.write(frame.again(self._identity, found.header, found.content, entry))
            file.flush()
            os.fsync(file.fileno())
        return removed

    def _reduced(self, found: Frame) -> Reduced | None:
        if found.header.kind != FrameKind.ENTRY:
            return None
        return self._reduce(frame.recorded(found.header, found.content))


def _frames(reader: SegmentReader) -> Iterator[Frame]:
    found = reader.next_frame(len(frame.PREFIX))
    while found is not None:
        yield found
        found = reader.next_frame(found.end)
