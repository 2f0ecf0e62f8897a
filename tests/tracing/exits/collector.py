"""A collector on loopback that is fast, slow, restarting or away for a while."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.otlp import Backend, serving, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Manner:
    """How a collector behaves."""

    schema_s: float = 0.0
    """How long a schema takes."""
    away_s: float = 0.0
    """How long after the first request was answered nobody listens."""
    restart_s: float = 0.0
    """How long nobody listens after the first request to the collector."""


MANNERS = {
    "fast": Manner(),
    "slow": Manner(schema_s=6.0),
    "restarting": Manner(restart_s=2.0),
    "unreachable": Manner(away_s=5.0),
    "gone": Manner(away_s=600.0),
}


class Collector:
    """What a host sends its units to."""

    def __init__(self, manner: Manner) -> None:
        self.manner = manner
        self.received = Backend("")
        self.received.may_answer.set()
        self.received.pauses = {"/v1/schemas": manner.schema_s}
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._may_listen = threading.Event()
        self._is_back = threading.Event()

    def started(self) -> None:
        """The host answers its first request now."""
        self._may_listen.set()

    def come_back(self) -> None:
        """Listen from now on."""
        self._is_back.set()

    def _serve(self) -> None:
        if self.manner.away_s:
            self._may_listen.wait()
            self._is_back.wait(self.manner.away_s)
        if self.manner.restart_s and not self._stop.is_set():
            with serving(self.received, self.port):
                while not self.received.requests and not self._stop.is_set():
                    time.sleep(0.01)
            self._stop.wait(self.manner.restart_s)
        if not self._stop.is_set():
            with serving(self.received, self.port):
                self._stop.wait()

    @property
    def units(self) -> set[str]:
        """The ids of the units that came."""
        return {
            str(values_of(log.attributes)["sqlobs.generation.id"])
            for log in self.received.logs
            if log.event_name == "sqlobs.unit"
        }

    @contextmanager
    def running(self) -> Iterator[Collector]:
        """Serve until the block ends."""
        self._thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            self._may_listen.set()
            self._is_back.set()
            self._thread.join(20)
