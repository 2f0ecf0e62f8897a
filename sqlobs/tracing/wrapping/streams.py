"""Stand-ins for the streams that traced functions return.

Each step of a stream runs in the activity's frame, which is left before the consumer's code runs
again. The activity ends once: at the end, on an error, on close, or when the stream is
garbage-collected (then on the worker: a finalizer may run on any thread, so it only queues a
task). Tests: `tests/tracing/test_streams.py`, `test_stream_lifetime.py` and `test_clients.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from types import MethodType
from typing import TYPE_CHECKING, Any, Final

from sqlobs.tracing.completion_signal import CompletionSignal, wait_for, wait_for_async
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.worker.task import Chore
from sqlobs.tracing.wrapping.standin import Standin, standin_class

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.options.scope import Entry, Frame
    from sqlobs.tracing.wrapping.activity import Activity

_READERS: Final = ("until_done", "get_final_")
"""Prefixes of stream helper methods that read the stream to its end."""


class Abandoned(Chore):
    """The task that ends a garbage-collected stream, on the worker."""

    __slots__ = ("_activity",)
    is_awaited = True

    def __init__(self, activity: Activity[Any]) -> None:
        self._activity = activity

    def work(self) -> None:
        """End the activity."""
        self._activity.closed(is_abandoned=True)

    def drop(self, reason: Reason) -> None:  # noqa: ARG002 - the protocol's signature
        """End the activity on the calling thread."""
        self._activity.closed(is_abandoned=True)


class Stream(Standin):
    """A stream that reports its steps to an activity."""

    __slots__ = ("_self_activity", "_self_frame", "_self_is_over")
    if TYPE_CHECKING:
        _self_activity: Activity[Any]
        _self_frame: Frame
        _self_is_over: bool

    def __init__(self, stream: object, activity: Activity[Any]) -> None:
        self._self_original = stream
        self._self_activity = activity
        self._self_frame = activity.frame()
        self._self_is_over = False

    def _self_end(self) -> None:
        self._self_is_over = True

    def _self_close(self) -> CompletionSignal | None:
        """End the activity; return what the caller waits for."""
        self._self_end()
        self._self_activity.closed()
        return self._self_activity.waiting

    def _self_failed(self, entry: Entry, error: BaseException) -> CompletionSignal | None:
        """End the activity after a step that raised; return what the caller waits for."""
        self._self_frame.leave(entry)
        self._self_end()
        if not isinstance(error, StopIteration | StopAsyncIteration):
            self._self_activity.raised(error)
            return None
        self._self_activity.exhausted(getattr(error, "value", None))
        return self._self_activity.waiting

    def _self_stepped(self, entry: Entry, chunk: object) -> None:
        self._self_frame.suspend(entry)
        self._self_activity.chunk(chunk)

    @contextmanager
    def _self_inside(self) -> Iterator[None]:
        """Run a block in the frame; its exception ends the activity."""
        entry = self._self_frame.enter()
        try:
            yield
        except BaseException as error:
            self._self_failed(entry, error)
            raise
        self._self_frame.leave(entry)

    def __del__(self) -> None:
        try:
            if not self._self_is_over:
                activity = self._self_activity
                activity.runtime.worker.hand_over(Abandoned(activity))
        except AttributeError:  # not fully initialized, or the interpreter is shutting down
            return

    def __getattr__(self, name: str) -> Any:
        if name.startswith(_READERS):
            method = getattr(type(self._self_original), name, None)
            if inspect.isfunction(method):  # bound to the stand-in, so that its chunks are recorded
                return MethodType(method, self)
        return super().__getattr__(name)


class Block(Stream):
    """What may be used in a `with` block, whose end is that of the activity."""

    __slots__ = ()

    def __enter__(self) -> Any:
        entered = self._self_original.__enter__()
        return self if entered is self._self_original else entered

    def __exit__(self, *exception: object) -> Any:
        try:
            return self._self_original.__exit__(*exception)
        finally:
            wait_for(self._self_close())

    async def __aenter__(self) -> Any:
        entered = await self._self_original.__aenter__()
        return self if entered is self._self_original else entered

    async def __aexit__(self, *exception: object) -> Any:
        try:
            return await self._self_original.__aexit__(*exception)
        finally:
            await wait_for_async(self._self_close())


class SyncStream(Block):
    """An iterator other than a generator: an SDK's stream, a file, a cursor."""

    __slots__ = ()

    def __iter__(self) -> SyncStream:
        return self

    def __next__(self) -> Any:
        return self._self_step(self._self_original.__next__)

    def close(self) -> Any:
        """Close the stream; after a finish reason the text so far is the answer."""
        try:
            return self._self_original.close()
        finally:
            wait_for(self._self_close())

    def _self_step(self, step: Any, *arguments: Any) -> Any:
        entry = self._self_frame.enter()
        try:
            chunk = step(*arguments)
        except BaseException as error:
            wait_for(self._self_failed(entry, error))
            raise
        self._self_stepped(entry, chunk)
        return chunk


class GeneratorStream(SyncStream):
    """A generator, with `send` and `throw`."""

    __slots__ = ()

    def send(self, value: Any) -> Any:
        """Send a value into the generator."""
        return self._self_step(self._self_original.send, value)

    def throw(self, *exception: Any) -> Any:
        """Raise an exception inside the generator."""
        return self._self_step(self._self_original.throw, *exception)

    def close(self) -> Any:
        """Close the generator in its own frame, as its `finally` blocks may start spans."""
        with self._self_inside():
            closed = self._self_original.close()
        wait_for(self._self_close())
        return closed


class AsyncStream(Block):
    """An async generator, or an async iterator such as an SDK's stream."""

    __slots__ = ()

    def __aiter__(self) -> AsyncStream:
        return self

    async def __anext__(self) -> Any:
        return await self._self_step(self._self_original.__anext__)

    async def asend(self, value: Any) -> Any:
        """Send a value into the async generator."""
        return await self._self_step(self._self_original.asend, value)

    async def athrow(self, *exception: Any) -> Any:
        """Raise an exception inside the async generator."""
        return await self._self_step(self._self_original.athrow, *exception)

    async def aclose(self) -> Any:
        """Close the async generator, in its own frame."""
        with self._self_inside():
            closed = await self._self_original.aclose()
        await wait_for_async(self._self_close())
        return closed

    def close(self) -> Any:
        """Close the stream as it closes itself: SDK streams return an awaitable."""
        closed = self._self_original.close()
        if not hasattr(type(closed), "__await__"):
            self._self_close()
            return closed
        return self._self_await(closed)

    async def _self_await(self, closing: Any) -> Any:
        try:
            return await closing
        finally:
            await wait_for_async(self._self_close())

    async def _self_step(self, step: Any, *arguments: Any) -> Any:
        entry = self._self_frame.enter()
        try:
            chunk = await step(*arguments)
        except BaseException as error:
            await wait_for_async(self._self_failed(entry, error))
            raise
        self._self_stepped(entry, chunk)
        return chunk


_MANAGER: Final = "StreamManager"
"""Suffix of the OpenAI and Anthropic classes whose `with` block returns a stream."""


def is_stream(value: object) -> bool:
    """Return whether a value is a stream, by its protocol; never iterates it."""
    kind = type(value)
    return (
        hasattr(kind, "__next__") or hasattr(kind, "__anext__") or kind.__name__.endswith(_MANAGER)
    )


def proxied(stream: object, activity: Activity[Any]) -> object:
    """Return a stand-in for the stream, which reports its steps to the activity."""
    kind = type(stream)
    if kind.__name__.endswith(_MANAGER):
        template: type[Stream] = Manager
    elif hasattr(kind, "__anext__"):
        template = AsyncStream
    elif hasattr(kind, "send"):
        template = GeneratorStream
    else:
        template = SyncStream
    try:
        activity.runtime.worker.ensure_started()
        return standin_class(template, kind)(stream, activity)
    except Exception as error:  # noqa: BLE001 - the boundary: the user gets the stream at least
        INTERNAL_ERRORS.caught("stream", error)
        activity.returned(None)
        return stream


class Manager(Block):
    """A context manager that opens a stream: the request is made when its block is entered."""

    __slots__ = ()

    def __enter__(self) -> Any:
        with self._self_inside():
            return self._self_opened(self._self_original.__enter__())

    async def __aenter__(self) -> Any:
        with self._self_inside():
            return self._self_opened(await self._self_original.__aenter__())

    def _self_opened(self, stream: object) -> object:
        self._self_end()  # from here on the stream reports
        return proxied(stream, self._self_activity) if is_stream(stream) else stream
