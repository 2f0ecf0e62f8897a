"""Take rows from a cursor until there are no more, or the caps on rows or bytes are reached."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.execution.engines import Emit
    from sqlobs.execution.target import Limits
    from sqlobs.types import Row

_FIRST_ROWS: Final = 64
_MOST_ROWS: Final = 8192
_CHUNK_BYTES: Final = 512 * 1024
"""Chunks grow until they weigh this much: wide rows must not fill the memory."""


def first_count(limits: Limits) -> int:
    """Return how many rows `drain` asks for first."""
    return min(_FIRST_ROWS, limits.max_rows + 1)


def drain(fetch: Callable[[int], list[Row]], *, limits: Limits, emit: Emit) -> tuple[bool, float]:
    """Fetch and emit rows in chunks.

    Args:
        fetch: Returns the next rows, at most as many as asked for; fewer only at the end.
        limits: The caps on rows and bytes.
        emit: Sends each chunk that fits into the bytes left, and returns its size.

    Returns:
        Whether rows were left behind, and the seconds spent in `fetch`.
    """
    left, bytes_left, wanted, spent = limits.max_rows, limits.max_bytes, _FIRST_ROWS, 0.0
    while True:
        started = perf_counter()
        asked = min(wanted, left + 1)  # one row beyond the cap tells that there are more
        rows = fetch(asked)
        spent += perf_counter() - started
        size = emit(rows[:left], bytes_left)
        if size > bytes_left or len(rows) > left:
            return True, spent
        if len(rows) < asked:
            return False, spent
        left -= len(rows)
        bytes_left -= size
        wanted = min(wanted * 4, _MOST_ROWS) if size < _CHUNK_BYTES else max(1, wanted // 2)
