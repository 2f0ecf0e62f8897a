"""An answer given before ends its request as that was ended, without another check."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanLimits, SpanProcessor

from sqlobs import Policy, SchemaSource
from sqlobs.tracing.description import written_before
from tests.tracing.rig import BAD, GOOD, SCHEMA, Rig


def checks_of(rig):
    """The texts the checker is asked about from now on."""
    asked, check = [], rig.sqlobs.runtime.checker.check

    def note(sql, resolved):
        asked.append(sql)
        return check(sql, resolved)

    rig.sqlobs.runtime.checker.check = note
    return asked


def without_times(span):
    """The attributes of a span but the durations."""
    return {name: value for name, value in span.attributes.items() if "duration" not in name}


@pytest.mark.parametrize("mode", ["inline", "deferred"])
@pytest.mark.parametrize("is_fetched", [False, True])
@pytest.mark.parametrize("sql", [GOOD, BAD])
def test_the_same_answer_is_checked_once_and_looks_the_same(sql, is_fetched, mode):
    """Whether the schema is given or fetched, and whoever ends the span."""
    schema = SchemaSource(lambda: SCHEMA, initial=SCHEMA) if is_fetched else SCHEMA
    with Rig(mode=mode) as rig:
        rig.sqlobs.configure(schema=schema, mode=mode)
        asked = checks_of(rig)
        generate = rig.sqlobs.trace_generation(lambda question: sql)
        for _ in range(3):
            generate("q")
            rig.sqlobs.flush(30)
        first, *others = map(without_times, rig.generations)
        assert others == [first, first]
        assert asked.count(sql) == 1
        verdict = "ok" if sql is GOOD else "failed"
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {verdict: 3}


def test_other_conditions_are_another_answer(rig):
    """A tenant's requests carry that tenant, whatever was answered before."""
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    for tenant in ("a", "b", "a", None):
        with rig.sqlobs.context(tenant=tenant):
            generate("q")
    assert [span.attributes.get("sqlobs.tenant") for span in rig.generations] == [
        "a",
        "b",
        "a",
        None,
    ]


def test_an_execution_inside_makes_a_request_its_own(rig):
    """Inner calls are recorded, although the answer is cached."""
    run = rig.sqlobs.trace_execution(lambda sql: [(1,)], sql="sql")

    @rig.sqlobs.trace_generation
    def generate(question):
        if question == "run":
            run(GOOD)
        return GOOD

    for question in ("q", "run", "q"):
        generate(question)
    shown = ["sqlobs.execution.duration" in span.attributes for span in rig.generations]
    assert shown == [False, True, False]


def test_a_new_configuration_checks_a_repeated_answer_again(rig):
    """Its policy, or an engine, may judge otherwise."""
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    generate("q"), generate("q")
    denied = Policy(denied_tables={"orders"})
    rig.sqlobs.configure(schema=SCHEMA, mode="inline", policy=denied)
    generate("q"), generate("q")
    found = [span.attributes["sqlobs.verdict"] for span in rig.generations]
    assert found == ["ok", "ok", "failed", "failed"]


# -- the attributes are validated once ----------------------------------------------------------------


class Marking(SpanProcessor):
    """A processor of the application's that marks every span."""

    def on_start(self, span, parent_context=None):
        """Set an attribute."""
        span.set_attribute("app.mark", "m")


LIMITS = [
    SpanLimits(),
    SpanLimits(max_span_attribute_length=5),
    SpanLimits(max_span_attributes=10),
]


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("processors", [(), (Marking(),)])
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("mode", ["inline", "deferred"])
def test_a_repeated_span_is_the_first_one_again(monkeypatch, mode, limits, processors, is_known):
    """In order and size, under limits, beside the attributes of others, and with another SDK."""
    monkeypatch.setattr(written_before, "_KNOWN", is_known)
    with Rig(mode=mode, processors=processors, span_limits=limits) as rig:
        generate = rig.sqlobs.trace_generation(lambda question: BAD)
        for _ in range(3):
            generate("q")
            rig.sqlobs.flush(30)
        first, *others = [list(without_times(span).items()) for span in rig.generations]
        assert others == [first, first]
        assert {span.dropped_attributes for span in rig.generations} == {
            rig.generations[0].dropped_attributes
        }


def test_what_the_function_sets_on_its_span_stays(rig):
    """Although the answer is known."""

    @rig.sqlobs.trace_generation
    def generate(question):
        trace.get_current_span().set_attribute("app.question", question)
        return GOOD

    for question in ("a", "b", "c"):
        generate(question)
    spans = [list(span.attributes.items()) for span in rig.generations]
    assert [attributes[0] for attributes in spans] == [
        ("app.question", "a"),
        ("app.question", "b"),
        ("app.question", "c"),
    ]
    assert {len(attributes) for attributes in spans} == {len(spans[0])}
