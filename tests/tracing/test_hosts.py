"""Hostile hosts: whatever they pass, remove or set, sqlobs never raises into them."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import enum
import functools
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import NamedTuple
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest

from sqlobs import current_generation
from sqlobs.errors import DialectError
from sqlobs.tracing.instance import Sqlobs
from sqlobs.tracing.requests.generation_lifecycle import TracedRequest
from tests.tracing.rig import BAD, GOOD, SCHEMA, Rig


class Hostile:
    """An object of the user's that nothing may be asked of."""

    def __str__(self):
        raise ValueError("no text")

    __repr__ = __str__

    def __eq__(self, other):
        raise ValueError("no comparison")

    __hash__ = None

    def __getattr__(self, name):
        raise RuntimeError(name)


class Opaque(type):
    """A class that fails when it is asked for anything it has not."""

    def __getattr__(cls, name):
        raise RuntimeError(name)


class Lazy(dict):
    """A mapping that cannot be read any more."""

    def get(self, *arguments):
        raise RuntimeError("closed")

    __getitem__ = __contains__ = get


def verdicts(rig):
    """Verdict, primary code and reason of each generation."""
    names = ("sqlobs.verdict", "sqlobs.failure.code", "sqlobs.syntactic_reason")
    return [tuple(span.attributes.get(name) for name in names) for span in rig.generations]


def numbered(*values):
    """Parameters that pytest need not print: some cannot be."""
    return [pytest.param(value, id=str(number)) for number, value in enumerate(values)]


UNDECIDED = ("not_evaluated", None, "undecided")


# -- blocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "told"),
    [
        ("trace_generation", {"name": "block"}, {"sql": GOOD}),
        ("trace_execution", {"sql": GOOD}, {"rows": 3}),
        ("trace_llm", {"model": "m"}, {"attributes": {"a": 1}}),
        ("trace_retrieval", {"source": "s"}, {"attributes": {"a": 1}}),
    ],
)
def test_a_block_runs_even_if_it_cannot_be_traced(kind, options, told, monkeypatch, faults):
    """An invalid setting is logged; the block runs with a no-op handle."""
    monkeypatch.setenv("SQLOBS_MODE", "fast")
    with getattr(Sqlobs(), kind)(**options) as handle:
        assert handle.set(**told) is None
    assert faults.new == {"begin": 1}


@pytest.mark.parametrize("option", numbered(lambda **_: 1 / 0, Hostile()))
def test_an_execution_whose_statement_cannot_be_read_is_traced_without_it(rig, faults, option):
    """A callable that fails, or an object without a text, counts as not told."""
    with rig.sqlobs.trace_execution(sql=option, target=lambda **_: 1 / 0) as execution:
        execution.set(rows=3)
    assert rig.counts("sqlobs.executions", "sqlobs.execution.status") == {"ok": 1}
    assert rig.spans[0].attributes["sqlobs.result.rows"] == 3
    assert faults.new == {"sql": 1, "target": 1}


def test_tasks_that_share_a_block_have_separate_requests(rig):
    """Each task leaves the run that it has entered."""
    block = rig.sqlobs.trace_generation(name="shared")

    async def run(sql, entered, leave):
        async with block as generation:
            entered.set()
            await leave.wait()
            generation.set(sql=sql)

    async def both():
        first, second, leave_first, leave_second = (asyncio.Event() for _ in range(4))
        one = asyncio.create_task(run(GOOD, first, leave_first))
        await first.wait()
        two = asyncio.create_task(run(BAD, second, leave_second))
        await second.wait()
        leave_first.set()
        await one
        leave_second.set()
        await two

    asyncio.run(both())
    assert verdicts(rig) == [("ok", None, None), ("failed", "schema.unknown_column", None)]


def test_a_block_left_in_another_context_than_entered_ends(rig):
    """An exit stack may be closed by another thread."""
    block = rig.sqlobs.trace_generation(name="moved")
    copy_context().run(block.__enter__).set(sql=GOOD)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(block.__exit__, None, None, None).result()
    block.__exit__(None, None, None)
    assert verdicts(rig) == [("ok", None, None)]


# -- what is decorated ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Mock, MagicMock, AsyncMock])
def test_mocks_can_be_decorated(rig, kind):
    """A mock answers to every name; its workflow is named after its class."""
    traced = rig.sqlobs.trace_generation(kind(return_value=GOOD))
    answer = asyncio.run(traced("q")) if kind is AsyncMock else traced("q")
    assert answer == GOOD
    assert rig.generation.name == f"invoke_workflow {kind.__name__}"


def test_a_partial_method_is_named_after_its_function(rig):
    """Partials of partials, too."""

    def generate(style, question):
        return GOOD

    traced = rig.sqlobs.trace_generation(functools.partial(functools.partial(generate, "short")))
    assert traced("q") == GOOD
    assert rig.generation.name == "invoke_workflow generate"


# -- what is tried --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", numbered(None, 5, {"rows": 3}, [], Hostile()))
@pytest.mark.parametrize("inside", [True, False])
def test_attempts_without_a_text_are_undecided(rig, text, inside):
    """`attempt` and `aattempt` give a report without labels; they never raise."""

    async def attempts(question):
        handle = current_generation()
        return handle.attempt(text), await handle.aattempt(text)

    run = rig.sqlobs.trace_generation(attempts) if inside else attempts
    for report in asyncio.run(run("q")):
        assert (report.sql, report.syntactic, report.schematic) == ("", None, None)
        assert report.reasons == {"syntactic": "undecided", "schematic": "undecided"}


@pytest.mark.parametrize("text", numbered(BAD.encode(), {"sql": BAD}))
def test_attempts_are_read_as_answers_are(rig, text):
    """Bytes and objects with the SQL in a field are checked."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        report = await current_generation().aattempt(text)
        assert report.unknown_columns == ("totl",)
        return GOOD

    assert asyncio.run(generate("q")) == GOOD
    assert rig.counts("sqlobs.attempts", "sqlobs.attempt.number", "sqlobs.verdict") == {
        ("1", "failed"): 1,
        ("2", "ok"): 1,
    }


# -- what is returned -----------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Slots:
    """Has no `__dict__`."""

    sql: str


class Row(NamedTuple):
    """Is a sequence, too."""

    sql: str
    score: float


class Computed:
    """Works its SQL out."""

    @property
    def sql(self):
        return BAD


@pytest.mark.parametrize("answer", numbered(Slots(BAD), Row(BAD, 0.5), Computed(), {"sql": BAD}))
@pytest.mark.parametrize("option", numbered({}, {"sql": "sql"}, {"sql": lambda answer: answer}))
def test_the_field_is_found_in_objects_of_every_kind(rig, answer, option):
    """Slots, named tuples, properties, mappings."""
    assert rig.sqlobs.trace_generation(**option)(lambda question: answer)("q") is answer
    assert verdicts(rig) == [("failed", "schema.unknown_column", None)]


@pytest.mark.parametrize(
    "answer",
    numbered(5, object(), {"rows": 3}, [], Hostile(), Opaque("Odd", (), {})(), Lazy(sql=GOOD)),
)
@pytest.mark.parametrize("option", numbered({}, {"sql": "statement"}))
def test_what_is_not_understood_is_undecided(rig, faults, answer, option):
    """No text was found where one could be: that is no verdict on the model."""
    assert rig.sqlobs.trace_generation(**option)(lambda question: answer)("q") is answer
    assert verdicts(rig) == [UNDECIDED]
    assert rig.generation.attributes["sqlobs.outcome"] == "answered"
    assert set(faults.new) <= {"sql", "return"}


def test_a_callable_that_cannot_find_the_sql_leaves_the_answer_undecided(rig, faults):
    """Its failure is none of the model's."""
    rig.sqlobs.trace_generation(sql=lambda answer: answer["sql"])(lambda question: {})("q")
    assert verdicts(rig) == [UNDECIDED]
    assert faults.new == {"sql": 1}


@pytest.mark.parametrize("answer", numbered("", "The sum of all.", {"sql": None}, {"sql": ""}, b""))
def test_an_answer_without_sql_fails(rig, answer):
    """A place for the SQL that is empty was understood."""
    rig.sqlobs.trace_generation(lambda question: answer)("q")
    assert verdicts(rig) == [("failed", "syntax.no_sql", None)]


def test_chunks_that_cannot_be_read_reach_the_consumer(rig):
    """A mapping that is closed already is the host's to have."""
    chunks = [Lazy(), Hostile()]
    for trace in (
        rig.sqlobs.trace_generation,
        rig.sqlobs.trace_execution,
        rig.sqlobs.trace_llm,
        rig.sqlobs.trace_retrieval,
    ):
        received = list(trace(lambda sql: iter(chunks))("q"))
        assert [id(chunk) for chunk in received] == [id(chunk) for chunk in chunks]
    assert verdicts(rig) == [UNDECIDED]


# -- what is told ---------------------------------------------------------------------------------


class Tenant(enum.Enum):
    """A closed list of an application's."""

    ACME = "acme"


ID = uuid.UUID("12345678-1234-5678-1234-567812345678")
LABELS = {
    "sqlobs.tenant": "tenant",
    "user.id": "user",
    "gen_ai.request.model": "model",
    "gen_ai.conversation.id": "conversation",
    "session.id": "session",
    "sqlobs.target.name": "target",
    "gen_ai.prompt.name": "prompt",
}


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (ID, str(ID)),
        (Tenant.ACME, "acme"),
        (2**70, str(2**70)),
        ("t\ud800", "t?"),
        (b"\xff", "b'\\xff'"),
        ("Zürich", "Zürich"),
    ],
    ids=["uuid", "enum", "big", "surrogate", "bytes", "letters"],
)
def test_ids_of_every_type_are_recorded_as_text(rig, told, shown):
    """Applications have their own types for ids; none loses a request."""
    with rig.sqlobs.context(**dict.fromkeys(LABELS.values(), told)):
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
    attributes = rig.generation.attributes
    assert {name: attributes[name] for name in LABELS} == dict.fromkeys(LABELS, shown)
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"ok": 1}
    assert rig.counts("sqlobs.version.generations", "sqlobs.verdict") == {"ok": 1}


@pytest.mark.parametrize(
    ("prompt", "shown"),
    [(("p",), ("p", None)), (("p", 14), ("p", "14")), ((), (None, None)), ("p", ("p", None))],
    ids=str,
)
def test_a_prompt_is_a_name_or_a_name_with_a_version(rig, prompt, shown):
    """A pair, its name alone, or a pair that is none."""
    with rig.sqlobs.context(prompt=prompt):
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
    names = ("gen_ai.prompt.name", "gen_ai.prompt.version")
    assert tuple(rig.generation.attributes.get(name) for name in names) == shown


def test_set_ignores_invalid_values(rig, faults, caplog):
    """The request is counted with the correct answer; an unknown outcome is said in the log."""

    @rig.sqlobs.trace_generation
    def generate(question):
        current_generation().set(
            sql=5, question=7, input_tokens="3", output_tokens=4, cost_usd="1", outcome="zzz"
        )
        return GOOD

    assert generate("q") == GOOD
    attributes = rig.generation.attributes
    assert rig.verdict == ("answered", "ok")
    assert "sqlobs.usage.input_tokens" not in attributes
    assert attributes["sqlobs.usage.output_tokens"] == 4
    assert faults.new == {"generation.set": 1}


@pytest.mark.parametrize("cleaned", numbered(5, b"", [], Hostile()))
def test_a_redact_that_returns_none_withholds_the_text(faults, cleaned):
    """What cannot be recorded as text is not recorded."""
    with Rig(mode="inline", redact=lambda kind, text: cleaned) as rig:
        rig.sqlobs.trace_generation(lambda question: BAD)("q")
        assert rig.verdict == ("answered", "failed")
        assert "sqlobs.query.text" not in rig.generation.attributes
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"failed": 1}
    assert set(faults.new) == {"redact"}


def test_a_request_whose_end_fails_is_counted(rig, faults, monkeypatch):
    """What it is worth is unknown, but it was made: one span, one count, reason `error`."""
    monkeypatch.setattr(TracedRequest, "_read_end", lambda *args, **kwargs: 1 / 0)
    assert rig.sqlobs.trace_generation(lambda question: GOOD)("q") == GOOD
    assert verdicts(rig) == [("not_evaluated", None, "error")]
    assert rig.generation.attributes["sqlobs.check.status"] == "error"
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"not_evaluated": 1}
    assert faults.new == {"generation.end": 1}


# -- what is set ----------------------------------------------------------------------------------


def test_configure_rejects_an_unknown_dialect_of_the_environment(monkeypatch):
    """Where the set-up is written, the mistake is one sentence."""
    monkeypatch.setenv("SQLOBS_DIALECT", "klingon")
    with pytest.raises(DialectError, match="klingon"):
        Sqlobs(service_name="svc")


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["without", "with"])
def test_an_unknown_dialect_set_later_leaves_the_request_not_evaluated(faults, caplog, schema):
    """Which dialect is meant would be a guess; the log says once what is wrong."""
    with Rig(schema=schema) as rig:
        generate = rig.sqlobs.trace_generation(lambda question: BAD)
        for _ in range(2):
            with rig.sqlobs.context(dialect="klingon"):
                assert generate("q") == BAD
        assert verdicts(rig) == [("not_evaluated", None, "no_dialect")] * 2
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"not_evaluated": 2}
    assert set(faults.new) == {"dialect"}
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("sqlobs: unknown SQL dialect 'klingon': use one of")


def test_an_unknown_mode_is_logged_without_configure(monkeypatch, faults, caplog):
    """The functions continue untraced; the log names the variable and what it takes."""
    monkeypatch.setenv("SQLOBS_MODE", "fast")
    instance = Sqlobs()
    generate = instance.trace_generation(lambda question: GOOD)
    assert [generate("q") for _ in range(3)] == [GOOD] * 3
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("sqlobs: SQLOBS_MODE: use 'auto', 'inline' or 'deferred' (begin;")
    assert faults.new == {"begin": 3}


# -- attempts without an answer -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ends", "ended"),
    [("raises", ("error", "not_evaluated")), ("gives_up", ("answered", "failed"))],
)
def test_attempts_count_where_no_answer_comes_of_them(rig, ends, ended):
    """Three tries were made and failed; a function that gives up silently has not abstained."""

    @rig.sqlobs.trace_generation
    def generate(question):
        for name in ("totl", "totall", "toteal"):
            current_generation().attempt(f"SELECT {name} FROM orders")
        if ends == "raises":
            raise ValueError("gave up")

    with contextlib.suppress(ValueError):
        generate("q")
    attributes = rig.generation.attributes
    assert rig.verdict == ended
    assert (attributes["sqlobs.attempts"], attributes["sqlobs.first_attempt.verdict"]) == (
        3,
        "failed",
    )
    assert rig.counts("sqlobs.attempts", "sqlobs.attempt.number", "sqlobs.verdict") == {
        (number, "failed"): 1 for number in "123"
    }


def test_an_agents_statements_count_where_it_raises(rig):
    """What an agent executed before it failed were attempts, too."""

    @rig.sqlobs.trace_generation(sql=None)
    def agent(question):
        rig.sqlobs.trace_execution(lambda sql: [])(BAD)
        raise ValueError("gave up")

    with pytest.raises(ValueError, match="gave up"):
        agent("q")
    assert rig.counts("sqlobs.attempts", "sqlobs.attempt.number", "sqlobs.verdict") == {
        ("1", "failed"): 1
    }


def test_without_an_sdk_the_context_has_the_handle(monkeypatch):
    """`OTEL_SDK_DISABLED` stops telemetry; the id for feedback is the same everywhere."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with Rig(mode="inline") as rig, rig.sqlobs.context() as context:
        inside = rig.sqlobs.trace_generation(lambda question: current_generation().id)("q")
        assert len(inside) == len("00-") + 32 + 1 + 16 + len("-00")
        assert [handle.id for handle in context.generations] == [inside]


def test_a_long_id_without_a_border_is_cut_between_letters(rig):
    """256 bytes of it stay, and the span says that it was cut."""
    with rig.sqlobs.context(tenant="é" * 200):
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
    attributes = rig.generation.attributes
    assert attributes["sqlobs.tenant"] == "é" * 128
    assert attributes["sqlobs.truncated.attributes"] == ("sqlobs.tenant",)


def test_an_answer_without_sql_says_what_is_missing(rig):
    """The words of our own sentence are no values."""
    rig.sqlobs.trace_generation(lambda question: "The sum of all.")("q")
    message = rig.generation.attributes["sqlobs.syntax_error.message"]
    assert message == "The answer contains no SQL."
