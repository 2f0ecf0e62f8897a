"""Delivery to the collector: the time of the next request, and what is logged once.

Tests: `tests/telemetry/test_unit_sender.py`.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.tracing.sending.collector_client import Reply

_logger = logging.getLogger("sqlobs")

_LOSSES: Final = {
    "full": "units lost: %d; the queue of %d bytes is full",
    "left": "units lost: %d; the process ended before they were sent",
    "rejected": "units lost: %d; the collector rejected them",
    "expired": "units lost: %d; they were in the spool for too long",
}
_COUNTED: Final = "all are counted in sqlobs.export.failures"

BATCH_PAUSE_S: Final = 0.1
"""Pause between batches while records keep coming; after silence a record is sent at once."""
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 8.0
LONGEST_RETRY_AFTER_S: Final = 60.0
"""Limit for `Retry-After`."""


class Delivery:
    """The requests to one collector so far. Logs each kind of problem once; a metric counts all."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._logged: set[str] = set()
        self._tried_at = float("-inf")
        self._failures = 0
        self._retry_after_s: float | None = None

    def trying(self) -> None:
        """Record the start of a request."""
        self._tried_at = monotonic()

    def tried(self, reply: Reply) -> None:
        """Record the result of the request, and warn if it is not accepted."""
        is_unreachable = reply.fate == "unreachable"
        self._failures = self._failures + 1 if is_unreachable else 0
        self._retry_after_s = reply.retry_after_s if is_unreachable else None
        if is_unreachable:
            self._tried_at = monotonic()  # the request itself may have been slow
        if reply.fate == "rejected":
            self._logged.add("rejected")
        if not reply.is_accepted and self._is_new("reply"):
            answer = "does not answer" if reply.status is None else f"answers {reply.status}"
            then = "units are queued" if reply.fate == "unreachable" else "units are lost"
            _logger.warning(
                "sqlobs: the collector at %s %s; %s (logged once)", self._endpoint, answer, then
            )

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

    def lost(self, count: int, why: str, *, queue_bytes: int = 0) -> None:
        """Warn that records are lost."""
        if self._is_new(why):
            sizes = (count, queue_bytes) if why == "full" else (count,)
            _logger.warning("sqlobs: %s (logged once; %s)", _LOSSES[why] % sizes, _COUNTED)

    def kept(self, count: int, directory: Path) -> None:
        """Warn that records stay in the spool for the next process."""
        if self._is_new("kept"):
            _logger.warning(
                "sqlobs: units kept in %s: %d; the next process sends them", directory, count
            )

    def _is_new(self, kind: str) -> bool:
        is_new = kind not in self._logged
        self._logged.add(kind)
        return is_new
