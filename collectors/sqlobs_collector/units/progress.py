"""How far the journal is projected, against what was acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs_collector.store.journals import Standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs_collector.journal.entry import Place
    from sqlobs_collector.journal.reader import Reading


class Progress:
    """Written by the projector, read by anyone who shows it."""

    def __init__(self, *, acknowledged: Callable[[], Place], clock_ns: Callable[[], int]) -> None:
        self._acknowledged = acknowledged
        self._clock_ns = clock_ns
        self._waiting_since_ns: int | None = None
        self.standing = Standing()
        """How far the store is, and what of the journal was lost up to there."""

    @property
    def unprojected_records(self) -> int:
        """How many acknowledged records are not in the store yet."""
        acknowledged = self._acknowledged()
        if acknowledged.sequence <= self.standing.sequence:
            return 0
        return max(0, acknowledged.records - self.standing.records)

    @property
    def lag_s(self) -> float:
        """For how long the oldest acknowledged record waits; 0 when all is in the store."""
        since = self._waiting_since_ns
        if since is None or self._acknowledged().sequence <= self.standing.sequence:
            return 0.0
        return max(0, self._clock_ns() - since) / 10**9

    def committed(self) -> None:
        """Take notice that something was acknowledged."""
        if self._waiting_since_ns is None:
            self._waiting_since_ns = self._clock_ns()

    def found(self, reading: Reading) -> None:
        """Take notice of what is to be projected next."""
        if reading.entries:
            self._waiting_since_ns = reading.entries[0].received_ns
        elif reading.is_behind:
            self.committed()
        else:
            self._waiting_since_ns = None
