"""What a traced call waits for before its caller goes on: an answer that its span needs."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, InvalidStateError, wait
from contextlib import suppress
from typing import Final

LONGEST_S: Final = 90.0
"""Longer than any answer may take: nothing of ours holds the host for ever."""


class Waiting:
    """Something that will be over soon."""

    def __init__(self) -> None:
        self._over: Future[None] = Future()

    def is_over(self) -> None:
        """Let those who wait go on."""
        with suppress(InvalidStateError):  # said before, or given up by an event loop that ended
            self._over.set_result(None)

    def wait(self, timeout_s: float = LONGEST_S) -> None:
        """Block until it is over, or the time is."""
        wait((self._over,), timeout_s)

    async def wait_async(self, timeout_s: float = LONGEST_S) -> None:
        """Wait until it is over, or the time is, without blocking the event loop."""
        if self._over.done():
            return
        try:
            over = asyncio.wrap_future(self._over)
        except RuntimeError:  # another kind of event loop
            from anyio import to_thread

            await to_thread.run_sync(self.wait, timeout_s)
        else:
            await asyncio.wait((over,), timeout=timeout_s)
