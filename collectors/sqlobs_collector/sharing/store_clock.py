"""One time for all processes on a store: that of the database.

A delay that one process begins may end in another one, whose own clock shows another time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.store.portable import now_ms

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

_EVERY_S: Final = 30.0


class StoreClock:
    """The time of the database, in nanoseconds; goes on while the database does not respond.

    Args:
        engine: Of the store.
        monotonic_ns: Nanoseconds that only grow, for tests.
    """

    def __init__(
        self, engine: Engine, *, monotonic_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._engine = engine
        self._monotonic_ns = monotonic_ns
        self._ahead_ns = 0
        self._worker = PollingWorker("clock", self.compare)

    def start(self) -> None:
        """Ask for the time before anybody else does, and again and again."""
        self.compare()
        self._worker.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._worker.stop()

    def __call__(self) -> int:
        """Return the time; asks nobody."""
        return self._monotonic_ns() + self._ahead_ns

    def compare(self) -> float:
        """Ask the database for its time, which is taken as that of the middle of the way."""
        with self._engine.connect() as connection:
            before_ns = self._monotonic_ns()
            found_ns = connection.execute(select(now_ms())).scalar_one() * 10**6
            after_ns = self._monotonic_ns()
        self._ahead_ns = found_ns - (before_ns + after_ns) // 2
        return _EVERY_S
