"""Keeps the reports of recent checks: the same text under the same conditions is checked once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable

    from sqlobs.check.report import CheckReport

CAPACITY: Final = 4096
"""Reports kept. Model output repeats little: the cache pays for retries and reruns."""


class ReportCache:
    """A bounded map with the least recently used report going first. Safe between threads."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()  # guards the order of the map
        self._reports: OrderedDict[Hashable, CheckReport] = OrderedDict()

    def get(self, key: Hashable) -> CheckReport | None:
        """Return the report of a key, or None."""
        with self._lock:
            report = self._reports.get(key)
            if report is not None:
                self._reports.move_to_end(key)
            return report

    def put(self, key: Hashable, report: CheckReport) -> None:
        """Keep a report, dropping the oldest one if there are too many."""
        with self._lock:
            self._reports[key] = report
            if len(self._reports) > self._capacity:
                self._reports.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._reports.clear()
