"""Keeps the sums of each hour up to date: a separate thread adds up the hours that changed.

Those of the last two days are added up by five minutes, too, so that a panel of 24 hours which ends
now or an hour ago counts few requests one by one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.store.rollup import HOUR_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs_collector.sharing.duty import Duty
    from sqlobs_collector.store.writing import Store

REFRESH_S: Final = 10.0
_SHARE_OF_TIME: Final = 0.1
"""Highest share of time spent on adding up: a busy store is added up less often."""
_DETAILED_HOURS: Final = 48
"""That have sums by five minutes."""


class HourWorker:
    """Adds up, waits, and adds up what changed meanwhile."""

    def __init__(self, duty: Duty, clock_ns: Callable[[], int]) -> None:
        self._store = duty.store
        self._clock_ns = clock_ns
        self._worker = PollingWorker("hours", duty.while_held(self._poll))

    def start(self) -> None:
        """Start the thread."""
        self._worker.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._worker.stop()

    def _poll(self) -> float:
        started_s = time.monotonic()
        now_ns, worker = self._clock_ns(), self._worker
        add_up_changes(self._store, now_ns=now_ns, is_stopping=lambda: worker.is_stopping)
        return max(REFRESH_S, (time.monotonic() - started_s) / _SHARE_OF_TIME)


def add_up_changes(
    store: Store, *, now_ns: int | None = None, is_stopping: Callable[[], bool] = lambda: False
) -> int:
    """Add up every hour that changed, in a transaction each; returns how many changed.

    Args:
        store: Of the requests.
        now_ns: The time; None = by the clock of this process.
        is_stopping: Ends it early; the rest stays noted.
    """
    detailed = (now_ns or time.time_ns()) // HOUR_NS - _DETAILED_HOURS
    with store.writing() as writer:
        writer.rollup.forget_details(detailed)
        stale = writer.rollup.stale()
    for workspace, hour in stale:
        if is_stopping():
            break
        with store.writing() as writer:
            writer.rollup.add_up(workspace, hour, is_detailed=hour >= detailed)
    return len(stale)
