"""`context()` makes one trace of what is inside, and stretches none."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from contextvars import copy_context
from time import time_ns

import pytest

from sqlobs.tracing.requests import context_span
from tests.tracing.rig import BAD, GOOD, Rig


@pytest.fixture
def rig():
    with Rig(mode="inline") as rig:
        yield rig


def parts(rig):
    """A traced generator and a traced execution."""
    generate = rig.sqlobs.trace_generation(name="generate")(lambda question: GOOD)
    return generate, rig.sqlobs.trace_execution(lambda sql: [(1,)])


def named(rig, name):
    return [span for span in rig.spans if span.name == name]


def test_generation_and_execution_are_one_trace_under_the_block(rig):
    """The span of the block says whose it is; Phoenix shows it as a chain."""
    generate, run = parts(rig)
    with rig.sqlobs.context(user="u1", session="s1", tenant="acme"):
        run(generate("q"))
    assert rig.tree == "sqlobs.context(invoke_workflow generate, sqlobs.execute)"
    (block,) = named(rig, "sqlobs.context")
    assert dict(block.attributes) == {
        "openinference.span.kind": "CHAIN",
        "user.id": "u1",
        "session.id": "s1",
        "sqlobs.tenant": "acme",
        "output.value": GOOD,
    }


@pytest.mark.parametrize("mode", ["inline", "deferred"])
def test_the_block_shows_what_its_last_generation_came_to(mode):
    """Backends list traces by their first span; it ends as of the end of the block."""
    with Rig(mode=mode) as rig:
        generate = rig.sqlobs.trace_generation(name="generate")(lambda question: question)
        with rig.sqlobs.context():
            generate(GOOD), generate(BAD)
        left_ns = time_ns()
        assert rig.sqlobs.flush(10)
        (block,) = named(rig, "sqlobs.context")
    assert block.attributes["output.value"] == BAD
    assert (block.status.status_code.name, block.status.description) == (
        "ERROR",
        "failed: schema.unknown_column",
    )
    assert block.end_time <= left_ns


def test_a_failed_execution_is_the_failure_of_its_block(rig):
    """The SQL passed the check, and the engine rejected it."""
    generate, _ = parts(rig)

    @rig.sqlobs.trace_execution
    def run(sql):
        raise TimeoutError

    with suppress(TimeoutError), rig.sqlobs.context():
        run(generate("q"))
    (block,) = named(rig, "sqlobs.context")
    assert block.status.description == "TimeoutError"


def test_inside_another_span_the_block_has_none(rig):
    """A server's span is the root already; so is the span of a block around."""
    generate, run = parts(rig)
    with rig.tracer.start_as_current_span("GET /answer"), rig.sqlobs.context():
        run(generate("q"))
    with rig.sqlobs.context(), rig.sqlobs.context():
        generate("q")
    assert len(named(rig, "sqlobs.context")) == 1
    assert [span.parent is None for span in named(rig, "GET /answer")] == [True]


def test_an_execution_after_the_end_is_linked_not_a_late_child(rig):
    """The task has the context of the block, whose span has ended."""
    generate, run = parts(rig)
    with rig.sqlobs.context():
        sql = generate("q")
        later = copy_context()
    later.run(run, sql)
    (block,), (execution,) = named(rig, "sqlobs.context"), named(rig, "sqlobs.execute")
    assert execution.parent is None
    assert execution.context.trace_id != block.context.trace_id
    linked = {link.context.span_id for link in execution.links}
    assert linked == {block.context.span_id, rig.generation.context.span_id}
    assert execution.attributes["sqlobs.generation.id"]


def test_a_block_of_many_generations_is_many_traces(rig, monkeypatch):
    """A batch job inside one block does not make one trace of a million spans."""
    monkeypatch.setattr(context_span, "MOST_GENERATIONS", 2)
    generate, _ = parts(rig)
    with rig.sqlobs.context():
        for _ in range(4):
            generate("q")
    (block,) = named(rig, "sqlobs.context")
    inside = [span.context.trace_id == block.context.trace_id for span in rig.generations]
    assert inside == [True, True, False, False]
    assert [len(span.links) for span in rig.generations] == [0, 0, 1, 1]


def test_tasks_that_share_a_block_have_their_own_spans(rig):
    """Each leaves what it has entered, in any order."""
    generate, _ = parts(rig)
    block = rig.sqlobs.context()

    async def one(pause_s):
        with block:
            await asyncio.sleep(pause_s)
            generate("q")

    async def main():
        await asyncio.gather(one(0.02), one(0.01), one(0.0))

    asyncio.run(main())
    assert len(named(rig, "sqlobs.context")) == 3
    parents = {span.parent.span_id for span in rig.generations}
    assert parents == {span.context.span_id for span in named(rig, "sqlobs.context")}


def test_a_block_left_on_another_thread_ends_its_span(rig):
    """As a server's dependency that is torn down elsewhere."""
    block = rig.sqlobs.context()
    copy_context().run(block.__enter__)  # so that it is not current in the next test
    leaving = threading.Thread(target=block.__exit__, args=(None, None, None))
    leaving.start()
    leaving.join()
    assert len(named(rig, "sqlobs.context")) == 1
