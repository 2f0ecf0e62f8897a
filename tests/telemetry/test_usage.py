from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider

from sqlobs.testing import capture_spans
from sqlobs.tracing.instance import Sqlobs
from sqlobs.tracing.stages.usage import read_usage_from

OFFICIAL = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 20,
}
OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-4o",
    "llm.token_count.prompt": 100,
    "llm.token_count.completion": 20,
}
OPENLLMETRY = {
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.usage.prompt_tokens": 100,
    "gen_ai.usage.completion_tokens": 20,
}


@pytest.fixture
def instance():
    """An instance whose checks need nothing."""
    return Sqlobs(dialect="sqlite")


def generation_with(instance, body):
    """Trace one request whose body may make spans of an instrumentation; return its attributes."""
    with capture_spans(instance) as spans:
        provider = instance.holder.configuration.destination.tracer_provider
        tracer = provider.get_tracer("some.instrumentation")

        @instance.trace_generation
        def generate():
            body(tracer)
            return "SELECT 1"

        generate()
        return dict(spans.generation.attributes)


@pytest.mark.parametrize("shape", [OFFICIAL, OPENINFERENCE, OPENLLMETRY])
def test_model_and_tokens_of_any_instrumentation_are_rolled_up(instance, shape):
    """Each instrumentation has its own names; the request carries ours, never `gen_ai.usage.*`."""

    def two_calls(tracer):
        for _ in range(2):
            with tracer.start_as_current_span("call", attributes=shape):
                pass

    seen = generation_with(instance, two_calls)
    assert seen["sqlobs.usage.input_tokens"] == 200
    assert seen["sqlobs.usage.output_tokens"] == 40
    assert seen["gen_ai.request.model"] == "gpt-4o"
    assert seen["sqlobs.llm.duration"] >= 0
    assert [name for name in seen if name.startswith("gen_ai.usage")] == []


def test_nested_spans_of_one_call_count_once(instance):
    """Two instrumentations at once, or an agent's sum above its calls: the innermost counts."""

    def nested(tracer):
        agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.output_tokens": 40}
        with (
            tracer.start_as_current_span("agent", attributes=agent),
            tracer.start_as_current_span("middleware"),
            tracer.start_as_current_span("ChatCompletion", attributes=OPENINFERENCE),
            tracer.start_as_current_span("chat", attributes=OFFICIAL),
        ):
            pass

    seen = generation_with(instance, nested)
    assert (seen["sqlobs.usage.input_tokens"], seen["sqlobs.usage.output_tokens"]) == (100, 20)


def test_spans_that_are_no_model_call_add_nothing(instance):
    """A database span inside the request is not a model."""

    def query(tracer):
        with tracer.start_as_current_span("SELECT", attributes={"db.system.name": "sqlite"}):
            pass

    seen = generation_with(instance, query)
    assert {"sqlobs.usage.input_tokens", "sqlobs.llm.duration"}.isdisjoint(seen)


def test_model_calls_outside_a_request_are_ignored(instance):
    """The judge of another framework in the same process is not billed to a request."""
    with capture_spans(instance) as spans:
        tracer = instance.holder.configuration.destination.tracer_provider.get_tracer("other")
        with tracer.start_as_current_span("chat", attributes=OFFICIAL):
            pass
        instance.trace_generation(lambda: "SELECT 1")()
        assert "sqlobs.usage.input_tokens" not in spans.generation.attributes


def test_two_applications_on_one_provider_count_tokens_once():
    """The processor is installed once per provider."""
    provider = TracerProvider(shutdown_on_exit=False)
    added = []
    provider.add_span_processor = added.append
    assert read_usage_from(provider)
    assert read_usage_from(provider)
    assert len(added) == 1


def test_an_application_s_provider_without_processors_disables_tracing():
    """ddtrace's provider takes none: the request is traced anyway."""
    assert read_usage_from(object()) is False


def test_a_model_call_in_a_metric_carries_the_configured_model():
    """The label is the configured name, whatever release answered."""
    instance = Sqlobs(dialect="sqlite")
    with capture_spans(instance) as spans:
        tracer = instance.holder.configuration.destination.tracer_provider.get_tracer("x")

        @instance.trace_generation
        def generate():
            shape = {**OFFICIAL, "gen_ai.response.model": "gpt-4o-2024-08-06"}
            with tracer.start_as_current_span("chat", attributes=shape):
                pass
            return "SELECT 1"

        generate()
        counted = spans.counter(
            "sqlobs.usage.tokens",
            gen_ai_request_model="gpt-4o",
            sqlobs_token_type="input",  # noqa: S106 - a label, no password
        )
    assert counted == 100
