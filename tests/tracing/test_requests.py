from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sqlobs import Schema, current_generation
from sqlobs.tracing.requests.generation import OutsideGeneration
from tests.tracing.rig import BAD, BROKEN, GOOD, SCHEMA, Rig

OTHER = Schema.from_mapping({"films": ["title"]}, dialect="sqlite")


def test_precedence_is_set_over_context_over_decorator_over_configuration():
    """Each level wins over the one outside it."""
    with Rig(mode="inline", schema=OTHER) as rig:

        @rig.sqlobs.trace_generation
        def configured(question):
            return GOOD

        @rig.sqlobs.trace_generation(schema=SCHEMA, target="decorator")
        def decorated(question):
            return GOOD

        @rig.sqlobs.trace_generation(schema=OTHER)
        def corrected(question):
            current_generation().set(schema=SCHEMA, target="set", tenant="set")
            return GOOD

        configured("q")
        decorated("q")
        with rig.sqlobs.context(schema=OTHER, target="context", tenant="context"):
            decorated("q")
            corrected("q")
        seen = [
            (
                span.attributes["sqlobs.verdict"],
                span.attributes.get("sqlobs.target.name"),
                span.attributes.get("sqlobs.tenant"),
            )
            for span in rig.generations
        ]
    assert seen == [
        ("failed", None, None),
        ("ok", "decorator", None),
        ("failed", "context", "context"),
        ("ok", "set", "set"),
    ]


def test_inner_contexts_win_and_inherit(rig):
    """A block inside a block adds to it and overrides it."""

    @rig.sqlobs.trace_generation
    def generate(question):
        with rig.sqlobs.context(model="inside"):
            return GOOD

    around = rig.sqlobs.context(tenant="outer", user="u", model="outer")
    with around as outer, rig.sqlobs.context(tenant="inner", prompt=("sql", "v2")) as inner:
        generate("q")
    attributes = rig.generation.attributes
    assert attributes["sqlobs.tenant"] == "inner"
    assert attributes["user.id"] == "u"
    assert attributes["gen_ai.request.model"] == "inside"
    assert (attributes["gen_ai.prompt.name"], attributes["gen_ai.prompt.version"]) == ("sql", "v2")
    assert outer.generation.id == inner.generation.id != ""


def test_callables_receive_what_a_call_spreads_out(rig):
    """A wrapper takes `**kwargs`; what is in them has names, too."""
    seen = []
    options = {
        "target": lambda tenant="": seen.append(tenant),
        "reference": lambda **given: seen.append(given),
        "hints": seen.append,
    }
    rig.sqlobs.trace_generation(**options)(lambda **kwargs: GOOD)(tenant="acme", question="q")
    given = {"tenant": "acme", "question": "q"}
    assert sorted(seen, key=str) == ["acme", given, given]


def test_callables_receive_the_arguments_they_name(rig):
    """By name, or the mapping of all for a single parameter of another name; defaults included."""
    schemas = {"acme": SCHEMA, "other": OTHER}

    class Model:
        @rig.sqlobs.trace_generation(
            schema=lambda company: schemas[company],
            target=lambda arguments: arguments["company"].upper(),
            hints=lambda self, question: f"{self.name}: {question}",
        )
        def generate(self, question, company="acme"):
            return GOOD

        name = "model"

    Model().generate("q")
    Model().generate("q", company="other")
    seen = [
        (span.attributes["sqlobs.verdict"], span.attributes["sqlobs.target.name"])
        for span in rig.generations
    ]
    assert seen == [("ok", "ACME"), ("failed", "OTHER")]


def test_a_context_holds_the_handles_of_tasks_and_threads(rig):
    """The holder is made by the caller, so handles come back from wherever they were made."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        return GOOD

    @rig.sqlobs.trace_generation
    def generate_sync(question):
        return GOOD

    async def main():
        with rig.sqlobs.context(tenant="t") as ctx:
            await asyncio.gather(*(asyncio.create_task(generate("q")) for _ in range(3)))
            await asyncio.to_thread(generate_sync, "q")
            with ThreadPoolExecutor(1) as pool:
                pool.submit(ctx.bind(generate_sync), "q").result()
                pool.submit(generate_sync, "q").result()
        return ctx

    ctx = asyncio.run(main())
    spans = {f"{span.context.span_id:016x}": span for span in rig.generations}
    assert [spans[g.id.split("-")[2]].attributes["sqlobs.tenant"] for g in ctx.generations] == (
        ["t"] * 5
    )
    assert len(spans) == 6


def test_a_nested_generation_is_an_attempt_and_not_counted(rig):
    """A generation inside a generation is one attempt of the innermost open one."""

    @rig.sqlobs.trace_generation
    def draft(question):
        return BAD

    @rig.sqlobs.trace_generation
    def answer(question):
        draft(question)
        return GOOD

    with rig.sqlobs.context() as ctx:
        answer("q")
    inner = "invoke_workflow answer(sqlobs.attempt, sqlobs.attempt)"
    assert rig.tree == f"sqlobs.context({inner})"
    assert rig.generation.attributes["sqlobs.attempts"] == 2
    assert rig.generation.attributes["sqlobs.first_attempt.verdict"] == "failed"
    assert rig.counts("sqlobs.generations", "sqlobs.workflow") == {"answer": 1}
    assert len(ctx.generations) == 1


def test_a_generation_started_after_the_outer_ended_counts_by_itself(rig):
    """A background task that outlives its request is a request of its own."""

    @rig.sqlobs.trace_generation
    async def late(question):
        return GOOD

    @rig.sqlobs.trace_generation
    async def answer(question):
        release = asyncio.Event()

        async def background():
            await release.wait()
            return await late("q")

        task = asyncio.create_task(background())
        return task, release

    async def main():
        task, release = await answer("q")
        release.set()
        return await task

    with rig.sqlobs.context():
        assert asyncio.run(main()) == GOOD
    assert rig.counts("sqlobs.generations", "sqlobs.workflow") == {"answer": 1, "late": 1}


def test_the_same_text_again_is_the_same_attempt_and_another_text_is_one_more(rig):
    """Attempts are numbered by differing texts; the returned text is compared, too."""

    @rig.sqlobs.trace_generation
    def generate(question):
        handle = current_generation()
        handle.attempt(BAD)
        handle.attempt(BAD)
        return f"```sql\n{GOOD}\n```"

    generate("q")
    assert rig.generation.attributes["sqlobs.attempts"] == 2
    assert rig.counts("sqlobs.attempts", "sqlobs.attempt.number", "sqlobs.verdict") == {
        ("1", "failed"): 1,
        ("2", "ok"): 1,
    }
    numbers = [
        span.attributes["sqlobs.attempt.number"]
        for span in rig.spans
        if span.name == "sqlobs.attempt"
    ]
    assert numbers == [1, 2]


def test_a_block_answers_with_its_last_attempt(rig):
    """Without `set` the last attempt inside a block is its answer; without any it abstained."""
    with rig.sqlobs.trace_generation(name="sales", question="How many?") as generation:
        assert generation.attempt(BAD).unknown_columns == ("totl",)
        assert generation.attempt(GOOD).ok
    with rig.sqlobs.trace_generation(name="silent"):
        pass
    seen = [
        (span.name, span.attributes["sqlobs.outcome"], span.attributes["sqlobs.verdict"])
        for span in rig.generations
    ]
    assert seen == [
        ("invoke_workflow sales", "answered", "ok"),
        ("invoke_workflow silent", "abstained", "not_evaluated"),
    ]


def test_outside_every_generation_the_handle_checks_and_records_nothing(rig):
    """The no-op handle is no None: `attempt` gives a report, `set` does nothing."""
    handle = current_generation()
    assert not handle
    assert handle.id == ""
    handle.set(sql=BAD, outcome="abstained")
    assert OutsideGeneration(lambda: rig.sqlobs.runtime).attempt(BAD).unknown_columns == ("totl",)
    assert handle.attempt("SELECT").syntactic is None
    assert rig.spans == []


def test_aattempt_gives_the_same_report_without_blocking(rig):
    """The asynchronous form checks as the other does."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        report = await current_generation().aattempt(BAD)
        assert report.unknown_columns == ("totl",)
        deep = "SELECT " + "(" * 60 + "1" + ")" * 60
        assert (await current_generation().aattempt(deep)).syntactic
        return GOOD

    assert asyncio.run(generate("q")) == GOOD
    assert rig.generation.attributes["sqlobs.attempts"] == 3


def test_the_sql_may_be_in_a_field_of_the_result(rig):
    """`sql` is a field's name or a callable of the result."""

    class Answer:
        def __init__(self, statement):
            self.statement = statement

    @rig.sqlobs.trace_generation(sql="statement")
    def by_field(question):
        return Answer(BAD)

    @rig.sqlobs.trace_generation(sql=lambda answer: answer.statement)
    def by_callable(question):
        return Answer(GOOD)

    by_field("q")
    by_callable("q")
    assert [span.attributes["sqlobs.verdict"] for span in rig.generations] == ["failed", "ok"]


def test_set_corrects_the_answer_and_the_outcome(rig):
    """The application sets what cannot be detected: the SQL, or that there is none on purpose."""

    @rig.sqlobs.trace_generation
    def generate(question):
        current_generation().set(**question)
        return "I would rather not say."

    generate({"sql": BAD})
    generate({"outcome": "clarified"})
    generate({})
    seen = [
        (span.attributes["sqlobs.outcome"], span.attributes["sqlobs.verdict"])
        for span in rig.generations
    ]
    assert seen == [("answered", "failed"), ("clarified", "not_evaluated"), ("answered", "failed")]
    assert rig.generations[2].attributes["sqlobs.failure.code"] == "syntax.no_sql"


def test_with_check_off_the_collector_checks():
    """Nothing is parsed; online evaluations count as not evaluated."""
    with Rig(check="off") as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return BROKEN

        generate("q")
        attributes = rig.generation.attributes
        assert attributes["sqlobs.check.status"] == "skipped"
        assert attributes["sqlobs.verdict"] == "not_evaluated"
        assert attributes["sqlobs.syntactic_reason"] == "check_off"
        counted = rig.counts("sqlobs.evaluations", "gen_ai.evaluation.score.label")
        assert counted == {"not_evaluated": 3}


def test_failing_sql_is_an_error_unless_switched_off():
    """The status says the verdict and the code; repeated answers, too."""
    statuses = []
    for wished in (False, True):
        with Rig(mode="inline", mark_failures_as_errors=wished) as rig:
            generate = rig.sqlobs.trace_generation(lambda question: BAD)
            generate("q"), generate("q")
            statuses.append(
                [
                    (span.status.status_code.name, span.status.description)
                    for span in rig.generations
                ]
            )
    assert statuses == [[("UNSET", None)] * 2, [("ERROR", "failed: schema.unknown_column")] * 2]


def test_redact_runs_before_anything_is_written():
    """A changed statement is marked; a `redact` that fails withholds the text."""

    def redact(kind, text):
        if "secret" in text:
            raise ValueError(text)
        return text.replace("orders", "***")

    with Rig(mode="inline", redact=redact) as rig:
        generate = rig.sqlobs.trace_generation(lambda question: question)
        generate("SELECT total FROM orders")
        attributes = rig.generation.attributes
        assert attributes["sqlobs.query.text"] == "SELECT total FROM ***"
        assert attributes["sqlobs.query.capture"] == "redacted"


def test_a_redact_that_fails_withholds_the_text(faults):
    """Fails closed: no text rather than a raw one."""

    def redact(kind, text):
        raise ValueError(text)

    with Rig(mode="inline", redact=redact) as rig:
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
        assert "sqlobs.query.text" not in rig.generation.attributes
        assert rig.generation.attributes["sqlobs.query.capture"] == "none"
    assert set(faults.new) == {"redact"}


def test_200_threads_lose_and_mix_up_nothing():
    """Every request is counted once, with its own children and parent."""
    with Rig(mode="auto") as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            with rig.tracer.start_as_current_span("child") as span:
                span.set_attribute("question", question)
            return GOOD if question % 2 else BAD

        def request(number):
            with rig.tracer.start_as_current_span("request") as span:
                span.set_attribute("question", number)
                results[number] = generate(number)

        results = {}
        threads = [threading.Thread(target=request, args=(n,)) for n in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        _assert_families(rig, 200)
        assert all(results[n] == (GOOD if n % 2 else BAD) for n in range(200))
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"ok": 100, "failed": 100}


def test_2000_tasks_lose_and_mix_up_nothing():
    """The same on one event loop, with switches inside every request."""
    with Rig(mode="auto") as rig:

        @rig.sqlobs.trace_generation
        async def generate(question):
            with rig.tracer.start_as_current_span("child") as span:
                span.set_attribute("question", question)
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            return GOOD if question % 2 else BAD

        async def request(number):
            with rig.tracer.start_as_current_span("request") as span:
                span.set_attribute("question", number)
                return await generate(number)

        async def main():
            return await asyncio.gather(*(request(number) for number in range(2000)))

        assert asyncio.run(main()) == [GOOD if n % 2 else BAD for n in range(2000)]
        _assert_families(rig, 2000)
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"ok": 1000, "failed": 1000}


def _assert_families(rig, count):
    """Assert that each request has one generation with one child, all of the same number."""
    spans = {span.context.span_id: span for span in rig.spans}
    children = [span for span in spans.values() if span.name == "child"]
    assert len(spans) == 3 * count
    assert len({span.parent.span_id for span in children}) == count
    for child in children:
        generation = spans[child.parent.span_id]
        request = spans[generation.parent.span_id]
        assert generation.name == "invoke_workflow generate"
        assert request.attributes["question"] == child.attributes["question"]
        assert request.start_time <= generation.start_time <= child.start_time
        assert child.end_time <= generation.end_time <= request.end_time


@pytest.mark.parametrize("error", [KeyError("q"), RuntimeError()])
def test_a_callable_that_raises_counts_as_unset(rig, faults, error):
    """The request continues; the failure is counted under its kind."""

    def fails(question):
        raise error

    @rig.sqlobs.trace_generation(schema=fails, target=fails)
    def generate(question):
        return GOOD

    assert generate("q") == GOOD
    assert rig.generation.attributes["sqlobs.syntactic_reason"] == "no_dialect"
    assert rig.generation.attributes["sqlobs.schematic_reason"] == "no_schema"
    assert set(faults.new) == {"schema", "target"}
