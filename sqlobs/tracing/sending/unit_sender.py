"""One queue and one thread for what goes to the collector alone: units and what joins them."""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.tracing.description.attributes import execution_attributes
from sqlobs.tracing.description.unit_record import unit_of
from sqlobs.tracing.sending import otlp_logs
from sqlobs.tracing.sending.collector_client import Reply
from sqlobs.tracing.sending.otlp_logs import Event
from sqlobs.unit import SpanIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.config import CollectorCapture
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.records.record import ExecutionRecord, GenerationRecord
    from sqlobs.tracing.sending.collector_client import Collector

_logger = logging.getLogger("sqlobs")

LOGS_PATH: Final = "/v1/logs"
SCHEMAS_PATH: Final = "/v1/schemas/"
BATCH_RECORDS: Final = 512
BATCH_BYTES: Final = 2 * 1024 * 1024
LINGER_S: Final = 0.2
"""How long a batch waits for company; the collector sees a unit well within a second."""
TRY_S: Final = 30.0
"""How long one batch is tried in a row; it keeps its place in the queue after that."""


@dataclass(frozen=True, slots=True)
class Document:
    """A schema for the collector's store, under its content hash."""

    version: str
    content: bytes

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.content)


class UnitSender:
    """Sends to one collector: bounded by bytes, counted, off the request thread.

    The thread starts with the first record. What finds the queue full is refused and counted; what
    cannot be delivered waits in the queue while the collector is away.
    """

    def __init__(
        self,
        client: Collector,
        *,
        resource: Callable[[], Mapping[str, object]],
        failed: Callable[[int], None],
        capture: CollectorCapture = "raw",
        queue_bytes: int = 16 * 1024 * 1024,
    ) -> None:
        """Prepare without starting the thread.

        Args:
            client: The way to the collector.
            resource: Gives the attributes of the process; asked at each batch.
            failed: Told how many records the queue or the collector refused.
            capture: What texts a unit holds.
            queue_bytes: Bytes of records that may wait, those in delivery included.
        """
        self._client = client
        self._resource = resource
        self._failed = failed
        self._capture: CollectorCapture = capture
        self._queue_bytes = queue_bytes
        self.reset()

    def reset(self) -> None:
        """Start empty and without a thread: in a forked child what waits is the parent's."""
        self._client.reset()
        self._room = self._queue_bytes
        self._waiting: deque[Event | Document] = deque()
        self._in_delivery: list[Event | Document] = []
        self._known_schemas: set[str] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._is_flushing = False
        self._has_complained = False

    @property
    def size(self) -> int:
        """How many records wait or are in delivery."""
        return len(self._waiting) + len(self._in_delivery)

    def send(self, record: GenerationRecord) -> bool:
        """Queue the unit of a generation; returns False where it was refused."""
        unit = unit_of(record, self._capture)
        event = Event(
            semconv.EVENT_UNIT,
            timestamp_ns=record.end_ns,
            span=record.span,
            attributes=unit.attributes,
            body=unit.body,
        )
        return self.send_event(event)

    def send_execution(self, record: ExecutionRecord) -> bool:
        """Queue an execution that came after its generation's unit."""
        generation = record.generation_id
        event = Event(
            semconv.EVENT_EXECUTION,
            timestamp_ns=record.end_ns,
            span=SpanIdentity.from_traceparent(generation) if generation else record.span,
            attributes=execution_attributes(record),
        )
        return self.send_event(event)

    def send_event(self, event: Event) -> bool:
        """Queue any record; returns False where it was refused, which is counted."""
        is_taken = self._put(event)
        if not is_taken:
            self._failed(1)
        return is_taken

    def offer_schema(self, schema: Schema) -> None:
        """Queue a schema once per process and version, where raw capture is agreed."""
        if self._capture != "raw" or schema.version in self._known_schemas:
            return
        self._known_schemas.add(schema.version)
        self._put(Document(schema.version, schema.to_json().encode(errors="replace")))

    def flush(self, timeout_s: float) -> bool:
        """Wait until what was queued is delivered or refused; False = out of time."""
        with self._changed:
            self._is_flushing = True
            self._changed.notify_all()
            is_done = self._changed.wait_for(lambda: not self.size, timeout_s)
            self._is_flushing = False
        return is_done

    def drain(self, timeout_s: float) -> bool:
        """Deliver what waits within the time, count the rest as failed, take no more.

        Returns:
            Whether nothing was left.
        """
        is_done = self.flush(timeout_s)
        with self._changed:
            waiting = [] if self._is_closed else [*self._in_delivery, *self._waiting]
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()
        left = sum(isinstance(item, Event) for item in waiting)
        if left:
            self._failed(left)
            self._complain(Reply("unreachable"))
        return is_done

    def close(self, timeout_s: float) -> None:
        """Drain, and close the connections."""
        self.drain(timeout_s)
        self._client.close()

    def _put(self, item: Event | Document) -> bool:
        with self._changed:
            if self._is_closed or item.size > self._room:
                return False
            self._room -= item.size
            self._waiting.append(item)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="sqlobs-units", daemon=True)
                self._thread.start()
            if len(self._waiting) in {1, BATCH_RECORDS}:  # else the thread is awake or lingers
                self._changed.notify_all()
        return True

    def _run(self) -> None:
        while self._await_work():
            batch = self._take()
            try:
                reply, failed = self._deliver(batch)
            except Exception:  # what cannot be encoded is lost, not the thread
                _logger.exception("sqlobs: a batch for the collector could not be sent")
                reply, failed = None, len(batch)
            self._settle(batch, reply, failed)

    def _await_work(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            self._changed.wait_for(self._is_urgent, LINGER_S)
            return not self._is_closed

    def _is_urgent(self) -> bool:
        return self._is_flushing or self._is_closed or len(self._waiting) >= BATCH_RECORDS

    def _take(self) -> list[Event | Document]:
        """Take a document alone, or the events before the next document that fit in a batch."""
        batch: list[Event | Document] = []
        room = BATCH_BYTES
        with self._changed:
            while self._waiting and len(batch) < BATCH_RECORDS and room > 0:
                if batch and Document in (type(batch[0]), type(self._waiting[0])):
                    break
                batch.append(self._waiting.popleft())
                room -= batch[-1].size
            self._in_delivery = batch
        return batch

    def _deliver(self, batch: list[Event | Document]) -> tuple[Reply | None, int]:
        """Send a batch; returns the reply and how many events of it were refused."""
        if not batch:
            return None, 0
        if isinstance(document := batch[0], Document):
            path = SCHEMAS_PATH + document.version
            return self._client.put_document(path, document.content, within_s=TRY_S), 0
        events = [item for item in batch if isinstance(item, Event)]
        payload = otlp_logs.encode(events, resource=self._resource())
        reply = self._client.deliver(LOGS_PATH, payload, within_s=TRY_S)
        refused = otlp_logs.rejected_of(reply.content) if reply.is_accepted else len(events)
        return reply, refused

    def _settle(self, batch: list[Event | Document], reply: Reply | None, failed: int) -> None:
        """Give the room back, or the batch its place in the queue where nobody answered."""
        with self._changed:
            self._in_delivery = []
            if reply is not None and reply.fate == "unreachable" and not self._is_closed:
                self._waiting.extendleft(reversed(batch))
                failed = 0
            else:
                self._room += sum(item.size for item in batch)
            self._changed.notify_all()
        if failed and not self._is_closed:  # else `drain` has counted them
            self._failed(failed)
        if reply is not None and not reply.is_accepted:
            self._complain(reply)

    def _complain(self, reply: Reply) -> None:
        if self._has_complained:
            return
        self._has_complained = True
        answer = "does not answer" if reply.status is None else f"answers {reply.status}"
        _logger.warning(
            "sqlobs: the collector at %s %s; units wait in a queue of %d bytes, and what does not "
            "fit is counted in sqlobs.export.failures (said once)",
            self._client.endpoint,
            answer,
            self._queue_bytes,
        )
