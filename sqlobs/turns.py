"""Turns: work of our threads that a fork waits for.

A child inherits every lock as it is at the fork, those of modules under way of being imported
included, but none of the threads that would give them back: it would wait for ever.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

if TYPE_CHECKING:
    from types import TracebackType

FORK_S: Final = 5.0
"""How long a fork waits at most: a thread may be waiting for a server that is away."""


class Turn:
    """What one thread does as a whole; it holds no other turn meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # what is done in a turn may itself fork
        _TURNS.add(self)

    def __enter__(self) -> None:
        """Begin, once no fork is under way."""
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let forks go on."""
        self.go_on()  # not held any more in a child that was forked in this turn

    def wait(self, timeout_s: float) -> None:
        """Wait for the end of what is done, and keep the next from beginning."""
        self._lock.acquire(timeout=timeout_s)

    def go_on(self) -> None:
        """Take back `wait`; harmless where it gave up."""
        with suppress(RuntimeError):
            self._lock.release()

    def forget(self) -> None:
        """Be nobody's: the thread is the parent's."""
        self._lock = threading.RLock()


_TURNS: WeakSet[Turn] = WeakSet()


def _before_fork() -> None:
    until = monotonic() + FORK_S
    for turn in list(_TURNS):
        turn.wait(max(0.0, until - monotonic()))


def _in_parent() -> None:
    for turn in list(_TURNS):
        turn.go_on()


def _in_child() -> None:
    for turn in list(_TURNS):
        turn.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
