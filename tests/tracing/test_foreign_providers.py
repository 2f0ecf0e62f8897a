"""Providers of the application: used, never replaced, flushed after our own queue."""

from __future__ import annotations

from opentelemetry.sdk.trace import SpanProcessor

from tests.tracing.interpreter import output_of
from tests.tracing.rig import GOOD, Rig


def test_a_foreign_provider_is_used_and_never_replaced():
    """langfuse#6885: a provider that lacks `add_span_processor` works as well."""
    program = """
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider

        class Foreign(trace.TracerProvider):
            names = []
            inner = TracerProvider()

            def get_tracer(self, *args, **kwargs):
                return self.inner.get_tracer(*args, **kwargs)

        foreign = Foreign()
        from sqlobs import configure, flush, trace_generation, current_generation
        configure(mode="inline")
        trace.set_tracer_provider(foreign)

        @trace_generation
        def generate(question):
            span = trace.get_current_span()
            assert span.name == "invoke_workflow generate", span
            return "SELECT 1"

        assert generate("q") == "SELECT 1"
        flush()
        assert trace.get_tracer_provider() is foreign
        print("ok")
    """
    assert output_of(program) == "ok"


def test_flush_drains_our_queue_before_the_providers():
    """langsmith-sdk#2438: `flush` has a real deadline and does both."""

    class Slow(SpanProcessor):
        flushed = False

        def force_flush(self, timeout_millis=30000):
            Slow.flushed = len(rig.exporter.get_finished_spans()) == 20
            return True

    with Rig(mode="deferred", processors=[Slow()]) as rig:
        generate = rig.sqlobs.trace_generation(lambda question: GOOD)
        for _ in range(20):
            generate("q")
        assert rig.sqlobs.flush(10)
        assert Slow.flushed
