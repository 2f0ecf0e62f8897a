"""What a worker has to say, on its way to the parent: at once, or several reports in one go."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from sqlobs.execution.messages import encode

if TYPE_CHECKING:
    import socket

    from sqlobs.execution.messages import Report

_FULL_BYTES: Final = 256 * 1024
_DELAY_S: Final = 0.01
"""How long a report may wait for others."""


class Outbox:
    """Keeps reports until they are flushed; while it is `patient`, a thread does that in time.

    A parent that is woken for each report does little else than waking up.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = bytearray()
        self._lock = threading.Lock()  # protects the buffer and the order of what is sent
        self._waiting = threading.Event()
        self._deliverer: threading.Thread | None = None
        self._is_patient = False

    def say(self, report: Report) -> None:
        """Take a report."""
        self.put(encode(report))

    def put(self, frame: bytes) -> None:
        """Take a report that is encoded already."""
        with self._lock:
            is_first = not self._buffer
            self._buffer += frame
        if len(self._buffer) > _FULL_BYTES:
            self.flush()
        elif is_first and self._is_patient:
            self._waiting.set()

    def flush(self) -> None:
        """Send all that was taken.

        Raises:
            OSError: The parent is gone.
        """
        with self._lock:
            self._connection.sendall(self._buffer)
            self._buffer.clear()

    def urge(self) -> None:
        """Send all that was taken: now, or in a moment where that is early enough."""
        if not self._is_patient:
            self.flush()

    def be_patient(self, *, is_patient: bool) -> None:
        """Let reports wait for each other from now on, or not any more."""
        self._is_patient = is_patient
        if is_patient and self._deliverer is None:
            self._deliverer = threading.Thread(target=self._deliver, daemon=True)
            self._deliverer.start()

    def _deliver(self) -> None:
        """Send what waits, again and again; while a statement runs, its engine leaves us time."""
        while True:
            self._waiting.wait()
            self._waiting.clear()
            time.sleep(_DELAY_S)
            try:
                self.flush()
            except OSError:
                return  # the parent is gone, and the worker with it
