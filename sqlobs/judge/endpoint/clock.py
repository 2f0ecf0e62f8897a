"""The clock of the judge's limits, replaceable so that tests need not wait."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Tells time and waits."""

    def now(self) -> float:
        """Return monotonic seconds."""
        ...

    def day(self) -> str:
        """Return the current UTC day as `2026-01-31`."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return time.monotonic()

    def day(self) -> str:
        """Return the current UTC day."""
        return time.strftime("%Y-%m-%d", time.gmtime())

    async def sleep(self, seconds: float) -> None:
        """Wait on the event loop."""
        await asyncio.sleep(seconds)
