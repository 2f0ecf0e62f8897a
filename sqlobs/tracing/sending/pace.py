"""When the next request goes to the collector: at once, in company, or after a pause."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.tracing.sending.collector_client import Reply

COMPANY_S: Final = 0.1
"""Between two requests while records keep coming; the first after a silence goes at once."""
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 8.0
LONGEST_WANTED_S: Final = 60.0
"""The longest pause that a collector may ask for."""


class Pace:
    """Knows the last try and how many have failed in a row."""

    def __init__(self) -> None:
        self._tried_at = float("-inf")
        self._failures = 0
        self._wanted_s: float | None = None

    def trying(self) -> None:
        """Note that a request goes now."""
        self._tried_at = monotonic()

    def tried(self, reply: Reply) -> None:
        """Note what became of it."""
        is_away = reply.fate == "unreachable"
        self._failures = self._failures + 1 if is_away else 0
        self._wanted_s = reply.retry_after_s if is_away else None
        if is_away:
            self._tried_at = monotonic()  # the try itself may have taken long

    def pause_s(self, *, is_urgent: bool) -> float:
        """Return the seconds to wait before the next request.

        Args:
            is_urgent: A batch is full, or somebody waits: no company is waited for, and a
                collector that is away is tried every `FIRST_PAUSE_S`.
        """
        return self._tried_at + self._interval_s(is_urgent=is_urgent) - monotonic()

    def _interval_s(self, *, is_urgent: bool) -> float:
        if not self._failures:
            return 0.0 if is_urgent else COMPANY_S
        doubled_s = FIRST_PAUSE_S * 2 ** min(self._failures - 1, 10)
        usual_s = min(FIRST_PAUSE_S if is_urgent else doubled_s, LONGEST_PAUSE_S)
        if self._wanted_s is None or is_urgent:
            return usual_s if self._wanted_s is None else min(usual_s, self._wanted_s)
        return min(self._wanted_s, LONGEST_WANTED_S)
