"""Requests to a backend, whose responses are read within a size and a time."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ResponseError
from sqlobs.responses import ACCEPTED, async_body_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

NOT_SERVED: Final = frozenset({404, 405, 501})
"""The backend has no endpoint for a signal: Phoenix accepts traces only."""
_MOST_BYTES: Final = 64 * 1024
"""Read only so that the connection can be used again; the status alone tells the outcome."""


async def post(
    client: httpx.AsyncClient, url: str, body: bytes, headers: Mapping[str, str], *, within_s: float
) -> httpx.Response:
    """Post a request and return the response, its status and headers read.

    Raises:
        httpx.HTTPError: The request failed.
        TimeoutError: The response did not arrive in time.
    """
    async with (
        asyncio.timeout(2 * within_s),  # the client's own limit is for each packet
        client.stream("POST", url, content=body, headers={**ACCEPTED, **headers}) as response,
    ):
        with suppress(ResponseError):
            await async_body_of(response, most_bytes=_MOST_BYTES, within_s=within_s)
    return response
