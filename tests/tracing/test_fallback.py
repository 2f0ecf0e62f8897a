"""The LLM fallback in tracing: late, waited for, and for comparison, against a real endpoint."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from sqlobs import Schema
from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.budget import BudgetLimits
from sqlobs.judge.endpoint.endpoint import Endpoint, EndpointConfig
from sqlobs.judge.fallback import LlmFallback
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.tracing import fallback_runner
from tests.otlp import backend, values_of
from tests.tracing.rig import Rig

SCHEMA = Schema.from_mapping({"boat": {"id": "integer", "name": "text"}}, dialect="hive")
UNDECIDED = "SELECT ai_complete(name) FROM boat WHERE name = 'Ada'"
DECIDED = "SELECT nme FROM boat"
ALL_TRUE = {
    "reasoning": "Fine, said Ada.",
    **dict.fromkeys(("grammar", "functions", "grounding", "aliases"), True),
    **dict.fromkeys(("syntactic", "schematic"), True),
    "wrong_names": [],
}
NO_FUNCTION = {
    **ALL_TRUE,
    "functions": False,
    "syntactic": False,
    "wrong_names": [{"name": "ai_complete", "kind": "function"}],
}


def saying(verdict):
    """Return a model that says this of every statement."""
    return lambda _: ChatReply(json.dumps(verdict))


@contextmanager
def rigged(mode, respond=None, /, **options):
    """Trace with a fallback on a real server; what else is sent goes to a real collector."""
    with serving(respond or saying(ALL_TRUE)) as model, backend() as collector:
        config = EndpointConfig(base_url=model.base_url, model="small", retries=0)
        options = {"schema": SCHEMA, "collector": collector.endpoint, **options}
        fallback = LlmFallback(Endpoint(config))
        with Rig(fallback=fallback, fallback_mode=mode, **options) as rig:
            rig.model = model
            rig.collector = collector
            yield rig


def late(rig):
    """Return the evaluations that came after their span: name to label and attributes."""
    rig.sqlobs.flush(10)
    logs = [log for log in rig.collector.logs if log.event_name == "gen_ai.evaluation.result"]
    return {
        values_of(log.attributes)["gen_ai.evaluation.name"]: (log, values_of(log.attributes))
        for log in logs
    }


def test_a_late_answer_is_an_evaluation_of_its_own():
    """The span keeps its reason; the event has the label, the kind and the span's ids."""
    with rigged("late", saying(NO_FUNCTION)) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        assert generate("?") == UNDECIDED
        events = late(rig)
        span = rig.generation
    assert span.attributes["sqlobs.syntactic_reason"] == "undecided"
    assert span.attributes["sqlobs.check.method"] == "static"
    assert list(events) == ["syntactic"]
    log, attributes = events["syntactic"]
    assert log.trace_id == span.context.trace_id.to_bytes(16, "big")
    assert log.span_id == span.context.span_id.to_bytes(8, "big")
    attributes.pop("sqlobs.evaluator.version")
    assert attributes == {
        "gen_ai.evaluation.name": "syntactic",
        "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.explanation": "functions failed: ai_complete",
        "sqlobs.evaluator.name": "sqlobs.fallback",
        "sqlobs.evaluator.kind": "llm",
        "sqlobs.generation.id": attributes["sqlobs.generation.id"],
    }


NAME_AND_LABEL = ("gen_ai.evaluation.name", "gen_ai.evaluation.score.label")


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        (saying(ALL_TRUE), "pass"),
        (saying(NO_FUNCTION), "fail"),
        (lambda _: ChatReply("no", status=500), "not_evaluated"),
    ],
    ids=["pass", "fail", "unreachable"],
)
def test_a_late_answer_counts_once(answer, label):
    """The verdict of the request stays; the open evaluation counts by the answer, if one comes."""
    with rigged("late", answer) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        generate("?")
        late(rig)
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"not_evaluated": 1}
        assert rig.counts("sqlobs.evaluations", *NAME_AND_LABEL) == {
            ("syntactic", label): 1,
            ("schematic", "pass"): 1,
            ("schema_hallucination", "pass"): 1,
        }


@pytest.mark.parametrize("mode", ["late", "wait"])
def test_a_call_is_a_trace_of_its_own_with_model_and_tokens(mode):
    """Linked to the evaluated span, whose trace it does not stretch."""
    with rigged(mode) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        generate("?")
        late(rig)
        [call] = [span for span in rig.spans if span.name == "chat small"]
        evaluated = rig.generation.context
    assert call.parent is None
    assert call.context.trace_id != evaluated.trace_id
    assert [link.context.span_id for link in call.links] == [evaluated.span_id]
    assert call.end_time - call.start_time > 0
    seen = dict(call.attributes)
    assert seen["gen_ai.usage.input_tokens"] > 0
    assert seen["gen_ai.usage.output_tokens"] > 0
    assert {name: seen[name] for name in ("gen_ai.operation.name", "gen_ai.request.model")} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "small",
    }
    assert seen["sqlobs.evaluator.name"] == "sqlobs.fallback"


@pytest.mark.parametrize("sdk_mode", ["auto", "deferred"])
def test_the_time_that_a_caller_waits_is_overhead(sdk_mode):
    """In the mode `wait`, the caller continues after the model has answered."""

    def slow(request):
        threading.Event().wait(0.3)
        return saying(ALL_TRUE)(request)

    with rigged("wait", slow, mode=sdk_mode) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        generate("?")
        rig.sqlobs.flush(10)
        [point] = list(rig._points("sqlobs.overhead.duration"))
    assert 0.3 <= point.sum < 30


def test_decided_statements_are_asked_about_for_comparison_only():
    """`always` sends labels of decided statements, too; the span's verdict is the checker's."""
    with rigged("always") as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return DECIDED

        generate("?")
        events = late(rig)
        attributes = rig.generation.attributes
    assert (attributes["sqlobs.schematic"], attributes["sqlobs.verdict"]) == (False, "failed")
    labels = {name: told["gen_ai.evaluation.score.label"] for name, (_, told) in events.items()}
    assert labels == {"syntactic": "pass", "schematic": "pass", "schema_hallucination": "pass"}


def test_decided_statements_are_not_sent_in_the_mode_late():
    """No call is made for them."""
    with rigged("late") as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return DECIDED

        generate("?")
        assert late(rig) == {}
        assert list(rig.model.requests) == []


def called(rig, kind):
    """Have a function of a kind give the undecided statement."""
    trace = rig.sqlobs.trace_generation

    @trace
    def plain(question):
        return UNDECIDED

    @trace
    async def later(question):
        return UNDECIDED

    @trace
    def streamed(question):
        yield from (UNDECIDED[:9], UNDECIDED[9:])

    @trace
    async def streamed_later(question):
        for part in (UNDECIDED[:9], UNDECIDED[9:]):
            yield part

    async def consume():
        return [part async for part in streamed_later("?")]

    def block():
        with trace(name="block") as generation:
            generation.set(sql=UNDECIDED)

    async def block_later():
        async with trace(name="block") as generation:
            generation.set(sql=UNDECIDED)

    calls = {
        "sync": lambda: plain("?"),
        "async": lambda: asyncio.run(later("?")),
        "stream": lambda: list(streamed("?")),
        "async stream": lambda: asyncio.run(consume()),
        "block": block,
        "async block": lambda: asyncio.run(block_later()),
    }
    calls[kind]()


@pytest.mark.parametrize("sdk_mode", ["auto", "inline", "deferred"])
@pytest.mark.parametrize(
    "kind", ["sync", "async", "stream", "async stream", "block", "async block"]
)
def test_a_waited_answer_is_on_the_span_when_the_caller_goes_on(kind, sdk_mode):
    """Label, codes and method are the span's; it is counted so, and has ended already."""
    with rigged("wait", saying(NO_FUNCTION), mode=sdk_mode) as rig:
        called(rig, kind)
        (span,) = [one for one in rig.exporter.get_finished_spans() if one.name != "chat small"]
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"failed": 1}
        assert late(rig) == {}
    attributes = span.attributes
    assert attributes["sqlobs.syntactic"] is False
    assert attributes["sqlobs.schematic"] is True
    assert attributes["sqlobs.failure.codes"] == ("syntax.dialect_mismatch",)
    assert attributes["sqlobs.check.method"] == "llm"
    assert "sqlobs.syntactic_reason" not in attributes


def test_an_event_loop_is_not_blocked_while_an_answer_is_awaited():
    """Other tasks run: the model answers only once another task has run."""
    released = threading.Event()

    def respond(_request):
        assert released.wait(20)
        return ChatReply(json.dumps(ALL_TRUE))

    with rigged("wait", respond) as rig:

        @rig.sqlobs.trace_generation
        async def generate(question):
            return UNDECIDED

        async def release():
            await asyncio.sleep(0)
            released.set()

        async def both():
            return await asyncio.gather(generate("?"), release())

        assert asyncio.run(both())[0] == UNDECIDED
        assert rig.generation.attributes["sqlobs.check.method"] == "llm"


def test_an_attempt_has_the_waited_labels_in_its_report():
    """So that a repair loop sees them; the async form does not block the loop."""
    with rigged("wait", saying(NO_FUNCTION)) as rig:

        @rig.sqlobs.trace_generation
        async def generate(question):
            from sqlobs import current_generation

            report = await current_generation().aattempt(UNDECIDED)
            assert (report.syntactic, report.decided_by) == (False, "llm")
            assert "ai_complete" in report.explain()
            return UNDECIDED

        asyncio.run(generate("?"))
        assert len(rig.model.requests) == 1
        assert rig.generation.attributes["sqlobs.attempts"] == 1


def test_an_unreachable_model_leaves_the_label_undecided():
    """The span ends with the reason, the caller gets its answer."""
    with rigged("wait", lambda _: ChatReply("no", status=500)) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        assert generate("?") == UNDECIDED
        attributes = rig.generation.attributes
    assert attributes["sqlobs.syntactic_reason"] == "undecided"
    assert attributes["sqlobs.check.method"] == "static"


@pytest.mark.parametrize("failure", ["down", "malformed", "timeout", "budget", "crowded"])
def test_an_answer_left_open_by_a_failure_is_asked_about_again(failure, monkeypatch):
    """Only what the model said is remembered: the same answer is whole once the model is well."""
    budget = BudgetLimits(tokens=100 if failure == "budget" else None, window="run")
    is_well = threading.Event()

    def respond(_request):
        if is_well.is_set():
            return ChatReply(json.dumps(NO_FUNCTION))
        if failure == "timeout":
            is_well.wait(20)
        return ChatReply("no", status=500 if failure == "down" else 200)

    with serving(respond) as model:
        config = EndpointConfig(
            base_url=model.base_url, model="small", retries=0, timeout_s=0.3, budget=budget
        )
        endpoint = Endpoint(config)
        with Rig(fallback=LlmFallback(endpoint), fallback_mode="wait", schema=SCHEMA) as rig:

            @rig.sqlobs.trace_generation
            def generate(question):
                return UNDECIDED

            monkeypatch.setattr(fallback_runner, "CAPACITY", 0 if failure == "crowded" else 256)
            generate("?")
            generate("?")
            is_well.set()
            monkeypatch.setattr(fallback_runner, "CAPACITY", 256)
            endpoint.config = replace(config, budget=BudgetLimits())
            generate("?")
            asked = len(model.requests)
            generate("?")
            spans = rig.generations
    assert [span.attributes["sqlobs.check.method"] for span in spans] == [
        *["static"] * 2,
        *["llm"] * 2,
    ]
    assert len(model.requests) == asked  # what it said is remembered


def test_a_failing_evaluator_has_an_error_type():
    """The late event is not evaluated, and carries `error.type`."""
    with rigged("late", lambda _: ChatReply("no", status=500)) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        generate("?")
        _, attributes = late(rig)["syntactic"]
    assert attributes["gen_ai.evaluation.score.label"] == "not_evaluated"
    assert attributes["error.type"] == "judge_unavailable"


@pytest.mark.parametrize("mode", ["late", "wait", "always"])
def test_a_redacted_statement_is_not_sent_to_the_fallback(mode):
    """Redacted SQL is never judged."""
    redact = lambda kind, text: text.replace("Ada", "?")  # noqa: E731 - as a user writes it
    with rigged(mode, redact=redact) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        generate("?")
        rig.sqlobs.flush(10)
        assert list(rig.model.requests) == []
        assert rig.generation.attributes["sqlobs.syntactic_reason"] == "undecided"


def test_nothing_of_the_model_s_words_is_on_a_span_or_event():
    """They may quote literals, so the recorded message is sqlobs' own."""
    with rigged("late") as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        generate("?")
        _, attributes = late(rig)["syntactic"]
    assert "gen_ai.evaluation.explanation" not in attributes


def test_a_value_that_a_model_reports_as_a_name_is_masked():
    """Only what masking leaves of the statement is a name of it."""
    verdict = {**NO_FUNCTION, "wrong_names": [{"name": "Ada", "kind": "column"}]}
    with rigged("late", saying(verdict)) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return UNDECIDED

        generate("?")
        _, attributes = late(rig)["syntactic"]
    assert attributes["gen_ai.evaluation.explanation"] == "functions failed: <quoted>"


def test_configure_rejects_an_invalid_fallback():
    """One sentence at once, not at the first request."""
    with pytest.raises(ConfigError, match=r"^argument fallback: .*`async def ask\(request\)`"):
        Rig(fallback=object())
