"""What one process does for all: the process that has the lease, and no other."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from prometheus_client.registry import Collector

from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.store.leases import LEASE_S, LeaseLostError
from sqlobs_collector.store.writing import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from prometheus_client import CollectorRegistry
    from prometheus_client import Metric as Family
    from sqlalchemy import Engine

    from sqlobs_collector.store.writing import StoreWriter

_log = logging.getLogger(__name__)

_EVERY_S: Final = 2.0


class Duty:
    """A duty of a process that is alone on its store: it is always the owner."""

    def __init__(self, store: Store) -> None:
        self.store: Final = store
        """For everything that only the owner may write."""

    @property
    def is_held(self) -> bool:
        """Whether this process is the owner."""
        return True

    def start(self) -> None:
        """Try to become the owner, again and again."""

    def stop(self) -> None:
        """Let another process take the place; idempotent."""

    def while_held(self, poll: Callable[[], float]) -> Callable[[], float]:
        """Return a poll that works while this process is the owner, and waits otherwise."""
        return poll


class LeasedDuty(Duty):
    """A duty that processes on one store compete for.

    Args:
        engine: Of the shared store.
        name: Of the duty.
        owner: The id of this process.
    """

    def __init__(self, engine: Engine, name: str, owner: str) -> None:
        super().__init__(Store(engine, guard=self._require))
        self._leases = Store(engine)
        self._name = name
        self._owner = owner
        self._token: int | None = None
        self._until_s = float("-inf")
        self._thread = PollingWorker(f"lease of {name}", self._poll)

    @property
    def is_held(self) -> bool:
        """Whether this process is the owner, by its own clock."""
        return self._token is not None and time.monotonic() < self._until_s

    def start(self) -> None:
        """Try to become the owner, again and again."""
        self._thread.start()

    def stop(self) -> None:
        """Let another process take the place; idempotent."""
        self._thread.stop()
        token, self._token = self._token, None
        if token is not None:
            with self._leases.writing() as writer:
                writer.leases.give_up(self._name, token)

    def while_held(self, poll: Callable[[], float]) -> Callable[[], float]:
        """Return a poll that works while this process is the owner, and waits otherwise."""

        def guarded() -> float:
            try:
                return poll() if self.is_held else _EVERY_S
            except LeaseLostError:
                return _EVERY_S

        return guarded

    def compete(self) -> None:
        """Renew the lease, or take it if its owner is silent."""
        asked_s = time.monotonic()
        with self._leases.writing() as writer:
            held = self._token
            if held is not None and not writer.leases.renew(self._name, held):
                held = None
            token = held or writer.leases.take(self._name, self._owner)
        if token is not None and token != self._token:
            _log.info("this process is now the one that does %s", self._name)
        elif token is None and self._token is not None:
            _log.warning("another process does %s now: this one did not respond", self._name)
        self._token, self._until_s = token, asked_s + LEASE_S

    def _poll(self) -> float:
        self.compete()
        return _EVERY_S

    def _require(self, writer: StoreWriter) -> None:
        """Let a transaction go on only if this process is the owner until its end."""
        if self._token is None:
            raise LeaseLostError(self._name)
        writer.leases.require(self._name, self._token)


class OwnedMetrics(Collector):
    """Shows metrics while this process is the owner: another process shows them otherwise."""

    def __init__(self, duty: Duty, registry: CollectorRegistry) -> None:
        self._duty = duty
        self._registry = registry

    def collect(self) -> Iterator[Family]:
        """Yield them."""
        if self._duty.is_held:
            yield from self._registry.collect()

    def describe(self) -> Iterator[Family]:
        """Yield nothing: they are known when they are collected."""
        return iter(())
