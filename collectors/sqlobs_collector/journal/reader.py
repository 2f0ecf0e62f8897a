"""The reading end of the journal: entries in the order of their acknowledgement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs_collector.journal import segment
from sqlobs_collector.journal.entry import Position

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs_collector.journal.entry import Recorded

START: Final = Position("", 0)
"""Before the first entry."""


class JournalReader:
    """Reads beside the writer, from any position."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def newest(self) -> str:
        """Return the name of the newest file; empty: there is none."""
        return max(segment.segment_names(self._directory), default="")

    def read(self, after: Position, *, limit_bytes: int) -> list[Recorded]:
        """Return the next entries, at least one if there are any; empty at the end.

        Args:
            after: The last position already read.
            limit_bytes: The size of bodies at which to stop.
        """
        # Listed before the read: a file that has a successor then gets no more entries.
        names = segment.segment_names(self._directory)
        for name in (name for name in names if name >= after.segment):
            entry_id = after.entry_id if name == after.segment else 0
            found = segment.read(self._directory, Position(name, entry_id), limit_bytes=limit_bytes)
            if entries := list(found):
                return entries
        return []
