"""Sends schemas to the collector, on a thread of its own: they never delay units."""

from __future__ import annotations

import logging
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.sending.collector_client import Collector

_logger = logging.getLogger("sqlobs")

SCHEMAS_PATH: Final = "/v1/schemas/"
TRY_S: Final = 30.0
"""Timeout of one request: a large schema on a busy collector is slow."""
_PAUSES_S: Final = (1.0, 4.0, 15.0, 60.0)
"""Pauses between retries; the last one repeats."""
_IDLE_S: Final = 1.0
"""The thread ends after so long without a schema."""


class SchemaSender:
    """Sends each version of a schema once, under its content hash."""

    def __init__(self, client: Collector) -> None:
        self._client = client
        self._known: set[str] = set()
        self._waiting: SimpleQueue[Schema] = SimpleQueue()
        self._lock = threading.Lock()  # guards the start of the thread
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._sent = threading.Condition()
        self._open = 0
        """Schemas queued or in delivery."""

    def offer(self, schema: Schema) -> None:
        """Queue a schema, unless this process has sent its version."""
        with self._lock:
            if schema.version in self._known or self._closing.is_set():
                return
            self._known.add(schema.version)
            self._open += 1
            self._waiting.put(schema)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="sqlobs-schemas", daemon=True
                )
                self._thread.start()

    def flush(self, timeout_s: float) -> bool:
        """Wait until all are sent or rejected; False = timed out."""
        with self._sent:
            return self._sent.wait_for(lambda: not self._open, timeout_s)

    def close(self) -> None:
        """Stop sending: the next process sends the same schemas again."""
        self._closing.set()

    def _run(self) -> None:
        while (schema := self._next()) is not None:
            try:
                self._deliver(schema)
            except Exception:
                _logger.exception("sqlobs: a schema for the collector could not be sent")
            with self._sent:
                self._open -= 1
                self._sent.notify_all()

    def _next(self) -> Schema | None:
        """Return the next schema; None ends the thread."""
        try:
            return self._waiting.get(timeout=_IDLE_S)
        except Empty:
            with self._lock:
                if not self._waiting.empty():
                    return self._waiting.get()
                self._thread = None
                return None

    def _deliver(self, schema: Schema) -> None:
        path = SCHEMAS_PATH + schema.version
        document = schema.to_json().encode(errors="replace")
        pauses = list(_PAUSES_S)
        while not self._closing.is_set():
            reply = self._client.put_document(path, document, within_s=TRY_S)
            if reply.fate != "unreachable":
                return
            pause_s = pauses.pop(0) if len(pauses) > 1 else pauses[0]
            self._closing.wait(max(pause_s, min(reply.retry_after_s or 0.0, _PAUSES_S[-1])))
