"""Locks that `os.fork()` waits for, so that a child never inherits them held.

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
"""Longest wait of a fork: a thread may be waiting for an unreachable server."""
IMPORTS_S: Final = 30.0
"""Longest wait of a fork for imports, which take long on a busy machine; a child would keep a
half-imported module."""


class ForkGuard:
    """A block that a fork does not interrupt; inside it, a thread may enter only `IMPORTS`."""

    def __init__(self, *, most_s: float | None = None) -> None:
        self._most_s = most_s
        self._lock = threading.RLock()  # the block may itself fork
        _GUARDS.add(self)

    @property
    def most_s(self) -> float:
        """Longest wait of a fork for the end of the block, in seconds."""
        return FORK_S if self._most_s is None else self._most_s

    def __enter__(self) -> None:
        """Enter once no fork is in progress."""
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let a waiting fork continue."""
        self.go_on()  # a child that was forked in this block does not hold it any more

    def wait(self, timeout_s: float) -> None:
        """Wait for the end of the block, and keep other threads out."""
        self._lock.acquire(timeout=timeout_s)

    def go_on(self) -> None:
        """Undo `wait`; does nothing if that timed out."""
        with suppress(RuntimeError):
            self._lock.release()

    def forget(self) -> None:
        """Release in a forked child: the thread that holds it is the parent's."""
        self._lock = threading.RLock()


_GUARDS: WeakSet[ForkGuard] = WeakSet()

IMPORTS: Final = ForkGuard(most_s=IMPORTS_S)
"""Held by whoever imports a heavy module, or calls for the first time what imports one."""


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
    # Imports last: a thread inside another guard may be waiting for them
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
