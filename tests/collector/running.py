"""A collector inside the test's process, on a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from sqlobs_collector import config as configuration
from sqlobs_collector.journal.entry import START
from sqlobs_collector.journal.log import identity_of
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.service import Addresses, Service

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from sqlobs_collector.journal.entry import Entry

ANY_PORT = {
    "listen.http": "127.0.0.1:0",
    "listen.grpc": "127.0.0.1:0",
    "listen.admin": "127.0.0.1:0",
}
PATIENCE_S = 30
"""For an answer: beside other work, the second of processor time of a first one takes longer than
the client's five seconds."""


class RunningCollector:
    """Starts a service, and stops it at the latest at the end of the test."""

    def __init__(self, data_dir: Path, **settings: object) -> None:
        flags = {**ANY_PORT, "data_dir": str(data_dir), "journal.min_free_bytes": 0, **settings}
        self.config, origins = configuration.load_with_origins(None, environ={}, flags=flags)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.service = Service(self.config, origins=origins)
        self.addresses: Addresses | None = None

    def start(self) -> RunningCollector:
        self.addresses = self.run(self.service.start())
        return self

    def stop(self) -> None:
        if self._thread.is_alive():
            self.run(self.service.stop())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def run(self, coroutine: Coroutine[object, object, object]):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    @property
    def http(self) -> str:
        return f"http://{self.addresses.http}"

    @property
    def grpc(self) -> str:
        return f"http://{self.addresses.grpc}"

    @property
    def admin(self) -> str:
        return f"http://{self.addresses.admin}"

    @property
    def token(self) -> str:
        """The collector's own token, as its user's commands find it."""
        return (self.config.data_dir / "admin.token").read_text().strip()

    @property
    def bearer(self) -> dict[str, str]:
        """The header that lets an operator read."""
        return {"Authorization": f"Bearer {self.token}"}

    def metrics(self, **headers: str) -> str:
        """What an operator sees on `/metrics`."""
        given = {**self.bearer, **headers}
        return httpx.get(f"{self.admin}/metrics", headers=given, timeout=PATIENCE_S).text

    def journaled(self) -> list[Entry]:
        """All entries that are on the disk."""
        return journaled(self.config.data_dir)


def journaled(data_dir: Path) -> list[Entry]:
    directory = Path(data_dir) / "journal"
    reader = JournalReader(directory, identity_of(directory))
    entries, place = [], START
    while (reading := reader.read(place, limit_bytes=2**20)).place != place:
        entries += [recorded.entry for recorded in reading.entries]
        place = reading.place
    reader.close()
    return entries


def wait_until(condition, *, within_s: float = 20):
    """Return the first true value of a condition.

    Raises:
        AssertionError: It stayed false for too long.
    """
    deadline = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found
