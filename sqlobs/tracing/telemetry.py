"""Where records go, as the runtime sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import Tracer

    from sqlobs.schema.model import Schema
    from sqlobs.schema.source import SchemaSource
    from sqlobs.tracing.records.record import (
        EvaluationRecord,
        ExecutionRecord,
        FeedbackRecord,
        GenerationRecord,
    )
    from sqlobs.unit import Attributes


class Telemetry(Protocol):
    """Where records go: providers, instruments and the unit's sender of one process."""

    @property
    def tracer(self) -> Tracer | None:
        """The tracer; None where spans are disabled."""
        ...

    @property
    def takes_units(self) -> bool:
        """Somebody gets units, and so the question."""
        ...

    def install(self) -> None:
        """Have the providers made that are to be global, before the first request."""
        ...

    def prepare(self) -> None:
        """Import and make what is needed later, without looking for providers."""
        ...

    def rehearse(self, attributes: Attributes) -> None:
        """Write attributes on a span that goes nowhere: the first span takes long."""
        ...

    def attach(self) -> None:
        """Have spans exported from now on; those that ended before were kept."""
        ...

    def start(self, workflow: str) -> None:
        """Start the series of a workflow at zero."""
        ...

    def watch_queue(self, size: Callable[[], int]) -> None:
        """Show the sizes of queues from now on."""
        ...

    def watch_schema(self, source: SchemaSource, *, target: str | None) -> None:
        """Show the age and the changes of a schema from now on."""
        ...

    def count_generation(self, record: GenerationRecord) -> None:
        """Count a request."""
        ...

    def send_unit(self, record: GenerationRecord, schema: Schema | None) -> None:
        """Send a request to the collector, after the schema it was checked against."""
        ...

    def record_execution(self, record: ExecutionRecord) -> None:
        """Count an execution; send it, if it came after its generation."""
        ...

    def record_feedback(self, record: FeedbackRecord) -> None:
        """Count and send feedback."""
        ...

    def record_evaluation(self, record: EvaluationRecord) -> None:
        """Send a verdict that came after its span had ended."""
        ...

    def flush(self, timeout_s: float) -> bool:
        """Send what is buffered."""
        ...

    def shutdown(self, timeout_s: float) -> bool:
        """Send what is buffered and stop what is ours; False where the time did not suffice."""
        ...
