"""The journal's size limits: projected files are deleted to stay within them."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs_collector.errors import RetryableError
from sqlobs_collector.journal import files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlobs_collector.journal.held import HeldSegments

DISK_FULL: Final = "disk_full"
JOURNAL_FULL: Final = "journal_full"
_FULL_RETRY_S: Final = 3
_HOUR_S: Final = 3600
_LEAST_FILES: Final = 8
"""Minimum number of files in a full journal, so that projected ones can be deleted."""
_LEAST_FILE_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """Maximum size of the journal, and the grace period of projected files."""

    max_bytes: int
    min_free_bytes: int
    grace_s: int = 86_400

    @property
    def file_bytes(self) -> int:
        """The size from which on a file is followed by another: whole files can be deleted."""
        return max(self.max_bytes // _LEAST_FILES, _LEAST_FILE_BYTES)


class Room:
    """Watches a directory against limits."""

    def __init__(
        self,
        directory: Path,
        limits: JournalLimits,
        held: HeldSegments,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._directory = directory
        self._limits = limits
        self._held = held
        self._clock_ns = clock_ns
        self._size_bytes = 0
        self.projected_before = ""
        """Files whose names sort before this one are projected."""

    @property
    def is_used_up(self) -> bool:
        """Whether the journal has reached its size, as far as is known."""
        return self._size_bytes >= self._limits.max_bytes

    def take(self, size: int) -> None:
        """Count bytes that were written since the last look."""
        self._size_bytes += size

    def shortage(self) -> RetryableError | None:
        """Delete files that are no longer needed; return the limit that is exceeded, if any.

        Raises:
            OSError: The directory cannot be read, or a file cannot be deleted.
        """
        self._clean()
        free = shutil.disk_usage(self._directory).free
        if free < self._limits.min_free_bytes:
            return RetryableError(
                f"the disk has {free} bytes free, less than journal.min_free_bytes",
                reason=DISK_FULL,
                retry_after_s=_FULL_RETRY_S,
            )
        if self.is_used_up:
            return RetryableError(
                "the journal has reached journal.max_bytes",
                reason=JOURNAL_FULL,
                retry_after_s=_FULL_RETRY_S,
            )
        return None

    def _clean(self) -> None:
        """Delete projected files: those beyond the grace; the oldest too while room is short."""
        files.trim_quarantine(self._directory, max_bytes=self._limits.max_bytes)
        self._size_bytes = files.size_bytes(self._directory)
        oldest_hour = (self._clock_ns() // 10**9 - self._limits.grace_s) // _HOUR_S
        names = files.segment_names(self._directory)
        for name in names[:-1]:  # the newest may be written to
            if name >= self.projected_before:
                return
            self._held.release(name)
            if self.is_used_up or files.hour_of(name) < oldest_hour:
                self._size_bytes -= files.file_bytes(self._directory, name)
                (self._directory / name).unlink(missing_ok=True)
