"""Sends records: as spans, metrics, units and late results of one process.

Tests: `tests/telemetry/test_schema_sender.py` and `test_feedback.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, time_ns
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.tracing.configuration import DEFAULT_DESTINATION, Destination
from sqlobs.tracing.description.late_evaluations import evaluation_attributes, feedback_attributes
from sqlobs.tracing.records.span_identity import context_of
from sqlobs.tracing.sending.instruments import Instruments
from sqlobs.tracing.sending.otlp_logs import Event
from sqlobs.tracing.sending.providers import Providers
from sqlobs.tracing.sending.service_resource import identity_labels
from sqlobs.unit import SpanIdentity

if TYPE_CHECKING:
    from sqlobs.config import Settings
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.records.record import (
        EvaluationRecord,
        ExecutionRecord,
        FeedbackRecord,
        GenerationRecord,
    )
    from sqlobs.tracing.sending.collector_client import Collector
    from sqlobs.tracing.sending.schema_sender import SchemaSender
    from sqlobs.tracing.sending.spool import Spool
    from sqlobs.tracing.sending.unit_sender import UnitSender


class Senders:
    """The senders of one process."""

    def __init__(
        self,
        settings: Settings,
        *,
        destination: Destination = DEFAULT_DESTINATION,
        dialect: str | None = None,
    ) -> None:
        self._settings = settings
        self._dialect = dialect
        """For masking corrected SQL, which is omitted where the dialect is unknown."""
        client = None if settings.sdk_disabled else destination.collector or _client_of(settings)
        self.instruments = Instruments(
            lambda number: self.providers.meter(number),  # noqa: PLW0108 - made after this
            identity=lambda: identity_labels(self.providers.resource),
        )
        self.providers = Providers(
            settings,
            client=client,
            failed=self.instruments.count_export_failure,
            destination=destination,
        )
        self._units = None if client is None else self._unit_sender(client)

        self._schemas = self._schema_sender(client)

    def _unit_sender(self, client: Collector) -> UnitSender:
        from sqlobs.tracing.sending.unit_sender import UnitSender

        return UnitSender(
            client,
            resource=lambda: self.providers.resource.attributes,
            failed=lambda count: self.instruments.count_export_failure("unit", by=count),
            capture=self._settings.collector_capture,
            queue_bytes=self._settings.unit_queue_bytes,
            spool=self._spool(client.endpoint),
        )

    def _schema_sender(self, client: Collector | None) -> SchemaSender | None:
        """Return the sender of schemas; None without raw capture: schemas contain sample values."""
        if client is None or self._settings.collector_capture != "raw":
            return None
        from sqlobs.tracing.sending.schema_sender import SchemaSender

        return SchemaSender(client)

    def _spool(self, endpoint: str) -> Spool | None:
        settings = self._settings
        if settings.spool_dir is None:
            return None
        from sqlobs.tracing.sending.spool import Spool

        return Spool(
            settings.spool_dir,
            most_bytes=settings.spool_bytes,
            most_age_s=settings.spool_age_s,
            endpoint=endpoint,
            capture=settings.collector_capture,
        )

    @property
    def takes_units(self) -> bool:
        """A collector is configured: it gets units, and with them the question."""
        return self._units is not None

    def watch_queue(self, size: Callable[[], int]) -> None:
        """Report queue sizes whenever metrics are collected."""
        self.instruments.watch_queue("check", size)
        if (units := self._units) is not None:
            self.instruments.watch_queue("unit", lambda: units.size)

    def send_unit(self, record: GenerationRecord, schema: Schema | None) -> None:
        """Queue a request for the collector, and the schema it was checked against."""
        if self._units is not None:
            self._units.send(record)
        if self._schemas is not None and schema is not None:
            self._schemas.offer(schema)

    def record_execution(self, record: ExecutionRecord) -> None:
        """Count an execution; one after its generation is sent on its own."""
        if self._units is not None and record.joins_late:
            self._units.send_execution(record)
        self.instruments.record_execution(record)

    def record_feedback(self, record: FeedbackRecord) -> None:
        """Count feedback and send it: to the collector if there is one, else to the logger.

        Raises:
            InputError: The id is not that of a generation.
        """
        is_raw = self._units is not None and self._settings.collector_capture == "raw"
        attributes = feedback_attributes(
            record,
            shows_reason=is_raw or (self._units is None and self._settings.capture_content),
            shown_sql=(lambda sql: sql) if is_raw else self._masked,
        )
        event = Event(
            semconv.EVENT_EVALUATION,
            timestamp_ns=record.timestamp_ns,
            span=SpanIdentity.from_traceparent(record.generation_id),
            attributes=attributes,
        )
        self.instruments.record_feedback(record)
        self._send(event)

    def record_evaluation(self, record: EvaluationRecord) -> None:
        """Send a verdict whose span had already ended."""
        event = Event(
            semconv.EVENT_EVALUATION,
            timestamp_ns=time_ns(),
            span=record.span,
            attributes=evaluation_attributes(record),
        )
        self._send(event)

    def flush(self, timeout_s: float) -> bool:
        """Send what is buffered, units first; False if the time was too short."""
        until = monotonic() + timeout_s
        is_sent = self._units is None or self._units.flush(_for_units(timeout_s))
        is_sent = self.providers.flush(_left(until)) and is_sent
        return (self._schemas is None or self._schemas.flush(_left(until))) and is_sent

    def shutdown(self, timeout_s: float) -> bool:
        """Send what is buffered and stop our own providers; False if the time was too short.

        Units go first, then metrics, which count the units that were lost, then spans. A schema
        in delivery is dropped: the next process sends it again.
        """
        until = monotonic() + timeout_s
        is_sent = self._units is None or self._units.drain(_for_units(timeout_s))
        is_sent = self.providers.shutdown(_left(until)) and is_sent
        if self._schemas is not None:
            self._schemas.close()
        if self._units is not None:
            self._units.close(0.0)
        self.instruments.close()
        return is_sent

    def _send(self, event: Event) -> None:
        if self._units is not None:
            self._units.send_event(event)
            return
        self.providers.logger.emit(
            event_name=event.name,
            timestamp=event.timestamp_ns,
            context=context_of(event.span),
            attributes=event.attributes,
        )

    def _masked(self, sql: str) -> str | None:
        if self._dialect is None or self._settings.collector_capture == "none":
            return None
        from sqlobs.check.checker import check_sql

        return check_sql(sql, dialect=self._dialect, native=False).masked_sql


def _for_units(timeout_s: float) -> float:
    """Return the share of units in a timeout; the rest is for providers."""
    return timeout_s - min(max(timeout_s / 4, 1.0), timeout_s / 2)


def _left(until: float) -> float:
    return max(0.0, until - monotonic())


def _client_of(settings: Settings) -> Collector | None:
    if settings.collector_endpoint is None:
        return None
    from sqlobs.tracing.sending.collector_client import CollectorClient

    return CollectorClient(
        settings.collector_endpoint,
        headers={
            name: value.get_secret_value() for name, value in settings.collector_headers.items()
        },
    )
