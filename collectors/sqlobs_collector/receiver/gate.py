"""The limit on bytes in flight: received and not yet acknowledged."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlobs_collector.errors import RetryableError

if TYPE_CHECKING:
    from collections.abc import Iterator


class ByteGate:
    """Admits requests while the bytes in flight stay below a limit; used on one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.bytes_in_flight = 0

    @contextmanager
    def passage(self) -> Iterator[Passage]:
        """Yield what one request takes its bytes through; all are given back at the end."""
        passage = Passage(self)
        try:
            yield passage
        finally:
            self.bytes_in_flight -= passage.bytes_held

    def admit(self, size: int, *, held: int) -> None:
        """Count bytes in, for a request that holds some already.

        Raises:
            RetryableError: Other requests use the limit. A single request is always admitted.
        """
        if self.bytes_in_flight > held and self.bytes_in_flight + size > self._limit:
            raise RetryableError(
                "too many requests are waiting for the disk; retry later", reason="overload"
            )
        self.bytes_in_flight += size


class Passage:
    """The bytes that one request holds."""

    def __init__(self, gate: ByteGate) -> None:
        self._gate = gate
        self.bytes_held = 0

    def take(self, size: int) -> None:
        """Hold more bytes.

        Raises:
            RetryableError: The gate is full.
        """
        self._gate.admit(size, held=self.bytes_held)
        self.bytes_held += size
