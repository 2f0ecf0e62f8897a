"""Every kind of callable that may be traced, behind one way to call it.

A kind makes a traced callable out of a body and calls it as its users would. A body is a function
of the question that returns the SQL (or raises); streaming kinds give that SQL in three pieces.
"""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """One kind: `make(trace, body)` gives a callable of the question, run to its end."""

    name: str
    make: Any
    streams: bool = False

    def __repr__(self):
        return self.name


def pieces(sql):
    """Cut a text into three; None and the empty text give no piece."""
    if not sql:
        return []
    third = max(1, len(sql) // 3)
    return [sql[:third], sql[third : 2 * third], sql[2 * third :]]


def _sync(trace, body):
    @trace
    def generate(question):
        return body(question)

    return generate


def _async(trace, body):
    @trace
    async def generate(question):
        await asyncio.sleep(0)
        return body(question)

    return lambda question: asyncio.run(generate(question))


def _generator(trace, body):
    @trace
    def generate(question):
        yield from pieces(body(question))

    return lambda question: "".join(generate(question)) or None


def _async_generator(trace, body):
    @trace
    async def generate(question):
        for piece in pieces(body(question)):
            await asyncio.sleep(0)
            yield piece

    async def drain(question):
        return "".join([piece async for piece in generate(question)]) or None

    return lambda question: asyncio.run(drain(question))


class Stream:
    """A plain iterator with a `close`, as SDKs have."""

    def __init__(self, run):
        self._run = run
        self._pieces = None
        self.was_closed = False

    def __iter__(self):
        return self

    def __next__(self):
        if self._pieces is None:
            self._pieces = pieces(self._run())
        if not self._pieces:
            raise StopIteration
        return self._pieces.pop(0)

    def close(self):
        self.was_closed = True


def _returned_stream(trace, body):
    @trace
    def generate(question):
        return Stream(lambda: body(question))

    return lambda question: "".join(generate(question)) or None


class AsyncStream:
    """The same for `async for`."""

    def __init__(self, run):
        self._run = run
        self._pieces = None

    def __aiter__(self):
        return self

    async def __anext__(self):
        await asyncio.sleep(0)
        if self._pieces is None:
            self._pieces = pieces(self._run())
        if not self._pieces:
            raise StopAsyncIteration
        return self._pieces.pop(0)


def _returned_async_stream(trace, body):
    @trace
    async def generate(question):
        return AsyncStream(lambda: body(question))

    async def drain(question):
        return "".join([piece async for piece in await generate(question)]) or None

    return lambda question: asyncio.run(drain(question))


def _method(trace, body):
    class Model:
        @trace
        def generate(self, question):
            assert isinstance(self, Model)
            return body(question)

    return Model().generate


def _async_method(trace, body):
    class Model:
        @trace
        async def generate(self, question):
            assert isinstance(self, Model)
            return body(question)

    return lambda question: asyncio.run(Model().generate(question))


def _classmethod_inside(trace, body):
    class Model:
        @trace
        @classmethod
        def generate(cls, question):
            assert cls is Model
            return body(question)

    return Model.generate


def _classmethod_outside(trace, body):
    class Model:
        @classmethod
        @trace
        def generate(cls, question):
            assert cls is Model
            return body(question)

    return Model().generate


def _staticmethod_inside(trace, body):
    class Model:
        @trace
        @staticmethod
        def generate(question):
            return body(question)

    return Model().generate


def _staticmethod_outside(trace, body):
    class Model:
        @staticmethod
        @trace
        def generate(question):
            return body(question)

    return Model.generate


def _partial(trace, body):
    def generate(style, question):
        assert style == "short"
        return body(question)

    return trace(functools.partial(generate, "short"))


def _async_partial(trace, body):
    async def generate(style, question):
        assert style == "short"
        return body(question)

    traced = trace(functools.partial(generate, "short"))
    return lambda question: asyncio.run(traced(question))


def _callable_object(trace, body):
    class Model:
        def __call__(self, question):
            return body(question)

    return trace(Model())


def _returned_coroutine(trace, body):
    async def generate(question):
        return body(question)

    @trace
    def start(question):
        return generate(question)

    return lambda question: asyncio.run(start(question))


def _block(trace, body):
    def generate(question):
        with trace(name="generate") as generation:
            sql = body(question)
            generation.set(sql=sql, outcome="abstained" if sql is None else None)
            return sql

    return generate


KINDS = [
    Kind("sync", _sync),
    Kind("async", _async),
    Kind("generator", _generator, streams=True),
    Kind("async_generator", _async_generator, streams=True),
    Kind("returned_stream", _returned_stream, streams=True),
    Kind("returned_async_stream", _returned_async_stream, streams=True),
    Kind("method", _method),
    Kind("async_method", _async_method),
    Kind("classmethod_inside", _classmethod_inside),
    Kind("classmethod_outside", _classmethod_outside),
    Kind("staticmethod_inside", _staticmethod_inside),
    Kind("staticmethod_outside", _staticmethod_outside),
    Kind("partial", _partial),
    Kind("async_partial", _async_partial),
    Kind("callable_object", _callable_object),
    Kind("returned_coroutine", _returned_coroutine),
    Kind("block", _block),
]
