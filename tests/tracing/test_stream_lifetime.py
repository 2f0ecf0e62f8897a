"""How long a stream is traced: until it is exhausted, closed or dropped, and not its consumer."""

from __future__ import annotations

import asyncio
import gc
import logging

import pytest

from tests.tracing.rig import BAD, GOOD


def test_the_span_of_a_generator_lasts_until_its_last_item(rig):
    """The span lasts until the last item, and holds the SQL, not the generator's repr."""

    @rig.sqlobs.trace_generation
    def generate(question):
        with rig.tracer.start_as_current_span("late child"):
            yield BAD

    stream = generate("q")
    assert rig.spans == []
    list(stream)
    assert rig.tree == "invoke_workflow generate(late child)"
    assert rig.generation.attributes["sqlobs.hallucinated.first"] == "totl"


def test_spans_of_the_consumer_are_not_inside_the_generation(rig, caplog):
    """Spans the consumer makes between chunks are its own; `break` loses nothing, logs nothing."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        yield "SELECT total"
        yield " FROM orders"

    async def consume():
        with rig.tracer.start_as_current_span("request"):
            async for _ in generate("q"):
                with rig.tracer.start_as_current_span("consumer"):
                    pass
                break

    with caplog.at_level(logging.WARNING):
        asyncio.run(consume())
        gc.collect()
    assert rig.tree == "request(invoke_workflow generate, consumer)"
    assert caplog.records == []


def test_the_context_of_the_caller_is_restored_between_chunks(rig):
    """After the call of a generator function the caller's current span is the caller's."""
    from opentelemetry.trace import get_current_span

    @rig.sqlobs.trace_generation
    def generate(question):
        yield GOOD

    with rig.tracer.start_as_current_span("request") as request:
        stream = generate("q")
        assert get_current_span() is request
        next(stream)
        assert get_current_span() is request
        stream.close()


def test_a_generator_left_by_break_ends(rig):
    """A broken-off loop ends the span; chunks are no events."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT"
        yield " 1"

    for _ in generate("q"):
        break
    gc.collect()
    assert rig.verdict == ("cancelled", "not_evaluated")
    assert rig.generation.events == ()


def test_an_exception_in_a_generator_reaches_the_consumer(rig):
    """The exception of the body reaches the consumer."""

    @rig.sqlobs.trace_generation
    def generate(question):
        yield "SELECT"
        raise LookupError("canary")

    with pytest.raises(LookupError):
        list(generate("q"))
    assert rig.verdict == ("error", "not_evaluated")


def test_an_async_generator_can_be_closed_in_another_context(rig, caplog):
    """opentelemetry-python#2606: no token lives across a `yield`, so none is reset elsewhere."""

    @rig.sqlobs.trace_generation
    async def generate(question):
        yield "SELECT"
        yield " 1"

    async def main():
        stream = generate("q")
        await anext(stream)
        await asyncio.create_task(stream.aclose())

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert caplog.records == []
    assert rig.verdict == ("cancelled", "not_evaluated")


def test_a_function_that_returns_a_stream_lasts_as_long_as_the_stream(rig):
    """langfuse#7892: latency is that of the stream, children are in its trace."""

    def body():
        for piece in ("SELECT total", " FROM orders"):
            with rig.tracer.start_as_current_span("chunk"):
                pass
            yield piece

    generate = rig.sqlobs.trace_generation(lambda question: body())
    assert "".join(generate("q")) == GOOD
    (generation,) = rig.generations
    last = max(span.end_time for span in rig.spans if span.name == "chunk")
    assert generation.end_time >= last
    assert rig.tree == f"{generation.name}(chunk, chunk)"


def test_every_stream_ends(rig):
    """openlit#1460: end, error, close, `with` and the finalizer each end the span once."""

    class Stream:
        def __init__(self):
            self.pieces = ["SELECT total", " FROM orders"]

        def __iter__(self):
            return self

        def __next__(self):
            if not self.pieces:
                raise StopIteration
            return self.pieces.pop(0)

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            return None

        def close(self):
            return None

    generate = rig.sqlobs.trace_generation(lambda question: Stream())
    list(generate("exhausted"))
    stream = generate("closed twice")
    stream.close(), stream.close()
    with generate("left"):
        pass
    generate("dropped")
    gc.collect()
    outcomes = [span.attributes["sqlobs.outcome"] for span in rig.generations]
    assert outcomes == ["answered", "cancelled", "cancelled", "cancelled"]
    assert rig.counts("sqlobs.generations", "sqlobs.outcome") == {"answered": 1, "cancelled": 3}


def test_an_iterator_is_never_consumed_by_sqlobs(rig):
    """langfuse#10797: decided by protocol; what the user does not read stays unread."""
    taken = []

    class Endless:
        def __iter__(self):
            return self

        def __next__(self):
            taken.append(1)
            return "x"

    stream = rig.sqlobs.trace_generation(lambda question: Endless())("q")
    assert taken == []
    assert next(stream) == "x"
    stream._self_activity.closed()
    assert len(taken) == 1
