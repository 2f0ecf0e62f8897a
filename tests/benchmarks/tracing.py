"""What a traced call costs the request thread, against a bare span and against other decorators.

CPU of the calling thread per call, metrics on, no collector. The reference is a recorded span
with 20 attributes, made current, with a batch processor behind it; that of the disabled case is
a `wrapt` decorator that does nothing.
"""

from __future__ import annotations

import os
from time import process_time, thread_time
from typing import TYPE_CHECKING, Any

import wrapt
from opentelemetry.context import attach, detach
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import set_span_in_context

from sqlobs import Schema, Sqlobs
from tests.benchmarks.rounds import compare, show
from tests.benchmarks.scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = Schema.from_ddl(
    "CREATE TABLE orders (id int, total int, customer int);"
    "CREATE TABLE customers (id int, name text);",
    dialect="sqlite",
)
SQL = (
    "SELECT c.name, SUM(o.total) AS revenue FROM orders o JOIN customers c ON c.id = o.customer "
    "WHERE o.total > 5 GROUP BY c.name ORDER BY revenue DESC LIMIT 10"
)
ATTRIBUTES = {f"app.attribute_{number}": f"value {number}" for number in range(20)}


class NoExporter(SpanExporter):
    """Takes spans and does nothing: what is measured is the calling thread."""

    def export(self, spans: Any) -> SpanExportResult:
        """Take them."""
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Nothing to stop."""


def provider() -> TracerProvider:
    """Return a provider with a batch processor."""
    made = TracerProvider()
    made.add_span_processor(BatchSpanProcessor(NoExporter()))
    return made


def bare_span(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a span of 20 attributes around it."""
    tracer = provider().get_tracer("bench")

    @wrapt.decorator
    def traced(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        span = tracer.start_span("bare")
        token = attach(set_span_in_context(span))
        try:
            value = wrapped(*args, **kwargs)
        finally:
            detach(token)
        span.set_attributes(ATTRIBUTES)
        span.end()
        return value

    return traced(function)


@wrapt.decorator
def passed_through(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
    """Do nothing."""
    return wrapped(*args, **kwargs)


def instance(mode: str, *, disabled: bool = False) -> Sqlobs:
    """Return an instance with providers of its own."""
    if disabled:
        os.environ["OTEL_SDK_DISABLED"] = "true"
    try:
        return Sqlobs(
            tracer_provider=provider(),
            meter_provider=MeterProvider(metric_readers=[InMemoryMetricReader()]),
            schema=SCHEMA,
            mode=mode,
        )
    finally:
        os.environ.pop("OTEL_SDK_DISABLED", None)


def generate(question: str) -> str:
    """Answer at once."""
    return SQL


def main() -> None:
    """Print the figures."""
    ours = {mode: instance(mode) for mode in ("inline", "auto", "deferred")}
    traced = {
        f"sqlobs {mode}, cached verdict": made.trace_generation(generate)
        for mode, made in ours.items()
    }
    functions = {"bare span, 20 attributes": bare_span(generate), **traced, **others(generate)}
    figures = compare(
        {name: lambda call=call: call("q") for name, call in functions.items()},
        reference="bare span, 20 attributes",
        between=lambda: [made.flush(5) for made in ours.values()],
    )
    show(
        figures,
        bars={"sqlobs inline, cached verdict": 1.5, "sqlobs deferred, cached verdict": 0.75},
    )
    for mode, made in ours.items():
        micros = worker_micros(made, traced[f"sqlobs {mode}, cached verdict"])
        print(f"{f'worker beside it, {mode}':<34} {micros:8.2f} µs a request, metrics included")
    disabled = instance("auto", disabled=True).trace_generation(generate)
    show(
        compare(
            {
                "wrapt pass-through": lambda: PASSED("q"),
                "sqlobs disabled": lambda: disabled("q"),
            },
            reference="wrapt pass-through",
            calls=scaled(5000, least=10),
        ),
        bars={"sqlobs disabled": 2.5},
    )


def worker_micros(
    made: Sqlobs, traced: Callable[..., Any], calls: int = scaled(2000, least=100)
) -> float:
    """Return the CPU of all other threads per call, in microseconds."""
    made.flush(5)
    others = process_time() - thread_time()
    for number in range(calls):
        traced("q")
        if number % 100 == 99:
            made.flush(5)
    return (process_time() - thread_time() - others) / calls * 1e6


PASSED = passed_through(generate)


def others(function: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return what other products' decorators make of the function, where they are installed."""
    found: dict[str, Callable[..., Any]] = {}
    for name, make in (
        ("OpenInference chain", _openinference),
        ("Langfuse observe", _langfuse),
        ("Logfire instrument", _logfire),
    ):
        try:
            found[name] = make(function)
        except ImportError:
            print(f"{name:<34} not installed, left out")
    return found


def _openinference(function: Callable[..., Any]) -> Callable[..., Any]:
    from openinference.instrumentation import OITracer, TraceConfig

    tracer = OITracer(provider().get_tracer("bench"), config=TraceConfig())
    return tracer.chain(function)


def _langfuse(function: Callable[..., Any]) -> Callable[..., Any]:
    from langfuse import Langfuse, observe

    Langfuse(
        public_key="pk-lf-bench",
        secret_key="sk-lf-bench",  # noqa: S106 - no key: nothing is sent
        tracer_provider=TracerProvider(),
        span_exporter=NoExporter(),
    )
    return observe()(function)


def _logfire(function: Callable[..., Any]) -> Callable[..., Any]:
    import logfire

    configured = logfire.configure(
        send_to_logfire=False,
        console=False,
        local=True,
        additional_span_processors=[BatchSpanProcessor(NoExporter())],
    )
    return configured.instrument(record_return=True)(function)


if __name__ == "__main__":
    main()
