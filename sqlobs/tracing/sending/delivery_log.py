"""What the log says about the collector: each kind of trouble once in a process."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.tracing.sending.collector_client import Reply

_logger = logging.getLogger("sqlobs")

_LOSSES: Final = {
    "full": "units lost: %d, as the queue of %d bytes is full",
    "left": "units lost: %d, as the process ended before they were sent",
    "refused": "units lost: %d, as the collector rejected them",
    "expired": "units lost: %d, as they waited in the spool for too long",
}


_COUNTED: Final = "all are counted in sqlobs.export.failures"


class DeliveryLog:
    """Logs each kind of trouble at its first occurrence; the metric counts them all."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._said: set[str] = set()

    def about(self, reply: Reply) -> None:
        """Say that the collector does not take what it is sent."""
        if reply.fate == "refused":
            self._said.add("refused")
        if not reply.is_accepted and self._is_new("reply"):
            answer = "does not answer" if reply.status is None else f"answers {reply.status}"
            then = "units wait for it" if reply.fate == "unreachable" else "units are lost"
            _logger.warning(
                "sqlobs: the collector at %s %s; %s (logged once)", self._endpoint, answer, then
            )

    def lost(self, count: int, why: str, *, queue_bytes: int = 0) -> None:
        """Say that records are lost."""
        if self._is_new(why):
            sizes = (count, queue_bytes) if why == "full" else (count,)
            _logger.warning("sqlobs: %s (logged once; %s)", _LOSSES[why] % sizes, _COUNTED)

    def kept(self, count: int, directory: Path) -> None:
        """Say that records are left to the next process."""
        if self._is_new("kept"):
            _logger.warning(
                "sqlobs: units kept in %s: %d; the next process sends them", directory, count
            )

    def _is_new(self, kind: str) -> bool:
        is_new = kind not in self._said
        self._said.add(kind)
        return is_new
