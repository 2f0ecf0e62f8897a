"""What callers see of traced callables and of their streams is what they see undecorated.

Each kind is made twice, traced and plain, and each observer looks at both. What differs on purpose
is in `docs/integrations.md`: `type()`, and functions of `__main__` that `dill` takes apart.
"""

from __future__ import annotations

import asyncio
import collections.abc as abstract
import copy
import functools
import inspect
import io
import itertools
import operator
import pickle
import re
import weakref
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from wsgiref.handlers import SimpleHandler

import httpx
import pytest
from starlette.responses import StreamingResponse

from tests.tracing import portable

PIECES = ["SELECT ", "1"]
SQL = "".join(PIECES)
ABCS = [
    *(getattr(abstract, name) for name in abstract.__all__),
    AbstractContextManager,
    AbstractAsyncContextManager,
]
PREDICATES = [found for name, found in inspect.getmembers(inspect) if name.startswith("is")]
SPECIAL = sorted(
    {
        *(name for kind in (list, int, float, dict, set, str) for name in dir(kind)),
        *("__next__", "__aiter__", "__anext__", "__await__", "__enter__", "__exit__"),
        *("__aenter__", "__aexit__", "__copy__", "__deepcopy__", "__length_hint__", "__fspath__"),
        *("close", "aclose", "send", "throw", "asend", "athrow", "read", "fileno", "name"),
        *("__name__", "__qualname__", "__code__", "__dict__", "__call__", "__self__", "__func__"),
    }
    # A class with slots shows them; nobody asks an object for the others.
    - {"__slots__", "__weakref__"}
)


class Reader:
    """A plain iterator with a state that `copy` and `pickle` take along."""

    def __init__(self, pieces):
        self.pieces = list(pieces)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.pieces:
            raise StopIteration
        return self.pieces.pop(0)


class File(Reader):
    """One that can be closed, measured and used as a context manager."""

    def __len__(self):
        return len(self.pieces)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Forget the rest."""
        self.pieces = []


class Slotted:
    """One without a dictionary, which nobody can refer to weakly."""

    __slots__ = ("left",)

    def __init__(self):
        self.left = list(PIECES)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        return self.left.pop(0)

    __hash__ = None


class AsyncReader:
    """An async iterator that is closed by an awaitable."""

    def __init__(self):
        self.pieces = list(PIECES)

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.pieces:
            raise StopAsyncIteration
        return self.pieces.pop(0)

    async def aclose(self):
        """Forget the rest."""
        self.pieces = []


def _generator():
    yield from PIECES


async def _async_generator():
    for piece in PIECES:
        yield piece


STREAMS = {
    "generator": _generator,
    "async generator": _async_generator,
    "map": lambda: map(str, PIECES),
    "list iterator": lambda: iter(PIECES),
    "tee": lambda: itertools.tee(PIECES)[0],
    "string file": lambda: io.StringIO("\n".join(PIECES)),
    "reader": lambda: Reader(PIECES),
    "file": lambda: File(PIECES),
    "slotted": Slotted,
    "async reader": AsyncReader,
}


@pytest.fixture(params=STREAMS, ids=str)
def both(request, rig):
    """Return how to make a plain stream of a kind, and a traced one."""
    make = STREAMS[request.param]
    return make, rig.sqlobs.trace_generation(make)


def outcome(look, seen):
    """Return what a look at an object gives: a value, or the exception and its words."""
    try:
        return look(seen)
    except Exception as error:  # noqa: BLE001 - that it is raised is what is compared
        # Classes written in C name their module too: 'itertools._tee'.
        return type(error), re.sub(r"'[\w.]+\.(\w+)'", r"'\1'", str(error))


def same(look, both):
    """Assert that a look at the traced object gives what it gives for the plain one."""
    plain, traced = both
    assert outcome(look, traced()) == outcome(look, plain())


@pytest.mark.parametrize("abc", ABCS, ids=lambda abc: abc.__name__)
def test_a_stream_is_an_instance_of_the_same_abcs(both, abc):
    """A generator is not `Sized`, an async one not `Iterable`."""
    same(lambda stream: isinstance(stream, abc), both)


def test_a_stream_has_the_same_attributes(both):
    """Those with special names, those of files and generators; `dir` lists the same."""
    same(lambda stream: {name: hasattr(stream, name) for name in SPECIAL}, both)
    same(dir, both)


def test_inspect_sees_the_same_of_a_stream(both):
    """`isgenerator`, `isasyncgen`, `isawaitable`, …"""
    same(lambda stream: [outcome(look, stream) for look in PREDICATES], both)


LOOKS = {
    "list": list,
    "len": len,
    "bool": bool,
    "length hint": operator.length_hint,
    "copy": lambda stream: list(copy.copy(stream)),
    "deepcopy": lambda stream: list(copy.deepcopy(stream)),
    "pickle": lambda stream: list(pickle.loads(pickle.dumps(stream))),  # noqa: S301 - our own bytes
    "tee": lambda stream: [list(each) for each in itertools.tee(stream)],
    "weakref": lambda stream: weakref.ref(stream)() is stream,
    "hash": lambda stream: isinstance(hash(stream), int),
    "key": lambda stream: {stream: 1}[stream],
    "equality": lambda stream: stream == stream,  # noqa: PLR0124 - it is what is looked at
    "close": lambda stream: stream.close(),
    "vars": lambda stream: sorted(vars(stream)),
    "class": lambda stream: stream.__class__.__name__,
    "type": lambda stream: (type(stream).__name__, type(stream).__module__),
    "set": lambda stream: setattr(stream, "note", "x") or stream.note,
    "delete": lambda stream: delattr(stream, "pieces") or hasattr(stream, "pieces"),
    "zip": lambda stream: list(zip(stream, stream, strict=True)),
}


@pytest.mark.parametrize("look", LOOKS)
def test_looking_at_a_stream_gives_the_same(both, look):
    """A value, or the same exception with the same words."""
    same(LOOKS[look], both)


async def _body(content):
    request = httpx.Request("POST", "http://h", content=content)
    parts = [part async for part in request.stream]
    return dict(request.headers), parts


def test_httpx_sends_an_async_generator(rig):
    """As the content of an `AsyncClient`: it is no `Iterable`."""

    async def pieces():
        for piece in PIECES:
            yield piece.encode()

    traced = rig.sqlobs.trace_generation(pieces)
    assert asyncio.run(_body(traced())) == asyncio.run(_body(pieces()))


def test_a_wsgi_server_serves_an_iterable_without_close(rig):
    """PEP 3333: what has a `close` is closed by the server."""

    def served(answer):
        def application(environ, start_response):
            start_response("200 OK", [("Content-Type", "text/plain")])
            return answer()

        out, environment = io.BytesIO(), {"SERVER_PROTOCOL": "HTTP/0.9"}  # an answer is its body
        SimpleHandler(io.BytesIO(), out, io.StringIO(), environment).run(application)
        return out.getvalue()

    def answer():
        return map(str.encode, PIECES)

    assert served(rig.sqlobs.trace_generation(answer)) == served(answer) == SQL.encode()


def test_starlette_streams_generators_of_both_kinds(rig):
    """Sync ones in its threads, async ones on the loop."""

    async def streamed(content):
        sent = []

        async def send(message):
            sent.append(message.get("body", b""))

        await StreamingResponse(content).stream_response(send)
        return b"".join(sent)

    for make in (_generator, _async_generator):
        content = rig.sqlobs.trace_generation(make)()
        assert asyncio.run(streamed(content)) == SQL.encode()


def _function(question: str = "q", *, limit: int = 3) -> str:
    """Answer a question."""
    return f"{SQL} -- {question} {limit}"


async def _coroutine(question="q"):
    return SQL


class _Callable:
    """A callable object."""

    def __call__(self, question="q"):
        return SQL


class _Class:
    """A class is a callable, too."""

    def __init__(self, question="q"):
        self.question = question


CALLABLES = {
    "function": lambda: _function,
    "coroutine function": lambda: _coroutine,
    "generator function": lambda: _generator,
    "async generator function": lambda: _async_generator,
    "lambda": lambda: lambda question="q": SQL,
    "partial": lambda: functools.partial(_function, limit=4),
    "builtin": lambda: str.upper,
    "bound method": lambda: _Callable().__call__,
    "callable object": _Callable,
    "class": lambda: _Class,
    "cached": lambda: functools.lru_cache(_function),
}


@pytest.fixture(params=CALLABLES, ids=str)
def pair(request, rig):
    """Return how to get a plain callable of a kind, and the same one, traced."""
    plain = CALLABLES[request.param]()
    traced = rig.sqlobs.trace_generation(plain)
    return lambda: plain, lambda: traced


def test_a_callable_is_an_instance_of_the_same_abcs(pair):
    """A function is not `Sized`."""
    same(lambda function: [abc.__name__ for abc in ABCS if isinstance(function, abc)], pair)


def test_inspect_sees_the_same_of_a_callable(pair):
    """Its kind, its signature, its source and its words."""
    same(lambda function: [outcome(look, function) for look in PREDICATES], pair)
    for look in (
        inspect.signature,
        inspect.getdoc,
        inspect.getsource,
        inspect.getmodule,
        inspect.get_annotations,
        asyncio.iscoroutinefunction,
    ):
        same(look, pair)


CALLABLE_LOOKS = {
    "attributes": lambda function: {
        name: hasattr(function, name) for name in SPECIAL if "copy" not in name
    },
    "dir": dir,
    "name": lambda function: function.__name__,
    "module": lambda function: function.__module__,
    "doc": lambda function: function.__doc__,
    "annotations": lambda function: function.__annotations__,
    "copy": lambda function: copy.copy(function) is function,
    "weakref": lambda function: weakref.ref(function)() is function,
    "set": lambda function: {function: 1}[function],
    "note": lambda function: (
        setattr(function, "note", "x"),
        function.note,
        delattr(function, "note"),
        hasattr(function, "note"),
    ),
    "repr": repr,
}


@pytest.mark.parametrize("look", CALLABLE_LOOKS)
def test_looking_at_a_callable_gives_the_same(pair, look):
    """A value, or the same exception with the same words."""
    same(CALLABLE_LOOKS[look], pair)


class _Model:
    """Methods of every kind."""

    def method(self, question="q"):
        return self, question

    async def coroutine(self, question="q"):
        return self, question

    @classmethod
    def of_class(cls, question="q"):
        return cls, question

    @staticmethod
    def static(question="q"):
        return question


METHODS = ("method", "coroutine", "of_class", "static")


@pytest.fixture(params=METHODS)
def models(request, rig):
    """Return an instance of the plain class, one of a class whose method is traced, its name."""
    traced = rig.sqlobs.trace_generation(vars(_Model)[request.param])
    kind = type("_Model", (_Model,), {request.param: traced})
    return _Model(), kind(), request.param


def test_methods_are_bound_as_they_are_undecorated(models):
    """Of instance and class; `WeakMethod` refers to one, and equality holds."""
    plain, traced, name = models
    for look in (inspect.ismethod, inspect.isfunction, inspect.iscoroutinefunction):
        same(lambda model, look=look: look(getattr(model, name)), (lambda: plain, lambda: traced))
    for look in (
        lambda model: weakref.WeakMethod(getattr(model, name))() == getattr(model, name),
        lambda model: getattr(model, name) == getattr(model, name),
        lambda model: getattr(model, name).__self__ in {model, type(model)},
        lambda model: inspect.signature(getattr(model, name)),
        lambda model: inspect.signature(getattr(type(model), name)),
        lambda model: type(vars(type(model))[name]) in {classmethod, staticmethod},
        lambda model: type(getattr(model, name)).__name__,
    ):
        same(look, (lambda: plain, lambda: traced))


def test_functions_and_methods_are_pickled_by_name():
    """Pickled, they are found again in the other process."""
    for function in (portable.generate, portable.Model("m").generate):
        there = pickle.loads(pickle.dumps(function))  # noqa: S301 - our own bytes
        assert there("q") == function("q")
