"""The writing end of the journal: one thread, many requests in one commit."""

from __future__ import annotations

import asyncio
import logging
import queue
import shutil
import sqlite3
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs_collector.errors import RetryableError
from sqlobs_collector.journal import segment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sqlobs_collector.journal.entry import Entry

_log = logging.getLogger(__name__)

GROUP_COUNT: Final = 256
"""The most requests that share one commit."""
GROUP_BYTES: Final = 16 * 1024**2
_WATCH_INTERVAL_S: Final = 1.0
_FULL_RETRY_S: Final = 3
_LEAST_FILES: Final = 8
"""So many share the room of a full journal at least: projected ones can be deleted."""
_LEAST_FILE_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """How much room the journal may take, and how long projected files stay."""

    max_bytes: int
    min_free_bytes: int
    grace_s: int = 86_400

    @property
    def file_bytes(self) -> int:
        """The size from which on a file is followed by another: whole files can be deleted."""
        return max(self.max_bytes // _LEAST_FILES, _LEAST_FILE_BYTES)


@dataclass(frozen=True, slots=True)
class _Waiting:
    entry: Entry
    outcome: asyncio.Future[RetryableError | None]


class JournalWriter:
    """Appends entries; `append` returns when its entry is on the disk."""

    def __init__(
        self,
        directory: Path,
        *,
        limits: JournalLimits,
        clock_ns: Callable[[], int] = time.time_ns,
        on_commit: Callable[[], None] = lambda: None,
    ) -> None:
        self._directory = directory
        self._limits = limits
        self._clock_ns = clock_ns
        self._on_commit = on_commit
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._segment: segment.SegmentWriter | None = None
        self._watched_at = float("-inf")
        self._shortage: RetryableError | None = None
        self._size_bytes = 0
        self._file_bytes = 0
        self._projected_before = ""

    @property
    def shortage(self) -> RetryableError | None:
        """Why nothing can be written now, if so."""
        return self._shortage

    def start(self) -> None:
        """Begin to write; called on the event loop that will append."""
        self._loop = asyncio.get_running_loop()
        self._watch()
        self._thread = threading.Thread(target=self._write_forever, name="sqlobs-journal")
        self._thread.start()

    async def append(self, entry: Entry) -> None:
        """Store an entry durably.

        Raises:
            RetryableError: The disk or the journal is full, or cannot be written; nothing is kept.
        """
        if self._thread is None or self._loop is None:
            raise RetryableError("the collector is stopping", reason="stopping")
        outcome: asyncio.Future[RetryableError | None] = self._loop.create_future()
        self._queue.put(_Waiting(entry, outcome))
        error = await outcome
        if error is not None:  # shared by a group: each request raises its own
            raise RetryableError(str(error), reason=error.reason, retry_after_s=error.retry_after_s)

    def retire(self, before: str) -> None:
        """Take notice: files whose names sort before this one are projected."""
        self._projected_before = before

    def stop(self) -> None:
        """Write what waits, then close the file; idempotent."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _write_forever(self) -> None:
        while True:
            try:
                first = self._queue.get(timeout=_WATCH_INTERVAL_S)
            except queue.Empty:
                self._watch()
                continue
            if first is None:
                break
            group = self._group(first)
            error = self._write([waiting.entry for waiting in group])
            self._settle(group, error)
            if error is None:
                self._on_commit()
        if self._segment is not None:
            self._segment.close()

    def _group(self, first: _Waiting) -> list[_Waiting]:
        """Return a request and those that wait behind it, up to the size of a group."""
        group = [first]
        size = len(first.entry.body)
        while len(group) < GROUP_COUNT and size < GROUP_BYTES:
            try:
                waiting = self._queue.get_nowait()
            except queue.Empty:
                break
            if waiting is None:
                self._queue.put(None)  # the end, for the loop to find
                break
            group.append(waiting)
            size += len(waiting.entry.body)
        return group

    def _write(self, entries: Sequence[Entry]) -> RetryableError | None:
        is_due = time.monotonic() - self._watched_at >= _WATCH_INTERVAL_S
        is_large = self._file_bytes >= self._limits.file_bytes
        if is_due or is_large or self._size_bytes >= self._limits.max_bytes:
            self._watch()
        if self._shortage is not None:
            return self._shortage
        received_ns = self._clock_ns()
        try:
            self._current(received_ns).append(entries, received_ns=received_ns)
        except (sqlite3.Error, OSError) as error:
            _log.exception("journal cannot be written")
            self._watched_at = float("-inf")
            return RetryableError(
                f"the journal cannot be written: {error}", reason="journal_error", retry_after_s=1
            )
        written = sum(len(entry.body) for entry in entries)
        self._size_bytes += written
        self._file_bytes += written
        return None

    def _current(self, received_ns: int) -> segment.SegmentWriter:
        """Return the file of the hour; never an earlier one, should the clock go back."""
        name = segment.segment_name(received_ns)
        if self._segment is None:
            name = max([name, *segment.segment_names(self._directory)[-1:]])
        elif name <= self._segment.name:
            return self._segment
        return self._begin(name)

    def _begin(self, name: str) -> segment.SegmentWriter:
        if self._segment is not None:
            self._segment.close()
            self._segment = None
        self._segment = segment.SegmentWriter(self._directory, name)
        self._file_bytes = 0
        return self._segment

    def _settle(self, group: Sequence[_Waiting], error: RetryableError | None) -> None:
        """Tell the requests of a group how it ended, with one wake-up of the event loop."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(_resolve, group, error)

    def _watch(self) -> None:
        """Look at the disk: is there room to go on?"""
        self._watched_at = time.monotonic()
        try:
            self._rotate()
            self._clean()
        except (OSError, sqlite3.Error):
            _log.exception("journal files cannot be rotated or deleted")
        found = self._find_shortage()
        if found is not None and self._shortage is None:
            _log.error("journal stopped: %s", found)
        if found is None and self._shortage is not None:
            _log.warning("journal goes on: there is room again")
        self._shortage = found

    def _rotate(self) -> None:
        """Begin another file once the newest is large: it can be deleted when it is projected."""
        for newest in segment.segment_names(self._directory)[-1:]:
            if segment.file_bytes(self._directory, newest) >= self._limits.file_bytes:
                self._begin(segment.successor(newest))

    def _clean(self) -> None:
        """Delete projected files: those beyond the grace; the oldest too while room is short."""
        names = segment.segment_names(self._directory)
        self._size_bytes = segment.size_bytes(self._directory)
        oldest_ns = self._clock_ns() - self._limits.grace_s * 10**9
        for name in names[:-1]:  # the newest may be written to
            is_over = self._size_bytes >= self._limits.max_bytes
            is_old = segment.segment_end_ns(name) < oldest_ns
            if name >= self._projected_before or not (is_over or is_old):
                return
            segment.unlink(self._directory, name)
            self._size_bytes = segment.size_bytes(self._directory)

    def _find_shortage(self) -> RetryableError | None:
        free = shutil.disk_usage(self._directory).free
        if free < self._limits.min_free_bytes:
            return RetryableError(
                f"the disk has {free} bytes free, less than journal.min_free_bytes",
                reason="disk_full",
                retry_after_s=_FULL_RETRY_S,
            )
        if self._size_bytes >= self._limits.max_bytes:
            return RetryableError(
                "the journal has reached journal.max_bytes",
                reason="journal_full",
                retry_after_s=_FULL_RETRY_S,
            )
        return None


def _resolve(group: Sequence[_Waiting], error: RetryableError | None) -> None:
    for waiting in group:
        if not waiting.outcome.done():  # done: cancelled, its client went away
            waiting.outcome.set_result(error)
