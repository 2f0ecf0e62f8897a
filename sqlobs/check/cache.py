"""Keeps the reports of recent checks: the same text under the same conditions is checked once."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport

    Key = tuple[str, *tuple[object, ...]]
    """The text that was checked, and the conditions."""

CAPACITY: Final = 4096
"""Reports kept. Model output repeats little: the cache pays for retries and reruns."""
MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Length of all their texts: a thousand bytes each, which is long for a generation."""
MOST_USES: Final = 256
"""Uses that are remembered until the next report comes; of more, the earlier ones are not."""


class ReportCache:
    """A bounded map with the least recently used report going first. Safe between threads.

    A look takes no lock: that a report was used is noted, and counts when the next one comes.
    """

    def __init__(self, capacity: int = CAPACITY, *, characters: int = MOST_CHARACTERS) -> None:
        """Bound the cache.

        Args:
            capacity: the most reports.
            characters: the greatest length of their texts together.
        """
        self._capacity = capacity
        self._most = characters
        self._held = 0
        self._lock = threading.Lock()  # guards the order of the map, and the length held
        self._reports: OrderedDict[Key, tuple[Key, CheckReport]] = OrderedDict()
        self._used: deque[Key] = deque(maxlen=MOST_USES)
        """Keys of the map, not those that were asked with: their texts would be held twice."""

    def get(self, key: Key) -> CheckReport | None:
        """Return the report of a key, or None."""
        kept = self._reports.get(key)
        if kept is None:
            return None
        self._used.append(kept[0])
        return kept[1]

    def put(self, key: Key, report: CheckReport) -> None:
        """Keep a report, dropping the oldest ones if there are too many or their texts too long."""
        with self._lock:
            self._order()
            if key not in self._reports:
                self._held += len(key[0])
            self._reports[key] = (key, report)
            while len(self._reports) > self._capacity or self._held > self._most:
                (text, *_), _ = self._reports.popitem(last=False)
                self._held -= len(text)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._reports.clear()
            self._used.clear()
            self._held = 0

    def _order(self) -> None:
        """Let the reports that were used since the last call go last."""
        for _ in range(len(self._used)):
            key = self._used.popleft()
            if key in self._reports:
                self._reports.move_to_end(key)
