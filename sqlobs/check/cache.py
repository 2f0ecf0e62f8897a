"""Caches recent reports: the same text with the same arguments is checked once."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport

    Key = tuple[str, *tuple[object, ...]]
    """The checked text and the arguments."""

CAPACITY: Final = 4096
"""Reports kept. Model output repeats little: the cache serves retries and reruns."""
MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Total length of their texts: a thousand characters each, which is long for a generation."""
MOST_USES: Final = 256
"""Uses remembered between two inserts; earlier ones are dropped."""


class ReportCache:
    """A bounded LRU map, safe between threads.

    A lookup needs no lock: the use is noted, and applied at the next insert.
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
        """Keys of the map, not those of the lookups: their texts would be stored twice."""

    def get(self, key: Key) -> CheckReport | None:
        """Return the report of a key, or None."""
        kept = self._reports.get(key)
        if kept is None:
            return None
        self._used.append(kept[0])
        return kept[1]

    def put(self, key: Key, report: CheckReport) -> None:
        """Insert a report; evict the least recently used ones above the bounds."""
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
        """Move the reports used since the last call to the end."""
        for _ in range(len(self._used)):
            key = self._used.popleft()
            if key in self._reports:
                self._reports.move_to_end(key)
