"""The writing end of the journal: one thread, many requests in one commit."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlobs_collector.errors import RetryableError
from sqlobs_collector.journal.log import JournalLog
from sqlobs_collector.journal.room import DISK_FULL, JOURNAL_FULL, Room

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sqlobs_collector.journal.entry import Entry, Place
    from sqlobs_collector.journal.held import HeldSegments
    from sqlobs_collector.journal.room import JournalLimits

    Command = Callable[[], None]

_log = logging.getLogger(__name__)

_JOURNAL_ERROR: Final = "journal_error"
TROUBLES: Final = (DISK_FULL, JOURNAL_FULL, _JOURNAL_ERROR)
"""The reasons why nothing can be written."""
GROUP_COUNT: Final = 256
"""The most requests that share one commit."""
GROUP_BYTES: Final = 16 * 1024**2
_WATCH_INTERVAL_S: Final = 1.0
_PROVEN_S: Final = 2.0
"""For so long, an attempt to write says whether the journal can be written."""
_PATIENCE_S: Final = 3.0
"""How long an attempt may take that is made for `difficulty`."""
_STOPPING: Final = RetryableError("the collector is stopping", reason="stopping")


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
        """Look at what is there.

        Raises:
            OSError: A file cannot be read.
        """
        self._log = JournalLog(directory, file_bytes=limits.file_bytes, clock_ns=clock_ns)
        self._room = Room(directory, limits, self._log.held, clock_ns=clock_ns)
        self._clock_ns = clock_ns
        self._on_commit = on_commit
        self._queue: queue.SimpleQueue[_Waiting | Command] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watched_at = float("-inf")
        self._tried_at = float("-inf")
        self._shortage: RetryableError | None = None
        self._failure: RetryableError | None = None
        self._probe: asyncio.Future[None] | None = None
        self._is_over = False
        self._remarked = ""

    @property
    def identity(self) -> bytes:
        """What the files of this journal have in common with no other."""
        return self._log.identity

    @property
    def acknowledged(self) -> Place:
        """The last entry that was acknowledged."""
        return self._log.acknowledged

    @property
    def trouble(self) -> str | None:
        """The one of `TROUBLES` for which the last attempt failed; None: it did not fail.

        A failed one is repeated each second while no request does so.
        """
        found = self._shortage or self._failure
        return None if found is None else found.reason

    @property
    def held(self) -> HeldSegments:
        """The files that are kept open until they are projected."""
        return self._log.held

    def resume(self, place: Place) -> None:
        """Take notice, before the start, that a place was acknowledged once."""
        self._log.resume(place)

    def start(self) -> None:
        """Begin to write; called on the event loop that will append."""
        self._loop = asyncio.get_running_loop()
        self._watch()
        self._thread = threading.Thread(target=self._work, name="sqlobs-journal")
        self._thread.start()

    async def append(self, entry: Entry) -> None:
        """Store an entry durably.

        Raises:
            RetryableError: The disk or the journal is full, or cannot be written; nothing is kept.
        """
        if self._thread is None or self._loop is None:
            raise _copy(_STOPPING)
        outcome: asyncio.Future[RetryableError | None] = self._loop.create_future()
        self._queue.put(_Waiting(entry, outcome))
        error = await outcome
        if error is not None:  # shared by a group: each request raises its own
            raise _copy(error)

    async def difficulty(self) -> RetryableError | None:
        """Return why nothing can be written; a frame is written where no request did lately."""
        if self._thread is None or self._loop is None:
            return _STOPPING
        if time.monotonic() - self._tried_at >= _PROVEN_S:
            if self._probe is None or self._probe.done():
                self._probe = self._loop.create_future()
                self._queue.put(self._try)
            try:
                await asyncio.wait_for(asyncio.shield(self._probe), _PATIENCE_S)
            except TimeoutError:
                return _failure(f"a write has been blocked for {_PATIENCE_S:g} s")
        return self._shortage or self._failure

    def retire(self, before: str) -> None:
        """Take notice: files whose names sort before this one are projected."""
        self._room.projected_before = before

    def rotate(self, name: str) -> None:
        """Have a file followed by another, if it is still written to; or begin one."""
        self._queue.put(partial(self._attempt, partial(self._rotate, name), is_proof=False))

    def set_aside(self, name: str) -> None:
        """Have a damaged file moved away that was read to its end."""
        self._queue.put(partial(self._set_aside, name))

    def stop(self) -> None:
        """Write what waits, then close the files; idempotent."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(self._end)
            thread.join()

    def _work(self) -> None:
        """Do what is queued until the end is."""
        while not self._is_over:
            try:
                item = self._queue.get(timeout=_WATCH_INTERVAL_S)
            except queue.Empty:
                self._watch()
                if self._failure is not None and self._shortage is None:
                    self._attempt(self._log.probe)
                continue
            command = self._write_group(item) if isinstance(item, _Waiting) else item
            if command is not None:
                command()
        self._log.close()

    def _end(self) -> None:
        self._is_over = True

    def _write_group(self, first: _Waiting) -> Command | None:
        """Write a request and those that wait behind it; returns a command found there."""
        group, command = [first], None
        size = len(first.entry.body)
        while command is None and len(group) < GROUP_COUNT and size < GROUP_BYTES:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                break
            if isinstance(item, _Waiting):
                group.append(item)
                size += len(item.entry.body)
            else:
                command = item
        error = self._write([waiting.entry for waiting in group])
        self._settle(group, error)
        if error is None:
            self._on_commit()
        return command

    def _write(self, entries: Sequence[Entry]) -> RetryableError | None:
        is_due = time.monotonic() - self._watched_at >= _WATCH_INTERVAL_S
        if is_due or self._room.is_used_up:
            self._watch()
        if self._shortage is not None:
            return self._shortage
        received_ns = self._clock_ns()
        self._attempt(lambda: self._log.append(entries, received_ns=received_ns))
        if self._failure is None:
            self._room.take(sum(len(entry.body) for entry in entries))
        return self._failure

    def _settle(self, group: Sequence[_Waiting], error: RetryableError | None) -> None:
        """Tell the requests of a group how it ended, with one wake-up of the event loop."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(_resolve, group, error)

    def _try(self) -> None:
        """Write an empty frame as a probe, then wake up anyone who waits for `difficulty`."""
        self._watch()
        if self._shortage is None:
            self._attempt(self._log.probe)
        if self._loop is not None and self._probe is not None:
            self._loop.call_soon_threadsafe(self._probe.set_result, None)

    def _watch(self) -> None:
        """Look at the files and at the disk: is all where it was, is there room to continue?"""
        self._watched_at = time.monotonic()
        self._attempt(self._log.check, is_proof=False)
        try:
            found = self._room.shortage()
        except OSError as error:
            self._remark(f"journal files cannot be maintained: {error}")
            return
        if found is not None and self._shortage is None:
            _log.error("journal stopped: %s", found)
        if found is None and self._shortage is not None:
            _log.warning("journal resumed: space is available again")
        self._shortage = found

    def _attempt(self, work: Callable[[], object], *, is_proof: bool = True) -> None:
        """Do something that may write; whether that can be done is what `difficulty` tells.

        Args:
            work: What to do.
            is_proof: It always writes: where it succeeds, the journal can be written.
        """
        if is_proof:
            self._tried_at = time.monotonic()
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread must continue
            failure = _failure(str(error))
            if self._failure is None:
                _log.error("%s", failure, exc_info=not isinstance(error, OSError))
            self._failure = failure
        else:
            if is_proof and self._failure is not None:
                _log.warning("journal resumed: writes succeed again")
                self._failure = None

    def _rotate(self, name: str) -> None:
        self._log.rotate(name)
        self._on_commit()  # the beginning of the file tells what the one before lacks

    def _set_aside(self, name: str) -> None:
        try:
            place = self._log.set_aside(name)
        except OSError as error:
            self._remark(f"damaged journal file {name} cannot be moved yet: {error}")
            return
        if place is not None:
            _log.error(
                "journal file %s is damaged or belongs to another journal: moved to %s", name, place
            )

    def _remark(self, message: str) -> None:
        """Log what is tried again and again, once."""
        if message != self._remarked:
            self._remarked = message
            _log.warning("%s", message)


def _failure(what: str) -> RetryableError:
    message = f"the journal cannot be written: {what}"
    return RetryableError(message, reason=_JOURNAL_ERROR, retry_after_s=1)


def _copy(error: RetryableError) -> RetryableError:
    return RetryableError(str(error), reason=error.reason, retry_after_s=error.retry_after_s)


def _resolve(group: Sequence[_Waiting], error: RetryableError | None) -> None:
    for waiting in group:
        if not waiting.outcome.done():  # done: canceled, its client went away
            waiting.outcome.set_result(error)
