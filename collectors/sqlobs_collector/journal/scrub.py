"""Scrubs files that are already projected, to find damage before they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs_collector.journal.entry import Place
    from sqlobs_collector.journal.reader import JournalReader

_PART_BYTES: Final = 4 * 1024**2


class Scrub:
    """Reads every file once, a part at a time."""

    def __init__(self, reader: JournalReader) -> None:
        """Set up; the reader is used for nothing else."""
        self._reader = reader
        self._place: Place | None = None

    def look(self, *, before: str) -> list[str]:
        """Read some more; returns the files that turn out to be damaged.

        Args:
            before: The file from which on there is no need to look: it is being read anyway.
        """
        place = self._reader.beginning() if self._place is None else self._place
        reading = self._reader.read(place, limit_bytes=_PART_BYTES)
        self._place = reading.place
        return [name for name in reading.damaged if name < before]

    def close(self) -> None:
        """Close the file that is open; idempotent."""
        self._reader.close()
