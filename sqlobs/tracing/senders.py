"""Where records go: spans, instruments, late results and the unit's sender of one process."""

from __future__ import annotations

from time import monotonic, time_ns
from typing import TYPE_CHECKING

from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    set_span_in_context,
)

from sqlobs import semconv
from sqlobs.tracing.attributes import evaluation_attributes
from sqlobs.tracing.collector_client import CollectorClient
from sqlobs.tracing.instruments import Instruments
from sqlobs.tracing.providers import Providers
from sqlobs.tracing.unit_sender import UnitSender

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import Meter, MeterProvider
    from opentelemetry.trace import Tracer, TracerProvider

    from sqlobs.config import Settings
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.record import (
        EvaluationRecord,
        ExecutionRecord,
        FeedbackRecord,
        GenerationRecord,
    )
    from sqlobs.unit import SpanIdentity


class Senders:
    """The senders of one process, made at its first request."""

    def __init__(
        self,
        settings: Settings,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
    ) -> None:
        self._is_disabled = settings.sdk_disabled
        client = None if self._is_disabled else _client_of(settings)
        self._instruments = Instruments(self._meter, models=settings.models)
        self._providers = Providers(
            settings,
            client=client,
            failed=self._instruments.count_export_failure,
            tracer_provider=tracer_provider,
            meter_provider=meter_provider,
            logger_provider=logger_provider,
        )
        self._units = None if client is None else self._unit_sender(client, settings)

    def _meter(self) -> Meter:
        return self._providers.meter

    def _unit_sender(self, client: CollectorClient, settings: Settings) -> UnitSender:
        return UnitSender(
            client,
            resource=lambda: self._providers.resource_attributes,
            failed=lambda count: self._instruments.count_export_failure("unit", by=count),
            capture=settings.collector_capture,
            queue_bytes=settings.unit_queue_bytes,
        )

    @property
    def tracer(self) -> Tracer | None:
        """The tracer; None where spans are disabled."""
        return None if self._is_disabled else self._providers.tracer

    def start(self, workflow: str) -> None:
        """Start the series of a workflow at zero."""
        if not self._is_disabled:
            self._instruments.start_at_zero(workflow)

    def record_generation(self, record: GenerationRecord, schema: Schema | None) -> None:
        """Count a request and send its unit, and the schema it was checked against."""
        if self._is_disabled:
            return
        self._instruments.record_generation(record)
        if self._units is not None:
            if schema is not None:
                self._units.offer_schema(schema)
            self._units.send(record)

    def record_execution(self, record: ExecutionRecord) -> None:
        """Count an execution; send it, if it came after its generation."""
        if self._is_disabled:
            return
        self._instruments.record_execution(record)
        if self._units is not None and record.joins_late:
            self._units.send_execution(record)

    def record_feedback(self, record: FeedbackRecord) -> None:
        """Count and send feedback."""
        if not self._is_disabled:
            self._instruments.record_feedback(record)

    def record_evaluation(self, record: EvaluationRecord) -> None:
        """Send a verdict that came after its span had ended."""
        if not self._is_disabled:
            self._providers.logger.emit(
                timestamp=time_ns(),
                context=_context_of(record.span),
                event_name=semconv.EVENT_EVALUATION,
                attributes=evaluation_attributes(record),
            )

    def flush(self, timeout_s: float) -> bool:
        """Send what is buffered."""
        if self._is_disabled:
            return True
        until = monotonic() + timeout_s
        is_sent = self._units is None or self._units.flush(timeout_s)
        return self._providers.flush(max(0.0, until - monotonic())) and is_sent

    def shutdown(self, timeout_s: float) -> None:
        """Send what is buffered and stop what is ours."""
        if self._is_disabled:
            return
        until = monotonic() + timeout_s
        if self._units is not None:
            self._units.close(timeout_s)
        self._providers.shutdown(max(0.0, until - monotonic()))


def _client_of(settings: Settings) -> CollectorClient | None:
    if settings.collector_endpoint is None:
        return None
    headers = {
        name: secret.get_secret_value() for name, secret in settings.collector_headers.items()
    }
    return CollectorClient(settings.collector_endpoint, headers=headers)


def _context_of(span: SpanIdentity) -> Context:
    """Return a context whose current span is the evaluated one."""
    identity = SpanContext(
        span.trace_id, span.span_id, is_remote=False, trace_flags=TraceFlags(span.sampled)
    )
    return set_span_in_context(NonRecordingSpan(identity), Context())
