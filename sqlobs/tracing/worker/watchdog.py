"""Expires tasks whose deadline has passed. Tests: `tests/tracing/test_background_worker.py`."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Final

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from sqlobs.tracing.worker.task import Task

COLD_S: Final = 10.0
"""Longest additional wait while the checker is loading, once per process."""
_ROUND_S: Final = 0.25
"""Least time between two looks, so that a busy service does not wake the thread for each task."""


class Watchdog:
    """A thread that expires tasks at their deadline, while the worker is busy with others."""

    def __init__(self, deadline_s: float, *, is_warm: Callable[[], bool]) -> None:
        self._deadline_s = deadline_s
        self._is_warm = is_warm
        self._watched: deque[tuple[float, Task]] = deque()
        self._wake = threading.Event()
        self._lock = threading.Lock()  # guards the start of the thread
        self._thread: threading.Thread | None = None
        self._is_parked = True
        self.is_held = False
        """No thread is started before `release`."""
        self._is_stopped = False
        self._cold_until = 0.0
        """Tasks that waited for the checker to load get their full time after that."""

    def watch(self, task: Task) -> None:
        """Expire a task at its deadline; harmless if it is done by then."""
        self._watched.append((monotonic() + self._deadline_s, task))
        if self._is_parked and not self.is_held:
            self._unpark()

    def release(self) -> None:
        """Start the thread, so that the first task does not wait for it."""
        self.is_held = False
        self._unpark()

    def _unpark(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                thread = threading.Thread(target=self._run, name="sqlobs-watchdog", daemon=True)
                thread.start()
                self._thread = thread
        self._wake.set()

    def stop(self) -> None:
        """Expire nothing more."""
        self._is_stopped = True
        self._wake.set()

    def _run(self) -> None:
        while not self._is_stopped:
            self._is_parked = True
            if not self._watched:
                self._wake.wait()
            self._is_parked = False
            self._wake.clear()
            self._expire_due()

    def _expire_due(self) -> None:
        while self._watched and not self._is_stopped:
            due, task = self._watched[0]
            now = monotonic()
            if not self._is_warm() and now - due < COLD_S:
                self._cold_until = now + self._deadline_s
            pause = max(due, self._cold_until) - now
            if pause > 0:
                self._wake.wait(max(pause, _ROUND_S))
                self._wake.clear()
                continue
            self._watched.popleft()
            with INTERNAL_ERRORS.contained("watchdog"):
                task.expire()
