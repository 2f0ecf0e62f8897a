"""A limit on how often each sender may send, in bounded memory."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_SENDERS: Final = 10_000
"""The sender that was quiet for the longest time is forgotten first."""
_MINUTE_S: Final = 60.0


class RateLimit:
    """A token bucket per sender: a minute's worth at once, then at the rate.

    Used on one event loop only.
    """

    def __init__(self, per_minute: int, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._most = float(per_minute)
        self._clock_s = clock_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, sender: str) -> bool:
        """Count one request of a sender; return whether it is within the limit."""
        now_s = self._clock_s()
        left, since_s = self._left.pop(sender, (self._most, now_s))
        left = min(self._most, left + (now_s - since_s) * self._most / _MINUTE_S)
        is_allowed = left >= 1
        self._left[sender] = (left - 1 if is_allowed else left, now_s)
        if len(self._left) > _MOST_SENDERS:
            self._left.popitem(last=False)
        return is_allowed
