"""The time of the next request to the collector: batching and backoff.

Tests: `tests/telemetry/test_unit_sender.py`.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.tracing.sending.collector_client import Reply

BATCH_PAUSE_S: Final = 0.1
"""Pause between batches while records keep coming; after silence a record is sent at once."""
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 8.0
LONGEST_RETRY_AFTER_S: Final = 60.0
"""Limit for `Retry-After`."""


class Pace:
    """Tracks the last request and the number of consecutive failures."""

    def __init__(self) -> None:
        self._tried_at = float("-inf")
        self._failures = 0
        self._retry_after_s: float | None = None

    def trying(self) -> None:
        """Record the start of a request."""
        self._tried_at = monotonic()

    def tried(self, reply: Reply) -> None:
        """Record the result of the request."""
        is_unreachable = reply.fate == "unreachable"
        self._failures = self._failures + 1 if is_unreachable else 0
        self._retry_after_s = reply.retry_after_s if is_unreachable else None
        if is_unreachable:
            self._tried_at = monotonic()  # the request itself may have been slow

    def pause_s(self, *, is_urgent: bool) -> float:
        """Return the seconds to wait before the next request.

        Args:
            is_urgent: A batch is full, or a flush waits: send without batching, and retry an
                unreachable collector every `FIRST_PAUSE_S`.
        """
        return self._tried_at + self._interval_s(is_urgent=is_urgent) - monotonic()

    def _interval_s(self, *, is_urgent: bool) -> float:
        if not self._failures:
            return 0.0 if is_urgent else BATCH_PAUSE_S
        doubled_s = FIRST_PAUSE_S * 2 ** min(self._failures - 1, 10)
        usual_s = min(FIRST_PAUSE_S if is_urgent else doubled_s, LONGEST_PAUSE_S)
        if self._retry_after_s is None or is_urgent:
            return usual_s if self._retry_after_s is None else min(usual_s, self._retry_after_s)
        return min(self._retry_after_s, LONGEST_RETRY_AFTER_S)
