"""The admin port: health and metrics at once, the console when somebody first asks for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from anyio.to_thread import current_default_thread_limiter

from sqlobs_collector.admin.health import ENDPOINTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

_AT_A_TIME: Final = 6
"""Threads that read the store: more would take its connections away from the intake."""


class AdminPort:
    """Answers health and metrics; another application, made at its first use, answers the rest.

    To import and build that one takes half a second and 15 MB: a start need not wait for it.
    """

    def __init__(self, health: ASGIApp, make: Callable[[], ASGIApp]) -> None:
        """Set up.

        Args:
            health: Answers health and metrics.
            make: Returns the application that answers the rest.
        """
        self._health = health
        self._make = make
        self._making = asyncio.Lock()
        self._rest: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["path"] in ENDPOINTS:
            await self._health(scope, receive, send)
            return
        async with self._making:
            if self._rest is None:
                self._rest = await asyncio.to_thread(self._make)
                current_default_thread_limiter().total_tokens = _AT_A_TIME
        await self._rest(scope, receive, send)
