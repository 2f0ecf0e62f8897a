"""One queue and one thread for what goes to the collector alone: units and what joins them."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.tracing.description.attributes import execution_attributes, unit_of
from sqlobs.tracing.sending import otlp_logs
from sqlobs.tracing.sending.delivery import Delivery
from sqlobs.tracing.sending.otlp_logs import Event
from sqlobs.unit import SpanIdentity

if TYPE_CHECKING:
    from sqlobs.config import CollectorCapture
    from sqlobs.tracing.records.record import ExecutionRecord, GenerationRecord
    from sqlobs.tracing.sending.collector_client import Collector, Reply
    from sqlobs.tracing.sending.spool import Claim, Spool

_logger = logging.getLogger("sqlobs")

LOGS_PATH: Final = "/v1/logs"
BATCH_RECORDS: Final = 512
BATCH_BYTES: Final = 2 * 1024 * 1024
TRY_S: Final = 10.0
"""Timeout of one request: long, as a batch that timed out is sent again."""
_RESCAN_S: Final = 60.0
"""Seconds between two scans of the spool for records of other processes."""


class UnitSender:
    """Sends records to one collector on a thread of its own, from a queue with a byte limit.

    The thread starts with the first record. With a full queue a record is dropped and counted.
    While the collector is unreachable records wait, in the spool if there is one.
    """

    def __init__(
        self,
        client: Collector,
        *,
        resource: Callable[[], Mapping[str, object]],
        failed: Callable[[int], None],
        capture: CollectorCapture = "raw",
        queue_bytes: int = 16 * 1024 * 1024,
        spool: Spool | None = None,
    ) -> None:
        self._client = client
        self._resource = resource
        self._failed = failed
        self._capture: CollectorCapture = capture
        self._queue_bytes = queue_bytes
        self._spool = spool
        self._room = self._queue_bytes
        self._waiting: deque[Event] = deque()
        self._in_delivery: list[Event] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._is_flushing = False
        self._may_be_spooled = self._spool is not None
        self._delivery = Delivery(client.endpoint)

    @property
    def size(self) -> int:
        """The number of records queued, in delivery, or spooled by this process."""
        spooled = 0 if self._spool is None else self._spool.pending
        return len(self._waiting) + len(self._in_delivery) + spooled

    def send(self, record: GenerationRecord) -> bool:
        """Queue the unit of a generation; False where it is dropped."""
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
        """Queue an execution that ran after its generation's unit was sent."""
        generation = record.generation_id
        event = Event(
            semconv.EVENT_EXECUTION,
            timestamp_ns=record.end_ns,
            span=SpanIdentity.from_traceparent(generation) if generation else record.span,
            attributes=execution_attributes(record),
        )
        return self.send_event(event)

    def send_event(self, event: Event) -> bool:
        """Queue any record; False where it is dropped, which is counted."""
        is_taken = self._put(event)
        if not is_taken:
            self._lose(1, "left" if self._is_closed else "full")
        return is_taken

    def flush(self, timeout_s: float) -> bool:
        """Wait until the queue and the spool are empty; False = timed out."""
        with self._changed:
            if self._may_be_spooled and not self._is_closed:
                self._ensure_started()
            self._is_flushing = True
            self._changed.notify_all()
            is_done = self._changed.wait_for(
                lambda: self._is_closed or not (self.size or self._may_be_spooled), timeout_s
            )
            self._is_flushing = False
        return is_done

    def drain(self, timeout_s: float) -> bool:
        """Deliver the queue within the time, spool or count the rest, and close the queue.

        Returns:
            Whether all was delivered.
        """
        is_done = self.flush(timeout_s)
        with self._changed:
            left = [] if self._is_closed else [*self._in_delivery, *self._waiting]
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()
        lost = [
            len(batch)
            for batch in _batches(left)
            if not self._keep(self._encoded(batch), len(batch))
        ]
        self._lose(sum(lost), "left")
        if self._spool is not None and self._spool.pending:
            self._delivery.kept(self._spool.pending, self._spool.directory)
        return is_done

    def close(self, timeout_s: float) -> None:
        """Drain, and close the connections."""
        self.drain(timeout_s)
        self._client.close()

    def _put(self, event: Event) -> bool:
        with self._changed:
            if self._is_closed or event.size > self._room:
                return False
            self._room -= event.size
            self._waiting.append(event)
            self._ensure_started()
            if len(self._waiting) in {1, BATCH_RECORDS}:  # else the thread is awake or pauses
                self._changed.notify_all()
        return True

    def _ensure_started(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="sqlobs-units", daemon=True)
            self._thread.start()

    # -- on the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        while self._await_work():
            if self._waiting:
                self._deliver_next()
            else:
                self._deliver_spooled()

    def _await_work(self) -> bool:
        """Wait for the next delivery; False once the sender is closed."""
        with self._changed:
            rescan_s = None if self._spool is None else _RESCAN_S
            if not self._changed.wait_for(self._has_work, rescan_s):
                self._may_be_spooled = True
            while not self._is_closed and (pause_s := self._pause_s()) > 0:
                self._changed.wait(pause_s)
            return not self._is_closed

    def _has_work(self) -> bool:
        return bool(self._waiting) or self._may_be_spooled or self._is_closed

    def _pause_s(self) -> float:
        is_urgent = self._is_flushing or len(self._waiting) >= BATCH_RECORDS
        return self._delivery.pause_s(is_urgent=is_urgent)

    def _deliver_next(self) -> None:
        with self._changed:
            batch = self._in_delivery = _next_batch(self._waiting)
        payload = self._encoded(batch)
        reply = None if payload is None else self._sent(payload)
        self._settle(batch, payload, reply)

    def _encoded(self, batch: Sequence[Event]) -> bytes | None:
        """Return a batch as a request; None where it cannot be encoded."""
        try:
            return otlp_logs.encode(batch, resource=self._resource())
        except Exception:
            _logger.exception("sqlobs: a batch for the collector could not be encoded")
            return None

    def _sent(self, payload: bytes) -> Reply:
        self._delivery.trying()
        reply = self._client.deliver(LOGS_PATH, payload, within_s=TRY_S, is_repeated=False)
        self._delivery.tried(reply)
        return reply

    def _settle(self, batch: list[Event], payload: bytes | None, reply: Reply | None) -> None:
        """Free the room of the batch, or requeue it if the collector is unreachable."""
        is_open = reply is not None and reply.fate == "unreachable"
        is_kept = is_open and not self._is_closed and self._keep(payload, len(batch))
        with self._changed:
            self._in_delivery = []
            is_counted = self._is_closed  # by `drain`
            if is_open and not is_kept and not is_counted:
                self._waiting.extendleft(reversed(batch))
            else:
                self._room += sum(event.size for event in batch)
            self._changed.notify_all()
        if reply is not None and not (is_open or is_counted):
            self._lose(_rejected(reply, len(batch)), "rejected")
        elif payload is None and not is_counted:
            self._failed(len(batch))

    def _deliver_spooled(self) -> None:
        """Deliver one batch of the spool, from any process."""
        spool = self._spool
        if spool is None:
            return
        self._lose(spool.expire(), "expired")
        claimed = spool.claim()
        if claimed is None:
            self._may_be_spooled = False
        else:
            self._deliver_claimed(claimed)
        with self._changed:
            self._changed.notify_all()

    def _deliver_claimed(self, claimed: Claim) -> None:
        with claimed:
            reply = self._sent(claimed.payload)
            claimed.is_done = reply.fate != "unreachable"
        if claimed.is_done:
            self._lose(_rejected(reply, claimed.count), "rejected")

    # -- undelivered records --------------------------------------------------------------------

    def _keep(self, payload: bytes | None, count: int) -> bool:
        """Spool a batch; False without a spool, or without room in it."""
        if self._spool is None or payload is None or not self._spool.keep(payload, count):
            return False
        self._may_be_spooled = True
        return True

    def _lose(self, count: int, why: str) -> None:
        if count:
            self._failed(count)
            self._delivery.lost(count, why, queue_bytes=self._queue_bytes)


def _next_batch(waiting: deque[Event]) -> list[Event]:
    batch: list[Event] = []
    room = BATCH_BYTES
    while waiting and len(batch) < BATCH_RECORDS and room > 0:
        batch.append(waiting.popleft())
        room -= batch[-1].size
    return batch


def _batches(events: Sequence[Event]) -> Iterator[list[Event]]:
    waiting = deque(events)
    while waiting:
        yield _next_batch(waiting)


def _rejected(reply: Reply, count: int) -> int:
    return otlp_logs.rejected_of(reply.content) if reply.is_accepted else count
