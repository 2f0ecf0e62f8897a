from __future__ import annotations

from types import SimpleNamespace

import pytest
from opentelemetry import context as context_api

from tests.tracing.rig import GOOD

USAGE = SimpleNamespace(prompt_tokens=100, completion_tokens=20)
COMPLETION = SimpleNamespace(
    model="gpt-x-2026",
    usage=USAGE,
    choices=[SimpleNamespace(message=SimpleNamespace(content=GOOD), finish_reason="stop")],
)


def test_stage_times_and_usage_roll_up_on_the_generation(rig):
    """Model calls and retrieval below a generation are summed on its span."""

    @rig.sqlobs.trace_retrieval(source="catalogue")
    def tables(question):
        return ["orders"]

    @rig.sqlobs.trace_llm(model="gpt-x", provider="openai")
    def ask(prompt):
        return COMPLETION

    @rig.sqlobs.trace_generation
    def generate(question):
        tables(question)
        ask("p"), ask("p")
        return GOOD

    generate("q")
    assert rig.tree == ("invoke_workflow generate(retrieval catalogue, chat gpt-x, chat gpt-x)")
    attributes = rig.generation.attributes
    assert attributes["sqlobs.llm.duration"] > 0
    assert attributes["sqlobs.retrieval.duration"] > 0
    assert attributes["sqlobs.usage.input_tokens"] == 200
    assert attributes["sqlobs.usage.output_tokens"] == 40
    assert attributes["gen_ai.request.model"] == "gpt-x"


def test_a_model_call_is_a_client_span_of_the_genai_conventions(rig):
    """`chat {model}`, CLIENT, with model, tokens and finish reason of the completion."""
    rig.sqlobs.trace_llm(model="gpt-x", provider="openai")(lambda prompt: COMPLETION)("p")
    (span,) = rig.spans
    assert (span.name, span.kind.name) == ("chat gpt-x", "CLIENT")
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        "openinference.span.kind": "LLM",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
    }


def test_a_streamed_model_call_lasts_until_its_stream_is_read(rig):
    """Tokens come with the last chunk; the span covers the whole stream."""

    def chunk(text, usage=None):
        choice = SimpleNamespace(delta=SimpleNamespace(content=text), finish_reason=None)
        return SimpleNamespace(model="gpt-x", choices=[choice], usage=usage)

    @rig.sqlobs.trace_llm(model="gpt-x")
    def ask(prompt):
        yield chunk("SELECT total ")
        yield chunk("FROM orders", USAGE)

    @rig.sqlobs.trace_generation
    def generate(question):
        return "".join(piece.choices[0].delta.content for piece in ask("p"))

    assert generate("q") == GOOD
    assert rig.tree == "invoke_workflow generate(chat gpt-x)"
    assert rig.generation.attributes["sqlobs.usage.input_tokens"] == 100


def test_trace_llm_makes_no_span_inside_an_instrumented_call(rig):
    """The official instrumentation announces its call in the context."""
    key = "opentelemetry.genai.client.inference.context"
    token = context_api.attach(context_api.set_value(key, object()))
    try:
        assert rig.sqlobs.trace_llm(model="m")(lambda prompt: "x")("p") == "x"
    finally:
        context_api.detach(token)
    assert rig.spans == []


def test_tracing_of_a_client_stops_if_an_instrumentation_patches_it(rig, monkeypatch):
    """A foreign instrumentation cannot be silenced: ours is made only where it made no span."""
    import openai

    from sqlobs.tracing.records.record import Usage
    from sqlobs.tracing.requests.rollup import rollup_of

    def request(self, *args, **kwargs):
        """Stand for the method that an instrumentation has wrapped."""

    request.__wrapped__ = openai.OpenAI.request
    monkeypatch.setattr(openai.OpenAI, "request", request)

    @rig.sqlobs.trace_llm(model="gpt-x")
    def ask(prompt, *, is_seen):
        if is_seen:  # what a span processor does when the foreign span ends
            rollup_of().add_model_call(duration_s=1.0, model="theirs", usage=Usage(7, 3))
        return COMPLETION

    @rig.sqlobs.trace_generation
    def generate(question):
        ask("p", is_seen=True)
        ask("p", is_seen=False)
        return GOOD

    generate("q")
    assert rig.tree == "invoke_workflow generate(chat gpt-x)"
    attributes = rig.generation.attributes
    assert attributes["sqlobs.usage.input_tokens"] == 107
    assert attributes["sqlobs.llm.duration"] > 1


def test_usage_of_a_returned_completion_is_used_without_a_span(rig):
    """Model and tokens of a returned completion, once; never as `gen_ai.usage` on the parent."""
    rig.sqlobs.trace_generation(lambda question: COMPLETION)("q")
    attributes = rig.generation.attributes
    assert rig.verdict == ("answered", "ok")
    assert attributes["gen_ai.request.model"] == "gpt-x-2026"
    assert attributes["sqlobs.usage.input_tokens"] == 100
    assert not any(name.startswith("gen_ai.usage") for name in attributes)


def test_an_exception_of_a_stage_passes_unchanged(rig):
    """Stages write the class of an exception and nothing else of it."""
    error = ValueError("canary")

    @rig.sqlobs.trace_retrieval
    def tables(question):
        raise error

    with pytest.raises(ValueError, match="canary") as caught:
        tables("q")
    assert caught.value is error
    (span,) = rig.spans
    assert span.name == "retrieval tables"
    assert span.attributes["error.type"] == "ValueError"
    assert (span.status.status_code.name, span.status.description) == ("ERROR", None)


def test_what_a_block_sets_on_its_model_call_rolls_up(rig):
    """Raw HTTP clients tell tokens and model themselves."""
    told = {
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
    }

    @rig.sqlobs.trace_generation
    def generate(question):
        with rig.sqlobs.trace_llm(provider="openai") as call:
            call.set(told)
        return GOOD

    generate("q")
    attributes = rig.generation.attributes
    assert attributes["sqlobs.usage.input_tokens"] == 100
    assert attributes["sqlobs.usage.output_tokens"] == 20
    assert attributes["gen_ai.request.model"] == "gpt-x-2026"
    (chat,) = [span for span in rig.spans if span.name.startswith("chat")]
    assert {name: chat.attributes[name] for name in told} == told
    assert rig.counts("sqlobs.usage.tokens", "sqlobs.token.type") == {"input": 100, "output": 20}
