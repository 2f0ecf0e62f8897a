"""What our spans contain: masked and redacted texts, size limits, tokens counted once."""

from __future__ import annotations

from tests.tracing.rig import BAD, GOOD, Rig


def test_redaction_applies_to_our_spans_only(rig):
    """langfuse#15372: the boundary is said: a foreign child keeps what its maker wrote."""

    def redact(kind, text):
        return "***"

    with Rig(mode="inline", redact=redact) as own:

        @own.sqlobs.trace_generation
        def generate(question):
            with own.tracer.start_as_current_span("theirs") as span:
                span.set_attribute("theirs", "raw")
            return GOOD

        generate("q")
        theirs = next(span for span in own.spans if span.name == "theirs")
        assert theirs.attributes["theirs"] == "raw"
        assert own.generation.attributes["sqlobs.query.text"] == "***"


def test_no_marker_or_message_quotes_a_value(rig):
    """logfire#1909: parser messages quote SQL; masked, or left out."""
    generate = rig.sqlobs.trace_generation(lambda question: question)
    for sql in ("SELECT total FROM orders WHERE 'canary' 'canary2", "SELEC 'canary3' FROM orders"):
        generate(sql)
    seen = repr([dict(span.attributes) for span in rig.spans])
    assert "canary" not in seen


def test_a_huge_statement_is_truncated_and_marked(rig):
    """dd-trace-py#13260: one huge attribute must not cost the batch."""
    huge = f"SELECT total FROM orders WHERE customer IN ({', '.join(['1'] * 9000)})"
    rig.sqlobs.trace_generation(lambda question: huge)("q")
    attributes = rig.generation.attributes
    assert len(attributes["sqlobs.query.text"].encode()) <= 16 * 1024
    assert attributes["sqlobs.query.truncated"] is True


def test_generation_attributes_survive_the_limit_of_128(rig):
    """openinference#3527: the SDK evicts the oldest, so ours come last."""

    @rig.sqlobs.trace_generation
    def generate(question):
        from opentelemetry.trace import get_current_span

        get_current_span().set_attributes({f"app.{n}": n for n in range(200)})
        return BAD

    generate("q")
    attributes = rig.generation.attributes
    assert len(attributes) == 128
    assert attributes["sqlobs.verdict"] == "failed"
    assert list(attributes)[-1] == "sqlobs.verdict"


def test_tokens_are_never_on_parent_and_child(rig):
    """harness-sdk#1267: `gen_ai.usage.*` is the model call's alone."""

    @rig.sqlobs.trace_llm(model="m")
    def ask(prompt):
        return {"usage": {"input_tokens": 3, "output_tokens": 2}, "model": "m"}

    @rig.sqlobs.trace_generation
    def generate(question):
        ask("p")
        return GOOD

    generate("q")
    with_usage = [
        span.name for span in rig.spans if any("gen_ai.usage" in name for name in span.attributes)
    ]
    assert with_usage == ["chat m"]
    assert rig.generation.attributes["sqlobs.usage.input_tokens"] == 3
