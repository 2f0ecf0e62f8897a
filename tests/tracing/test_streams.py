from __future__ import annotations

import asyncio
import gc
import threading
from time import monotonic
from types import SimpleNamespace

import pytest
from opentelemetry.trace import StatusCode

from tests.tracing.rig import BAD, GOOD


def chunk(text, *, finish=None, usage=None):
    """A chunk of a chat completion, as the OpenAI client gives it."""
    choice = SimpleNamespace(delta=SimpleNamespace(content=text), finish_reason=finish)
    return SimpleNamespace(model="gpt-x", choices=[choice], usage=usage)


def test_exhausted_the_whole_text_is_the_answer(rig):
    """The pieces of a stream are joined and checked when it ends."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT totl "
        yield "FROM orders"

    assert list(generate("q")) == ["SELECT totl ", "FROM orders"]
    assert rig.generation.attributes["sqlobs.hallucinated.columns"] == ("totl",)
    assert rig.generation.attributes["sqlobs.generation.time_to_first_token"] > 0


def test_closed_before_a_finish_reason_it_is_canceled(rig):
    """The text is not complete, so it is not checked."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT "
        yield GOOD

    stream = generate("q")
    next(stream)
    stream.close()
    assert rig.verdict == ("cancelled", "not_evaluated")
    assert rig.generation.status.status_code is StatusCode.UNSET
    assert "sqlobs.query.text" not in rig.generation.attributes


def test_closed_after_a_finish_reason_it_is_answered(rig):
    """A chunk with a finish reason makes the text complete, anyone who stops reading then."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield chunk(BAD)
        yield chunk(None, finish="stop")
        yield chunk(None)

    stream = generate("q")
    next(stream), next(stream)
    stream.close()
    assert rig.verdict == ("answered", "failed")


def test_abandoned_the_span_ends_on_the_worker(rig):
    """Dropped without a close: `__del__` hands over, the worker ends the span and says so."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT"
        yield GOOD

    stream = generate("q")
    next(stream)
    del stream
    gc.collect()
    assert rig.verdict == ("cancelled", "not_evaluated")
    assert rig.generation.attributes["sqlobs.stream.abandoned"] is True
    assert rig.generation.status.status_code is StatusCode.UNSET


def test_a_finalizer_run_inside_the_queue_does_not_deadlock(rig):
    """A finalizer may run while our own queue is being written: it only puts."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT"
        yield GOOD

    def drop_many():
        for _ in range(200):
            stream = generate("q")
            next(stream)
            cycle = [stream]
            cycle.append(cycle)

    threads = [threading.Thread(target=drop_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    until = monotonic() + 30
    while len(rig.generations) < 800 and monotonic() < until:
        gc.collect()  # does nothing while another thread collects
    assert len(rig.generations) == 800
    assert rig.counts("sqlobs.generations", "sqlobs.outcome") == {"cancelled": 800}


def test_never_started_an_abandoned_stream_is_counted_too(rig):
    """The span starts at the call, not at the first step."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield GOOD

    generate("q")
    gc.collect()
    assert rig.verdict == ("cancelled", "not_evaluated")


def test_a_generator_keeps_its_protocol(rig):
    """`send`, `throw` and the return value work as on the generator itself."""
    log = []

    @rig.sqlobs.trace_generation
    def generate(question):
        try:
            log.append((yield "SELECT total "))
        except KeyError:
            log.append("thrown")
        yield "FROM orders"
        return GOOD

    def outer():
        return (yield from generate("q"))

    stream = generate("q")
    assert next(stream) == "SELECT total "
    assert stream.send("sent") == "FROM orders"
    with pytest.raises(StopIteration) as stop:
        next(stream)
    assert stop.value.value == GOOD
    assert log == ["sent"]
    stream = generate("q")
    next(stream)
    assert stream.throw(KeyError()) == "FROM orders"
    assert list(outer()) == ["SELECT total ", "FROM orders"]
    assert log == ["sent", "thrown", None]


def test_the_proxy_is_transparent(rig):
    """An SDK's stream keeps its type, attributes and context manager."""

    class SdkStream:
        def __init__(self):
            self.response = "headers"
            self.chunks = [chunk("SELECT total FROM orders"), chunk(None, finish="stop")]
            self.is_closed = False

        def __iter__(self):
            return self

        def __next__(self):
            if not self.chunks:
                raise StopIteration
            return self.chunks.pop(0)

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            self.close()

        def close(self):
            self.is_closed = True

    made = SdkStream()

    @rig.sqlobs.trace_generation
    def generate(question):
        return made

    with generate("q") as stream:
        assert isinstance(stream, SdkStream)
        assert stream.response == "headers"
        contents = [piece.choices[0].delta.content for piece in stream]
    assert contents == ["SELECT total FROM orders", None]
    assert made.is_closed
    assert rig.verdict == ("answered", "ok")


def test_usage_and_model_come_from_the_chunks(rig):
    """The final chunk of a completion carries the tokens."""
    usage = SimpleNamespace(prompt_tokens=12, completion_tokens=5)

    @rig.sqlobs.trace_generation
    def generate(question):
        yield chunk(GOOD, finish="stop")
        yield SimpleNamespace(model="gpt-x", choices=[], usage=usage)

    list(generate("q"))
    attributes = rig.generation.attributes
    assert attributes["gen_ai.request.model"] == "gpt-x"
    assert attributes["sqlobs.usage.input_tokens"] == 12
    assert attributes["sqlobs.usage.output_tokens"] == 5
    assert not any(name.startswith("gen_ai.usage") for name in attributes)


def test_collect_makes_the_result_of_the_chunks(rig):
    """`collect` gets the list of chunks; then `sql` finds the SQL."""

    @rig.sqlobs.trace_generation(
        collect=lambda chunks: {"statement": " ".join(c["part"] for c in chunks)},
        sql=lambda result: result["statement"],
    )
    def generate(question):
        yield {"part": "SELECT total"}
        yield {"part": "FROM orders"}

    list(generate("q"))
    assert rig.verdict == ("answered", "ok")


def test_a_canceled_consumer_ends_the_span_once(rig):
    """A client that disconnects cancels the task: outcome `cancelled`."""
    started = asyncio.Event()

    @rig.sqlobs.trace_generation
    async def generate(question):
        yield "SELECT"
        started.set()
        await asyncio.sleep(60)

    async def consume():
        async for _ in generate("q"):
            pass

    async def main():
        task = asyncio.create_task(consume())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert rig.verdict == ("cancelled", "not_evaluated")


def test_the_bodys_open_span_is_current_again_in_the_next_step(rig):
    """A span that the body holds open across a yield keeps its children, and only its own."""

    @rig.sqlobs.trace_generation
    def generate(question):
        with rig.tracer.start_as_current_span("model"):
            yield "SELECT total "
            with rig.tracer.start_as_current_span("inner"):
                yield "FROM orders"

    with rig.tracer.start_as_current_span("request"):
        for _ in generate("q"):
            with rig.tracer.start_as_current_span("consumer"):
                pass
    assert rig.tree == ("request(invoke_workflow generate(model(inner)), consumer, consumer)")


def test_user_context_variables_stay_live(rig):
    """The body sees the consumer's context variables of each step, not a frozen copy."""
    from contextvars import ContextVar

    tenant = ContextVar("tenant", default="none")
    seen = []

    @rig.sqlobs.trace_generation
    def generate(question):
        seen.append(tenant.get())
        yield "SELECT total"
        seen.append(tenant.get())
        yield " FROM orders"

    stream = generate("q")
    next(stream)
    tenant.set("acme")
    list(stream)
    assert seen == ["none", "acme"]


def test_a_generator_inside_a_generator_nests(rig):
    """A streaming function that streams another's stream makes one request with one attempt."""

    @rig.sqlobs.trace_generation
    def inner(question):
        yield GOOD

    @rig.sqlobs.trace_generation
    def outer(question):
        yield from inner(question)

    list(outer("q"))
    assert rig.tree == "invoke_workflow outer(sqlobs.attempt)"
    assert rig.generation.attributes["sqlobs.attempts"] == 1
