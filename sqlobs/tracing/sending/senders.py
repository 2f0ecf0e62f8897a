"""Where records go: spans, metrics, units and late results of one process."""

from __future__ import annotations

from time import monotonic, time_ns
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.tracing.description.attributes import evaluation_attributes
from sqlobs.tracing.records.span_identity import context_of
from sqlobs.tracing.sending.instruments import Instruments
from sqlobs.tracing.sending.otlp_logs import Event
from sqlobs.tracing.sending.providers import Providers
from sqlobs.tracing.sending.schema_drift import WatchedSchema
from sqlobs.tracing.stages.feedback import feedback_attributes
from sqlobs.unit import SpanIdentity

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Tracer, TracerProvider

    from sqlobs.config import Settings
    from sqlobs.schema.model import Schema
    from sqlobs.schema.source import SchemaSource
    from sqlobs.tracing.records.record import (
        EvaluationRecord,
        ExecutionRecord,
        FeedbackRecord,
        GenerationRecord,
    )
    from sqlobs.tracing.sending.collector_client import Collector
    from sqlobs.tracing.sending.exporters import Signal
    from sqlobs.tracing.sending.schema_sender import SchemaSender
    from sqlobs.tracing.sending.spool import Spool
    from sqlobs.tracing.sending.unit_sender import UnitSender
    from sqlobs.unit import Attributes


class Senders:
    """The senders of one process."""

    def __init__(
        self,
        settings: Settings,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
        collector: Collector | None = None,
        dialect: str | None = None,
    ) -> None:
        """Prepare without looking for providers.

        Args:
            settings: Where to send, and what may be in it.
            tracer_provider: Use this one, whatever is global.
            meter_provider: Likewise.
            logger_provider: Likewise.
            collector: Takes units in the place of the one that the settings name.
            dialect: The SQL dialect that corrected SQL is masked in; None: it is left out where
                it would have to be masked.
        """
        self._settings = settings
        self._dialect = dialect
        client = None if settings.sdk_disabled else collector or _client_of(settings)
        self._providers = Providers(
            settings,
            client=client,
            failed=self._export_failed,
            tracer_provider=tracer_provider,
            meter_provider=meter_provider,
            logger_provider=logger_provider,
        )
        self._instruments = Instruments(lambda: self._providers.meter, models=settings.models)
        self._units = None if client is None else self._unit_sender(client)

        self._schemas = self._schema_sender(client)

    def _unit_sender(self, client: Collector) -> UnitSender:
        from sqlobs.tracing.sending.unit_sender import UnitSender

        return UnitSender(
            client,
            resource=lambda: self._providers.resource_attributes,
            failed=lambda count: self._instruments.count_export_failure("unit", by=count),
            capture=self._settings.collector_capture,
            queue_bytes=self._settings.unit_queue_bytes,
            spool=self._spool(client.endpoint),
        )

    def _schema_sender(self, client: Collector | None) -> SchemaSender | None:
        """Return what sends schemas, where raw capture is agreed: they hold sample values."""
        if client is None or self._settings.collector_capture != "raw":
            return None
        from sqlobs.tracing.sending.schema_sender import SchemaSender

        return SchemaSender(client)

    def _spool(self, endpoint: str) -> Spool | None:
        settings = self._settings
        if settings.spool_dir is None:
            return None
        from sqlobs.tracing.sending.spool import Limits, Spool

        return Spool(
            settings.spool_dir,
            limits=Limits(settings.spool_bytes, settings.spool_age_s),
            endpoint=endpoint,
            capture=settings.collector_capture,
        )

    @property
    def tracer(self) -> Tracer | None:
        """The tracer; None where spans are disabled."""
        return None if self._settings.sdk_disabled else self._providers.tracer

    @property
    def takes_units(self) -> bool:
        """Somebody gets units, and so the question."""
        return self._units is not None

    def install(self) -> None:
        """Have the providers made that are to be global, before the first request."""
        self._providers.install()

    def prepare(self) -> None:
        """Import and make what is needed later, without looking for providers."""
        self._providers.prepare()

    def rehearse(self, attributes: Attributes) -> None:
        """Write attributes on a span that goes nowhere: the first span takes long."""
        self._providers.rehearse(attributes)

    def attach(self) -> None:
        """Have spans exported from now on; those that ended before were kept."""
        self._providers.attach()

    def start(self, workflow: str) -> None:
        """Start the series of a workflow at zero."""
        self._instruments.start_at_zero(workflow)

    def watch_queue(self, size: Callable[[], int]) -> None:
        """Show the sizes of our queues from now on."""
        self._instruments.watch_queue("check", size)
        if (units := self._units) is not None:
            self._instruments.watch_queue("unit", lambda: units.size)

    def watch_schema(self, source: SchemaSource, *, target: str | None) -> None:
        """Show the age and the changes of a schema from now on."""
        self._instruments.watch_schema(WatchedSchema(source), target=target)

    def count_generation(self, record: GenerationRecord) -> None:
        """Count a request."""
        self._instruments.record_generation(record)

    def send_unit(self, record: GenerationRecord, schema: Schema | None) -> None:
        """Send a request to the collector, and the schema it was checked against."""
        if self._units is not None:
            self._units.send(record)
        if self._schemas is not None and schema is not None:
            self._schemas.offer(schema)

    def record_execution(self, record: ExecutionRecord) -> None:
        """Count an execution; send it, if it came after its generation."""
        if self._units is not None and record.joins_late:
            self._units.send_execution(record)
        self._instruments.record_execution(record)

    def record_feedback(self, record: FeedbackRecord) -> None:
        """Count feedback and send it: to the collector if there is one, else to the logger.

        Raises:
            InputError: The id is of no generation.
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
        self._instruments.record_feedback(record)
        self._send(event)

    def record_evaluation(self, record: EvaluationRecord) -> None:
        """Send a verdict that came after its span had ended."""
        event = Event(
            semconv.EVENT_EVALUATION,
            timestamp_ns=time_ns(),
            span=record.span,
            attributes=evaluation_attributes(record),
        )
        self._send(event)

    def flush(self, timeout_s: float) -> bool:
        """Send what is buffered, units first; False where the time did not suffice."""
        until = monotonic() + timeout_s
        is_sent = self._units is None or self._units.flush(_for_units(timeout_s))
        is_sent = self._providers.flush(_left(until)) and is_sent
        return (self._schemas is None or self._schemas.flush(_left(until))) and is_sent

    def shutdown(self, timeout_s: float) -> bool:
        """Send what is buffered and stop what is ours; False where the time did not suffice.

        Units come first, then metrics, whose counters say what the collector did not get, then
        spans. A schema that is still on its way is given up: the next process offers it again.
        """
        until = monotonic() + timeout_s
        is_sent = self._units is None or self._units.drain(_for_units(timeout_s))
        is_sent = self._providers.shutdown(_left(until)) and is_sent
        if self._schemas is not None:
            self._schemas.close()
        if self._units is not None:
            self._units.close(0.0)
        self._instruments.reset()
        return is_sent

    def _export_failed(self, signal: Signal) -> None:
        self._instruments.count_export_failure(signal)

    def _send(self, event: Event) -> None:
        if self._units is not None:
            self._units.send_event(event)
            return
        self._providers.logger.emit(
            event_name=event.name,
            timestamp=event.timestamp_ns,
            context=context_of(event.span),
            attributes=event.attributes,
        )

    def _masked(self, sql: str) -> str | None:
        """Return the SQL without its values; None where nothing says how to read it."""
        if self._dialect is None or self._settings.collector_capture == "none":
            return None
        from sqlobs.check.checker import check_sql

        return check_sql(sql, dialect=self._dialect, native=False).masked_sql


def _for_units(timeout_s: float) -> float:
    """Return how much of a time units may take; the rest is for what goes elsewhere."""
    return timeout_s - min(max(timeout_s / 4, 1.0), timeout_s / 2)


def _left(until: float) -> float:
    return max(0.0, until - monotonic())


def _client_of(settings: Settings) -> Collector | None:
    """Return the way to the collector, where one is configured."""
    if settings.collector_endpoint is None:
        return None
    from sqlobs.tracing.sending.collector_client import CollectorClient

    return CollectorClient(
        settings.collector_endpoint,
        headers={
            name: value.get_secret_value() for name, value in settings.collector_headers.items()
        },
    )
