"""Bodies of HTTP responses, read within a size and a time: a server may send forever.

Tests: `tests/telemetry/test_responses.py`.
"""

from __future__ import annotations

import asyncio
import zlib
from time import monotonic
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ResponseError, ResponseTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import httpx

ACCEPTED: Final = {"accept-encoding": "gzip"}
"""The header of a request whose response is read here: what else httpx unpacks has no bound."""

_PACKED: Final = frozenset({"gzip", "deflate"})
_ANY_HEADER: Final = 47
"""zlib's number for: read the header of gzip or of zlib, whichever is there."""


def body_of(response: httpx.Response, *, most_bytes: int, within_s: float) -> bytes:
    """Return the body of a streamed response, unpacked.

    Args:
        response: As `httpx.Client.stream` or a transport gives it, unread.
        most_bytes: Of the body, as sent and as unpacked.
        within_s: Seconds for reading; one more pause of the server may be waited for.

    Raises:
        ResponseTimeoutError: It takes longer.
        ResponseError: The body is larger, or cannot be unpacked.
    """
    content = gathered(response.iter_raw(), most_bytes=most_bytes, within_s=within_s)
    return _unpacked(content, response.headers.get("content-encoding", ""), most_bytes)


async def async_body_of(response: httpx.Response, *, most_bytes: int, within_s: float) -> bytes:
    """Return the body of a streamed response, as `body_of` does, without blocking."""
    content = bytearray()
    try:
        async with asyncio.timeout(within_s):
            async for chunk in response.aiter_raw():
                content += chunk
                _refuse_more(len(content), most_bytes)
    except TimeoutError:
        raise _late(within_s) from None
    return _unpacked(bytes(content), response.headers.get("content-encoding", ""), most_bytes)


def gathered(chunks: Iterable[bytes], *, most_bytes: int, within_s: float) -> bytes:
    """Return chunks as one text.

    Raises:
        ResponseTimeoutError: They take longer.
        ResponseError: They are more than `most_bytes`.
    """
    deadline = monotonic() + within_s
    content = bytearray()
    for chunk in chunks:
        content += chunk
        _refuse_more(len(content), most_bytes)
        if monotonic() > deadline:
            raise _late(within_s)
    return bytes(content)


def _unpacked(content: bytes, encoding: str, most_bytes: int) -> bytes:
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        return content
    if name not in _PACKED:
        raise ResponseError(f"the response is encoded as {name[:20]!r}, which was not requested")
    try:
        plain = zlib.decompressobj(_ANY_HEADER).decompress(content, most_bytes + 1)
    except zlib.error:
        raise ResponseError("the response cannot be decompressed") from None
    _refuse_more(len(plain), most_bytes)
    return plain


def _refuse_more(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise ResponseError(f"the response is larger than {most_bytes:,} bytes")


def _late(within_s: float) -> ResponseTimeoutError:
    return ResponseTimeoutError(f"the response takes longer than {within_s:g} s")
