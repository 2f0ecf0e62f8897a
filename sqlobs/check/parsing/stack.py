"""Threads with a stack of their own, so that deep SQL cannot kill the process.

Compiled sqlglot has no stack check: in a thread with a small stack, deep nesting is a
segmentation fault instead of a RecursionError.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, Generic, TypeVar

STACK_BYTES: Final = 16 * 1024 * 1024
INLINE_DEPTH: Final = 16
"""Deepest nesting that is parsed on the caller's own stack: a level uses up to 3.7 KB of it."""
INLINE_TOKENS: Final = 256
"""Longest statement that is parsed on the caller's own stack: a chain (`1 + 1 + 1`) nests without
parentheses, once per operator."""
MOST_LEVELS: Final = 64
"""Recursion depth of compiled code that fits any stack."""

MOST_IDLE: Final = 4
"""Threads that stay for the next deep statement: handing it over takes 0.03 ms, a start 0.15 ms."""

T = TypeVar("T")


def start_on_big_stack(target: Callable[[], None], *, name: str) -> threading.Thread:
    """Start a daemon thread with a 16 MB stack."""

    def run() -> None:
        _here.is_big = True
        target()

    thread = threading.Thread(target=run, name=name, daemon=True)
    with _starting:  # threading.stack_size is process-wide: set, start, restore as one step
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def on_big_stack(work: Callable[[], T]) -> T:
    """Run `work` on a thread with a 16 MB stack and return what it returns or raises."""
    if getattr(_here, "is_big", False):
        return work()
    return _residents.run(work)


class _Job(Generic[T]):
    """Work that a thread waits for."""

    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.result: T
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()

    def run(self) -> None:
        try:
            self.result = self.work()
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread
            self.error = error


class _Residents:
    """Threads with a big stack. Up to `MOST_IDLE` of them stay when nobody needs them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[_Job[Any]] = SimpleQueue()
        self._idle = 0

    def run(self, work: Callable[[], T]) -> T:
        job = _Job(work)
        with self._lock:
            is_taken = self._idle > 0
            self._idle -= is_taken
        if not is_taken:
            start_on_big_stack(self._serve, name="sqlobs-deep-check")
        self._jobs.put(job)
        job.done.acquire()
        if job.error is not None:
            raise job.error
        return job.result

    def _serve(self) -> None:
        stays = True
        while stays:
            job = self._jobs.get()
            job.run()
            with self._lock:
                stays = self._idle < MOST_IDLE
                self._idle += stays
            done = job.done
            del job  # an idle thread keeps no statement alive
            done.release()


def on_stack_for(levels: int, work: Callable[[], T]) -> T:
    """Run `work` here, or on a thread with a 16 MB stack if it may recurse deeply."""
    return work() if levels <= MOST_LEVELS else on_big_stack(work)


def is_deep_text(sql: str) -> bool:
    """Return whether parentheses and brackets nest deeper than `INLINE_DEPTH`, from the text alone.

    Cheap enough for a request thread. Those in literals and comments count too, so a shallow
    statement may be reported as deep; the check itself measures again on tokens.
    """
    if sql.count("(") + sql.count("[") + sql.count("{") <= INLINE_DEPTH:
        return False
    depth = 0
    for character in sql:
        if character in "([{":
            depth += 1
            if depth > INLINE_DEPTH:
                return True
        elif character in ")]}" and depth:
            depth -= 1
    return False


def _renew() -> None:
    """Make anew what a fork's child cannot use: threads of its parent, and locks that they held."""
    global _starting, _residents  # noqa: PLW0603
    _starting = threading.Lock()
    _residents = _Residents()


_here = threading.local()
_starting: threading.Lock
_residents: _Residents
_renew()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
