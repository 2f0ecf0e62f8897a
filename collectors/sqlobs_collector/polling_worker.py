"""A stage's thread: repeats a piece of work with waits, and can be woken and stopped."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger(__name__)

AT_ONCE: Final = 0.0
"""Returned by a poll if there is more to do."""
_RETRY_S: Final = 1.0
_TICK_S: Final = 0.1
_GRACE_S: Final = 2.0
"""How long a poll that only reads may take at the stop."""
T = TypeVar("T")


class PollingWorker:
    """Calls a poll function repeatedly; a failed poll is logged and retried.

    Args:
        name: The thread's, and what the log calls the work.
        poll: Does a piece of work; returns the seconds to wait before the next, `AT_ONCE` if there
            is more.
        drain_s: How long polls continue after `stop`, while they return `AT_ONCE`; 0 = the running
            poll is the last.
        only_reads: A poll that takes longer at the stop is left behind: it ends with the process.
    """

    def __init__(
        self,
        name: str,
        poll: Callable[[], float],
        *,
        drain_s: float = 0.0,
        only_reads: bool = False,
    ) -> None:
        self._name = name
        self._poll = poll
        self._drain_s = drain_s
        self._only_reads = only_reads
        self._wake = threading.Event()
        self._stop_by: float | None = None
        self._thread: threading.Thread | None = None
        self._complaint: str | None = None
        """Why the last poll failed, as it was logged."""

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stop_by is not None

    def start(self) -> None:
        """Begin to work."""
        self._thread = threading.Thread(
            target=self._follow, name=f"sqlobs-{self._name}", daemon=self._only_reads
        )
        self._thread.start()

    def notify(self) -> None:
        """End the wait: there is work."""
        self._wake.set()

    def stop(self) -> None:
        """Drain for at most `drain_s`, then stop; idempotent, also if never started."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stop_by = time.monotonic() + self._drain_s
            self._wake.set()
            thread.join(_GRACE_S if self._only_reads else None)

    async def finish(self, tasks: set[asyncio.Task[T]], *, grace_s: float) -> None:
        """Wait for what a turn has begun; once the stage is to stop, not for longer than a grace.

        Raises:
            Exception: That of a task that failed. The others are canceled, then as at the stop.
        """
        left, stop_by = tasks, float("inf")
        try:
            while left and time.monotonic() < stop_by:
                done, left = await asyncio.wait(left, timeout=_TICK_S)
                for task in done:
                    task.result()
                if self.is_stopping:
                    stop_by = min(stop_by, time.monotonic() + grace_s)
        finally:
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def _follow(self) -> None:
        while True:
            pause_s = self._poll_safely()
            if self._stop_by is None:
                if pause_s > AT_ONCE:
                    self._wake.wait(pause_s)
                    self._wake.clear()
            elif pause_s > AT_ONCE or not self._drain_s:
                return
            elif time.monotonic() >= self._stop_by:
                _log.warning(
                    "%s stopped with work left; it continues after the next start", self._name
                )
                return

    def _poll_safely(self) -> float:
        try:
            pause_s = self._poll()
        except DBAPIError as error:  # the server says what is wrong
            self._complain(str(error.orig).partition("\n")[0])  # further lines quote values
            return _RETRY_S
        except Exception:  # noqa: BLE001 - nothing is lost: try again, do not end
            _log.exception("%s failed and will be retried", self._name)
            return _RETRY_S
        if self._complaint is not None:
            _log.warning("%s works again", self._name)
            self._complaint = None
        return pause_s

    def _complain(self, reason: str) -> None:
        """Say once why the poll fails, however long it does."""
        if reason != self._complaint:
            _log.error("%s failed and will be retried: %s", self._name, reason)
            self._complaint = reason
