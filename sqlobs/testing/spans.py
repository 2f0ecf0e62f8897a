"""Spans, counters and units of a piece of code under test, captured in memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, overload

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from sqlobs import semconv
from sqlobs.testing.collector import FakeCollector
from sqlobs.tracing.configuration import Destination
from sqlobs.tracing.instance import default_instance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlobs.tracing.instance import Sqlobs
    from sqlobs.unit import Unit

_GENERATION = "invoke_workflow"


class CapturedSpans(Sequence[ReadableSpan]):
    """The ended spans, in order of start, with metrics, log records and units."""

    def __init__(self, instance: Sqlobs) -> None:
        self.collector = FakeCollector()
        self._instance = instance
        self._exporter = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()

    @property
    def generations(self) -> list[ReadableSpan]:
        """The spans of text-to-SQL requests."""
        return [
            span
            for span in self
            if (span.attributes or {}).get(semconv.GEN_AI_OPERATION_NAME) == _GENERATION
        ]

    @property
    def generation(self) -> ReadableSpan:
        """The span of the one text-to-SQL request.

        Raises:
            AssertionError: There was none, or there were several.
        """
        found = self.generations
        if len(found) != 1:
            raise AssertionError(f"expected one text-to-SQL request, captured {len(found)}")
        return found[0]

    @property
    def units(self) -> list[Unit]:
        """What a collector would have got of each request."""
        self._instance.flush()
        return self.collector.units

    @property
    def tree(self) -> str:
        """The spans as an indented tree of names."""
        return span_tree(self)

    def counter(self, name: str, **labels: str | bool) -> float:
        """Return the sum of a counter's series that have these labels.

        Args:
            name: The metric, e.g. `sqlobs.failures`.
            **labels: Values by label; dots are written as underscores, e.g. `sqlobs_verdict`.
        """
        return sum(
            value
            for attributes, value in self._points(name)
            if all(attributes.get(label) == wanted for label, wanted in labels.items())
        )

    def clear(self) -> None:
        """Forget the spans and units captured so far; counters continue."""
        self._instance.flush()
        self._exporter.clear()
        self.collector.records.clear()

    @overload
    def __getitem__(self, index: int) -> ReadableSpan: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ReadableSpan]: ...
    def __getitem__(self, index: int | slice) -> ReadableSpan | Sequence[ReadableSpan]:
        """Return a span by its place."""
        return self._spans()[index]

    def __len__(self) -> int:
        """Return how many spans have ended."""
        return len(self._spans())

    def _spans(self) -> list[ReadableSpan]:
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def _points(self, name: str) -> Iterator[tuple[dict[str, object], float]]:
        collected = self._reader.get_metrics_data()
        for resource in collected.resource_metrics if collected is not None else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    if metric.name == name:
                        for point in metric.data.data_points:
                            yield _underscored(point.attributes or {}), getattr(point, "value", 0)


@contextmanager
def capture_spans(instance: Sqlobs | None = None) -> Iterator[CapturedSpans]:
    """Capture the spans, metrics and units of a block: checked inline, nothing exported.

    Args:
        instance: Whose decorators to capture; those of the module functions by default.

    Example:
        >>> import sqlobs
        >>> generate = sqlobs.trace_generation(dialect="sqlite")(lambda question: "SELECT 1")
        >>> with capture_spans() as spans:
        ...     _ = generate("anything?")
        >>> spans.generation.attributes["sqlobs.verdict"]
        'not_evaluated'
    """
    chosen = default_instance() if instance is None else instance
    spans = CapturedSpans(chosen)
    resource = Resource({semconv.SERVICE_NAME: "test"})
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(spans._exporter))  # noqa: SLF001 - this module's
    meters = MeterProvider(
        metric_readers=[spans._reader],  # noqa: SLF001 - this module's
        resource=resource,
        shutdown_on_exit=False,
    )
    destination = Destination(
        tracer_provider=tracers,
        meter_provider=meters,
        logger_provider=LoggerProvider(resource=resource, shutdown_on_exit=False),
        collector=spans.collector,
        delivers_inline=True,
    )
    with chosen.holder.rerouted(destination):
        yield spans


def span_tree(spans: Iterable[ReadableSpan], *, attributes: Sequence[str] = ()) -> str:
    """Return spans as an indented tree, one line each, in order of start.

    Args:
        spans: Ended spans; one whose parent is not among them stands at the top.
        attributes: Names of attributes to show behind the name, where a span has them.
    """
    ordered = sorted(spans, key=lambda span: span.start_time or 0)
    known = {span.context.span_id for span in ordered if span.context is not None}
    children: dict[int | None, list[ReadableSpan]] = {}
    for span in ordered:
        parent = span.parent.span_id if span.parent is not None else None
        children.setdefault(parent if parent in known else None, []).append(span)
    return "\n".join(_lines(children, None, 0, attributes))


def _lines(
    children: dict[int | None, list[ReadableSpan]],
    parent: int | None,
    depth: int,
    shown: Sequence[str],
) -> Iterator[str]:
    for span in children.get(parent, ()):
        values = span.attributes or {}
        details = "".join(f" {name}={values[name]!s}" for name in shown if name in values)
        yield f"{'  ' * depth}{span.name}{details}"
        if span.context is not None:
            yield from _lines(children, span.context.span_id, depth + 1, shown)


def _underscored(attributes: Mapping[str, object]) -> dict[str, object]:
    return {name.replace(".", "_"): value for name, value in attributes.items()}
