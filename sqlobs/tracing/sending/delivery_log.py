"""Log messages about delivery to the collector, each kind once in a process.

Tests: `tests/telemetry/test_unit_sender.py`.
"""

from __future__ import annotations

import logging
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


class DeliveryLog:
    """Logs the first delivery problem of each kind; a metric counts all."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._logged: set[str] = set()

    def replied(self, reply: Reply) -> None:
        """Warn if the collector does not accept a request."""
        if reply.fate == "rejected":
            self._logged.add("rejected")
        if not reply.is_accepted and self._is_new("reply"):
            answer = "does not answer" if reply.status is None else f"answers {reply.status}"
            then = "units are queued" if reply.fate == "unreachable" else "units are lost"
            _logger.warning(
                "sqlobs: the collector at %s %s; %s (logged once)", self._endpoint, answer, then
            )

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
