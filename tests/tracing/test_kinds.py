from __future__ import annotations

import asyncio

import pytest
from opentelemetry.trace import StatusCode

from sqlobs.tracing.instance import current_generation
from tests.tracing.kinds import KINDS
from tests.tracing.rig import BAD, BROKEN, GOOD, VERDICTS

pytestmark = pytest.mark.parametrize("kind", KINDS, ids=repr)


class RefusedError(Exception):
    """What a user's function raises."""


@pytest.mark.parametrize("sql", [GOOD, BAD, BROKEN])
def test_one_call_is_one_span_with_the_verdict_of_its_sql(kind, rig, sql):
    """Every kind gives the same value and the same span."""
    call = kind.make(rig.sqlobs.trace_generation, lambda question: sql)
    assert call("how many?") == sql
    attributes = dict(rig.generation.attributes)
    is_error = rig.generation.status.status_code is StatusCode.ERROR
    assert is_error == (VERDICTS[sql] == "failed")
    assert attributes["gen_ai.operation.name"] == "invoke_workflow"
    assert attributes["sqlobs.outcome"] == "answered"
    assert attributes["sqlobs.verdict"] == VERDICTS[sql]
    assert attributes["sqlobs.attempts"] == 1
    assert attributes["sqlobs.schema.version"]
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {VERDICTS[sql]: 1}


def test_the_span_is_named_after_the_function(kind, rig):
    """`invoke_workflow {name}`, the name of the callable, whatever wraps it."""
    kind.make(rig.sqlobs.trace_generation, lambda question: GOOD)("q")
    names = {"callable_object": "Model", "returned_coroutine": "start"}
    assert rig.generation.name == f"invoke_workflow {names.get(kind.name, 'generate')}"


def test_an_exception_passes_unchanged(kind, rig):
    """The same object comes out; the span has ERROR and the class, never the message."""
    error = RefusedError("canary in a message")

    def body(question):
        raise error

    with pytest.raises(RefusedError) as caught:
        kind.make(rig.sqlobs.trace_generation, body)("q")
    assert caught.value is error
    span = rig.generation
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == f"{__name__}.RefusedError"
    assert span.attributes["error.type"] == f"{__name__}.RefusedError"
    assert rig.verdict == ("error", "not_evaluated")
    assert span.attributes["sqlobs.syntactic_reason"] == "call_failed"
    (event,) = span.events
    assert (event.name, event.attributes["exception.type"]) == (
        "exception",
        f"{__name__}.RefusedError",
    )
    assert "exception.message" not in event.attributes
    assert rig.counts("sqlobs.generations", "sqlobs.outcome") == {"error": 1}


def test_the_body_sees_its_generation_and_its_spans_are_children(kind, rig):
    """Spans made inside nest below the generation; the handle is the span's."""
    seen = []

    def body(question):
        seen.append(current_generation().id)
        with rig.tracer.start_as_current_span("child"):
            return GOOD

    with rig.tracer.start_as_current_span("request"):
        kind.make(rig.sqlobs.trace_generation, body)("q")
    name = rig.generation.name
    assert rig.tree == f"request({name}(child))"
    context = rig.generation.context
    assert seen == [f"00-{context.trace_id:032x}-{context.span_id:016x}-01"]
    assert not current_generation()


def test_children_lie_within_their_parents_time(kind, rig):
    """A child's times lie inside its parent's."""

    def body(question):
        with rig.tracer.start_as_current_span("child"):
            return GOOD

    with rig.tracer.start_as_current_span("request"):
        kind.make(rig.sqlobs.trace_generation, body)("q")
    outer, middle, inner = rig.spans
    assert outer.start_time <= middle.start_time <= inner.start_time
    assert inner.end_time <= middle.end_time <= outer.end_time


def test_a_cancellation_is_no_error(kind, rig):
    """`CancelledError` is outcome `cancelled`, status UNSET, in no rate."""

    def body(question):
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        kind.make(rig.sqlobs.trace_generation, body)("q")
    assert rig.verdict == ("cancelled", "not_evaluated")
    assert rig.generation.status.status_code is StatusCode.UNSET
    assert "error.type" not in rig.generation.attributes
    assert rig.counts("sqlobs.evaluations", "gen_ai.evaluation.score.label") == {"not_evaluated": 3}


def test_nothing_returned_is_an_abstention(kind, rig):
    """A returned `None` means that no SQL was given on purpose; an empty stream lacks its SQL."""
    kind.make(rig.sqlobs.trace_generation, lambda question: None)("q")
    empty_stream = ("answered", "failed")
    assert rig.verdict == (empty_stream if kind.streams else ("abstained", "not_evaluated"))


def test_an_attempt_inside_is_checked_now_and_counted(kind, rig):
    """`attempt` gives the report at once; the returned text is the last attempt again."""
    reports = []

    def body(question):
        reports.extend(current_generation().attempt(sql) for sql in (BAD, GOOD))
        return GOOD

    kind.make(rig.sqlobs.trace_generation, body)("q")
    assert [report.verdict for report in reports] == ["failed", "ok"]
    attributes = rig.generation.attributes
    assert attributes["sqlobs.attempts"] == 2
    assert attributes["sqlobs.first_attempt.verdict"] == "failed"
    assert attributes["sqlobs.verdict"] == "ok"
    name = rig.generation.name
    assert rig.tree == f"{name}(sqlobs.attempt, sqlobs.attempt)"
    assert rig.counts("sqlobs.attempts", "sqlobs.attempt.number", "sqlobs.verdict") == {
        ("1", "failed"): 1,
        ("2", "ok"): 1,
    }


def test_disabled_the_call_is_the_same_and_nothing_is_recorded(kind, monkeypatch):
    """`OTEL_SDK_DISABLED` stops spans and metrics; `attempt` still checks."""
    from tests.tracing.rig import Rig

    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    reports = []

    def body(question):
        reports.append(current_generation().attempt(BAD))
        return GOOD

    with Rig(mode="inline") as rig:
        assert kind.make(rig.sqlobs.trace_generation, body)("q") == GOOD
        assert [report.unknown_columns for report in reports] == [("totl",)]
        assert rig.spans == []
        assert rig.counts("sqlobs.generations") == {}
