"""Turns: work of our threads that a fork waits for.

A child inherits every lock as it is at the fork, those of modules in progress of being imported
included, but none of the threads that would give them back: it would wait forever.

Tests: `tests/tracing/test_forks.py`.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet

if TYPE_CHECKING:
    from types import TracebackType

FORK_S: Final = 5.0
"""How long a fork waits at most: a thread may be waiting for a server that is away."""
IMPORTS_S: Final = 30.0
"""How long a fork waits for imports at most: they end, if late where the machine is busy, and a
child would keep half a module."""


class ForkGuard:
    """What one thread does as a whole; within it, it may begin `IMPORTS` and no other turn."""

    def __init__(self, *, most_s: float | None = None) -> None:
        self._most_s = most_s
        self._lock = threading.RLock()  # what is done in a turn may itself fork
        _GUARDS.add(self)

    @property
    def most_s(self) -> float:
        """How long a fork waits for its end."""
        return FORK_S if self._most_s is None else self._most_s

    def __enter__(self) -> None:
        """Begin, once no fork is in progress."""
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let forks continue."""
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


_GUARDS: WeakSet[ForkGuard] = WeakSet()

IMPORTS: Final = ForkGuard(most_s=IMPORTS_S)
"""The turn of anyone who imports what is heavy, or does for the first time what imports it."""


class Inherited(Protocol):
    """Holds locks, threads or queues, which in a forked child are the parent's."""

    def forget(self) -> None:
        """Start anew in a forked child."""


_INHERITED: WeakSet[Inherited] = WeakSet()


def forget_in_child(owner: Inherited) -> None:
    """Call `forget` of an object in each forked child."""
    _INHERITED.add(owner)


def _before_fork() -> None:
    started = monotonic()
    # Imports last, as within other turns: a thread that waits for them here could not end its own
    for turn in sorted(_GUARDS, key=lambda turn: turn.most_s):
        turn.wait(max(0.0, started + turn.most_s - monotonic()))


def _in_parent() -> None:
    for turn in list(_GUARDS):
        turn.go_on()


def _in_child() -> None:
    for owner in (*_GUARDS, *_INHERITED):
        owner.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
