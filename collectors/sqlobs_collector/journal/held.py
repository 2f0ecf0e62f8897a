"""Journal files with unprojected entries, kept open so that deleting one loses nothing."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

from sqlobs_collector.datadir import make_durable
from sqlobs_collector.journal.files import segment_names, set_aside

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs_collector.journal.segment import SegmentWriter

_log = logging.getLogger(__name__)


class HeldSegments:
    """Filled and emptied by the writer's thread, read from by the projector's."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._segments: dict[str, SegmentWriter] = {}
        self.revision = 0
        """How often a file was replaced: what is known of an older one says nothing of a newer."""

    def hold(self, segment: SegmentWriter) -> None:
        """Keep a file open."""
        with self._lock:
            self._segments[segment.name] = segment

    def release(self, name: str) -> None:
        """Close a file; one that is not held is left alone."""
        with self._lock:
            segment = self._segments.pop(name, None)
        if segment is not None:
            segment.close()

    def names(self) -> list[str]:
        """Return the names of the journal's files, oldest first: those of deleted ones, too."""
        with self._lock:
            return sorted({*self._segments, *segment_names(self._directory)})

    def held_names(self) -> list[str]:
        """Return the names of the files that are held, oldest first."""
        with self._lock:
            return sorted(self._segments)

    def open(self, name: str) -> tuple[int, int]:
        """Return a descriptor of its own for a file, and the revision that it belongs to.

        Raises:
            OSError: It cannot be opened, or is gone.
        """
        with self._lock:
            if name in self._segments:
                return os.dup(self._segments[name].descriptor), self.revision
            return os.open(self._directory / name, os.O_RDONLY), self.revision

    def replace(self, name: str, draft: Path) -> None:
        """Let a file take the place of another that nobody appends to any more.

        Raises:
            OSError: It cannot be opened or renamed; the other is as it was.
        """
        with self._lock:
            if name in self._segments:
                self._segments[name].replace(draft)
            elif (self._directory / name).exists():
                draft.rename(self._directory / name)
            else:  # it was no longer needed, and deleted meanwhile
                draft.unlink()
            make_durable(self._directory)
            self.revision += 1

    def restore(self) -> None:
        """Write files again that somebody removed or replaced.

        Raises:
            OSError: There is no room, or the directory cannot be written.
        """
        with self._lock:
            for segment in self._segments.values():
                if not segment.is_in_place:
                    self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                    set_aside(self._directory, segment.name)  # another file of that name
                    segment.restore()
                    _log.error("journal file %s was removed and is being restored", segment.name)

    def close(self) -> None:
        """Close all files."""
        for name in self.held_names():
            self.release(name)
