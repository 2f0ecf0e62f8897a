"""What happens once, whichever thread comes first, and a signal to wait for it.

Tests: `tests/tracing/test_background_worker.py`, `test_fallback.py` and `test_handles.py`.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, InvalidStateError, wait
from contextlib import suppress
from time import perf_counter
from typing import Final

LONGEST_S: Final = 90.0
"""Longer than any answer may take: we never block the host for ever."""


class CompletionSignal:
    """Set once; every wait has a timeout."""

    def __init__(self) -> None:
        self._done: Future[None] = Future()
        self.since_s = perf_counter()

    def set(self) -> None:
        """Wake all who wait; safe to call twice."""
        with suppress(InvalidStateError):  # already set, or canceled by an event loop that ended
            self._done.set_result(None)

    def wait(self, timeout_s: float = LONGEST_S) -> None:
        """Block until the signal is set, or the time is up."""
        wait((self._done,), timeout_s)

    async def wait_async(self, timeout_s: float = LONGEST_S) -> None:
        """Wait as `wait` does, without blocking the event loop."""
        if self._done.done():
            return
        try:
            done = asyncio.wrap_future(self._done)
        except RuntimeError:  # an event loop other than asyncio's
            from anyio import to_thread

            await to_thread.run_sync(self.wait, timeout_s)
        else:
            await asyncio.wait((done,), timeout=timeout_s)


def wait_for(signal: CompletionSignal | None, timeout_s: float = LONGEST_S) -> None:
    """Block until a signal is set, or the time is up; None is nothing to wait for."""
    if signal is not None:
        signal.wait(timeout_s)


async def wait_for_async(signal: CompletionSignal | None, timeout_s: float = LONGEST_S) -> None:
    """Wait as `wait_for` does, without blocking the event loop."""
    if signal is not None:
        await signal.wait_async(timeout_s)


Todo = list[str]


def once(todo: Todo, step: str) -> bool:
    """Claim a step; False where another caller already has."""
    try:
        todo.remove(step)
    except ValueError:
        return False
    return True
