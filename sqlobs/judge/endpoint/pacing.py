"""Calls per minute, and the pauses that a server asks for: one gate for all calls."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.clock import Clock

_MINUTE_S = 60.0


@dataclass(slots=True)
class Pacer:
    """Books the moment of each call: never more than so many in any minute."""

    clock: Clock
    calls_per_minute: int | None = None
    _booked: deque[float] = field(default_factory=deque)
    _held_until: float = 0.0

    def delay(self) -> float:
        """Return the seconds until a call may be made."""
        now = self.clock.now()
        return max(0.0, self._next_slot(now) - now)

    def book(self) -> float:
        """Take the next slot and return the seconds to wait for it."""
        now = self.clock.now()
        slot = self._next_slot(now)
        if self.calls_per_minute is not None:
            self._booked.append(slot)
            if len(self._booked) > self.calls_per_minute:
                self._booked.popleft()
        return max(0.0, slot - now)

    def held(self) -> float:
        """Return the seconds for which a server asked to be left alone."""
        return max(0.0, self._held_until - self.clock.now())

    def hold(self, seconds: float) -> None:
        """Let no call begin before so many seconds have passed."""
        self._held_until = max(self._held_until, self.clock.now() + seconds)

    def _next_slot(self, now: float) -> float:
        slot = max(now, self._held_until)
        if self.calls_per_minute is not None and len(self._booked) >= self.calls_per_minute:
            slot = max(slot, self._booked[0] + _MINUTE_S)
        return slot
