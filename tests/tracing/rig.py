"""An instance of sqlobs with providers of its own, and its spans as a tree that can be compared."""

from __future__ import annotations

from dataclasses import dataclass, field

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from sqlobs import Schema
from sqlobs.tracing.instance import Sqlobs

SCHEMA = Schema.from_ddl(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total NUMERIC);"
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);",
    dialect="sqlite",
)
GOOD = "SELECT total FROM orders"
BAD = "SELECT totl FROM orders"
BROKEN = "SELECT FROM WHERE"
VERDICTS = {GOOD: "ok", BAD: "failed", BROKEN: "failed"}


@dataclass
class Node:
    """A span with its children, by name."""

    name: str
    children: list[Node] = field(default_factory=list)

    def __repr__(self):
        inner = ", ".join(map(repr, self.children))
        return f"{self.name}({inner})" if inner else self.name


class Rig:
    """Builds the instance; as a context manager shuts it down."""

    def __init__(self, *, processors=(), span_limits=None, **options):
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False, span_limits=span_limits)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        for processor in processors:
            self.provider.add_span_processor(processor)
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider(metric_readers=[self.reader], shutdown_on_exit=False)
        options.setdefault("schema", SCHEMA)
        self.sqlobs = Sqlobs(tracer_provider=self.provider, meter_provider=self.meters, **options)
        self.tracer = self.provider.get_tracer("user")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.sqlobs.shutdown(5)
        self.provider.shutdown()
        self.meters.shutdown()

    @property
    def spans(self):
        """All ended spans, in order of start."""
        self.sqlobs.flush(30)
        return sorted(self.exporter.get_finished_spans(), key=lambda span: span.start_time)

    @property
    def generations(self):
        """The ended spans of generations."""
        return [span for span in self.spans if span.name.startswith("invoke_workflow")]

    @property
    def generation(self):
        """The one span of a generation."""
        (span,) = self.generations
        return span

    @property
    def verdict(self):
        """Outcome and verdict of the one generation."""
        attributes = self.generation.attributes
        return attributes["sqlobs.outcome"], attributes["sqlobs.verdict"]

    @property
    def tree(self):
        """The ended spans as trees; a span whose parent is missing raises."""
        nodes = {span.context.span_id: Node(span.name) for span in self.spans}
        roots = []
        for span in self.spans:
            node = nodes[span.context.span_id]
            siblings = roots if span.parent is None else nodes[span.parent.span_id].children
            siblings.append(node)
        return repr(roots[0]) if len(roots) == 1 else repr(roots)

    def counts(self, metric, *labels):
        """The points of a counter that are not zero, by the values of the labels named."""
        self.sqlobs.flush(30)
        found = {}
        for point in self._points(metric):
            key = tuple(point.attributes.get(label) for label in labels)
            value = getattr(point, "value", None)
            value = point.count if value is None else value
            if value:
                key = key if len(labels) != 1 else key[0]
                found[key] = found.get(key, 0) + value
        return found

    def _points(self, metric):
        collected = self.reader.get_metrics_data()
        if collected is None:
            return
        for resource in collected.resource_metrics:
            for scope in resource.scope_metrics:
                for found in scope.metrics:
                    if found.name == metric:
                        yield from found.data.data_points
