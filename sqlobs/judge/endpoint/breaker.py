"""A circuit breaker: an endpoint that keeps failing is left alone for a while, with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.clock import Clock


@dataclass(slots=True)
class Breaker:
    """Closed until calls fail in a row; then open; after a pause one call is let through."""

    clock: Clock
    failures: int
    """Failures in a row that open it."""
    pause_s: float
    _failed: int = 0
    _opened_at: float | None = None
    _is_probing: bool = False
    _reason: str = ""

    def refusal(self) -> str | None:
        """Return why no call may be made now; None where one may.

        The first caller after the pause is the probe: it must report how its call went.
        """
        if self._opened_at is None:
            return None
        waited = self.clock.now() - self._opened_at
        if waited >= self.pause_s and not self._is_probing:
            self._is_probing = True
            return None
        return f"the endpoint is left alone for {self.pause_s:g} s: {self._reason}"

    def succeeded(self) -> None:
        """Note a call that was answered."""
        self._failed, self._opened_at, self._is_probing = 0, None, False

    def failed(self, reason: str, *, is_lasting: bool = False) -> None:
        """Note a call that was not.

        Args:
            reason: One sentence; the refusals quote it.
            is_lasting: Whether the next call would fail alike (a refused key): opens at once.
        """
        self._failed += 1
        if is_lasting or self._is_probing or self._failed >= self.failures:
            self._opened_at, self._reason = self.clock.now(), reason
        self._is_probing = False

    def abandoned(self) -> None:
        """Note a call that ended without telling anything (canceled): the next may probe."""
        self._is_probing = False
