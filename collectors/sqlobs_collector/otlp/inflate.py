"""Decompression with a bound: a body that would grow beyond it is refused, not inflated."""

from __future__ import annotations

import zlib

from sqlobs_collector.errors import PermanentError, TooLargeError

_GZIP = 16 + zlib.MAX_WBITS


def inflate(body: bytes, *, limit: int) -> bytes:
    """Return the content of a gzip body, of at most `limit` bytes.

    Args:
        body: One or more gzip members.
        limit: The largest content accepted, in bytes; nothing beyond it is ever allocated.

    Raises:
        TooLargeError: The content is larger.
        PermanentError: The body is no gzip stream, or ends early.
    """
    content = b""
    while body:
        member = zlib.decompressobj(_GZIP)
        try:
            content += member.decompress(body, limit + 1 - len(content))
        except zlib.error as error:
            raise PermanentError(f"the body is not gzip: {error}") from error
        if len(content) > limit:
            raise TooLargeError(f"the body is larger than {limit} bytes when decompressed")
        if not member.eof:
            raise PermanentError("the gzip body ends early")
        body = member.unused_data
    return content
