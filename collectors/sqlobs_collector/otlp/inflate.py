"""Bounded decompression: a body that would exceed the limit is rejected."""

from __future__ import annotations

import zlib
from typing import Final

from sqlobs_collector.errors import PermanentError, TooLargeError

_GZIP: Final = 16 + zlib.MAX_WBITS
_WINDOW_BYTES: Final = 16 * 1024
"""Input size per decompressor call: it copies the input behind the end of its member."""
_MAX_MEMBERS: Final = 1000
"""Clients send one; each costs time, even if it is empty."""


def inflate(body: bytes, *, limit: int) -> bytes:
    """Return the content of a gzip body, of at most `limit` bytes.

    Args:
        body: One or more gzip members.
        limit: The largest content accepted, in bytes; nothing beyond it is ever allocated.

    Raises:
        TooLargeError: The content is larger.
        PermanentError: The body is not a gzip stream, ends early, or has too many members.
    """
    pieces: list[bytes] = []
    rest, room = memoryview(body), limit
    for _ in range(_MAX_MEMBERS):
        if not rest:
            return b"".join(pieces)
        member = zlib.decompressobj(_GZIP)
        while rest and not member.eof:
            piece, rest = _decompress(member, rest, limit=room + 1)
            room -= len(piece)
            if room < 0:
                raise TooLargeError(f"the body is larger than {limit} bytes when decompressed")
            pieces.append(piece)
        if not member.eof:
            raise PermanentError("the gzip body is truncated")
    raise PermanentError(f"the gzip body has {_MAX_MEMBERS} members or more")


def _decompress(
    member: zlib._Decompress, body: memoryview, *, limit: int
) -> tuple[bytes, memoryview]:
    """Return the content of a body's beginning, of at most `limit` bytes, and what is left."""
    window = body[:_WINDOW_BYTES]
    try:
        piece = member.decompress(window, limit)
    except zlib.error as error:
        raise PermanentError(f"the body is not valid gzip: {error}") from error
    return piece, body[len(window) - len(member.unused_data) :]
