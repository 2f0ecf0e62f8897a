"""A circuit breaker: stops calling an endpoint that keeps failing, for a pause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.clock import Clock


@dataclass(slots=True)
class Breaker:
    """Opens after consecutive failures; after a pause, lets one probe call through."""

    clock: Clock
    failures: int
    """Consecutive failures that open it."""
    pause_s: float
    _failed: int = 0
    _opened_at: float | None = None
    _is_probing: bool = False
    _reason: str = ""

    def refusal(self) -> str | None:
        """Return why no call is allowed now; None if one is.

        The first caller after the pause is the probe: it must report the result of its call.
        """
        if self._opened_at is None:
            return None
        waited = self.clock.now() - self._opened_at
        if waited >= self.pause_s and not self._is_probing:
            self._is_probing = True
            return None
        return f"calls to the endpoint are paused for {self.pause_s:g} s: {self._reason}"

    def succeeded(self) -> None:
        """Record a successful call."""
        self._failed, self._opened_at, self._is_probing = 0, None, False

    def failed(self, reason: str, *, is_lasting: bool = False) -> None:
        """Record a failed call.

        Args:
            reason: One sentence; quoted while the breaker is open.
            is_lasting: Whether the next call would fail, too (a rejected key): opens at once.
        """
        self._failed += 1
        if is_lasting or self._is_probing or self._failed >= self.failures:
            self._opened_at, self._reason = self.clock.now(), reason
        self._is_probing = False

    def abandoned(self) -> None:
        """Record a call without a result (canceled): the next one may probe."""
        self._is_probing = False
