"""Tells other processes that this one is alive, and queues again what ended ones had taken."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from typing import TYPE_CHECKING, Final

from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.store.dispatcher import MOST_CLAIMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs_collector.origin import Origin
    from sqlobs_collector.store.dispatcher import Released
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

_EVERY_S: Final = 3.0


class Heartbeat:
    """The process in the store's list of those that take work.

    Args:
        store: The shared store.
        is_alone: No other process uses the store: what was taken before is queued at once.
        on_units: Called when units were queued.
        on_given_up: Called with the origins of units that are not tried again, because they have
            ended too many processes.
        clock_ns: Time, for tests.
    """

    def __init__(
        self,
        store: Store,
        *,
        is_alone: bool,
        on_units: Callable[[], None] = lambda: None,
        on_given_up: Callable[[Sequence[Origin]], None] = lambda _: None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.worker: Final = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._store = store
        self._is_alone = is_alone
        self._on_units = on_units
        self._on_given_up = on_given_up
        self._clock_ns = clock_ns
        self._thread = PollingWorker("heartbeat", self._poll)

    def start(self) -> None:
        """Be in the list from now on; alone, nobody looks at it later."""
        with self._store.writing() as writer:
            writer.workers.beat(self.worker)
            if self._is_alone:
                writer.workers.forget_others(self.worker)
            released = writer.queue.release(at_ns=self._clock_ns())
        self._give_up(released)
        if not self._is_alone:
            self._thread.start()

    def stop(self) -> None:
        """Leave the list; what is still taken is queued. Idempotent."""
        self._thread.stop()
        with self._store.writing() as writer:
            writer.queue.give_back(self.worker, at_ns=self._clock_ns())
            writer.workers.leave(self.worker)

    def beat(self) -> int:
        """Note that this process is alive; return how many units of ended ones are queued."""
        with self._store.writing() as writer:
            writer.workers.beat(self.worker)
            if not writer.workers.forget_silent(self.worker):
                return 0
            released = writer.queue.release(at_ns=self._clock_ns())
        self._give_up(released)
        return released.queued

    def _give_up(self, released: Released) -> None:
        for trace_id in released.traces:
            _log.error(
                "the unit of trace %s has ended %d processes and is not evaluated again: check"
                " their memory limit and the last lines of their logs",
                trace_id,
                MOST_CLAIMS,
            )
        self._on_given_up(released.given_up)

    def _poll(self) -> float:
        if self.beat():
            self._on_units()
        return _EVERY_S
