"""Rate limiting: calls per minute, and pauses that a server asks for."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.clock import Clock

_MINUTE_S = 60.0


@dataclass(slots=True)
class Pacer:
    """Schedules calls so that no minute has more than the maximum."""

    clock: Clock
    calls_per_minute: int | None = None
    _booked: deque[float] = field(default_factory=deque)
    _held_until: float = 0.0

    def delay(self) -> float:
        """Return the seconds until the next free slot."""
        now = self.clock.now()
        return max(0.0, self._next_slot(now) - now)

    def book(self) -> float:
        """Reserve the next slot and return the seconds to wait for it."""
        now = self.clock.now()
        slot = self._next_slot(now)
        if self.calls_per_minute is not None:
            self._booked.append(slot)
            if len(self._booked) > self.calls_per_minute:
                self._booked.popleft()
        return max(0.0, slot - now)

    def held(self) -> float:
        """Return the rest of a pause that a server asked for, in seconds."""
        return max(0.0, self._held_until - self.clock.now())

    def hold(self, seconds: float) -> None:
        """Start a pause: no call begins within so many seconds."""
        self._held_until = max(self._held_until, self.clock.now() + seconds)

    def _next_slot(self, now: float) -> float:
        slot = max(now, self._held_until)
        if self.calls_per_minute is not None and len(self._booked) >= self.calls_per_minute:
            slot = max(slot, self._booked[0] + _MINUTE_S)
        return slot
