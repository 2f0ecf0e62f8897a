"""Transparent proxies of iterators and streams that a traced function gave.

Each step of the stream runs in the activity's frame, which is left before the consumer's code
runs again. The activity ends once: at the end, on an error, on close, or when nobody can take
another step (then on the worker: a finaliser may run anywhere, so it only hands over).
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, NoReturn

from wrapt import ObjectProxy

from sqlobs.tracing.faults import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.wrapping.activity import Activity

    _Proxy = ObjectProxy[Any]
else:
    _Proxy = ObjectProxy  # wrapt 1 is generic for type checkers only


_MANAGER: Final = "StreamManager"
"""How the classes are called whose `with` block gives a stream: those of OpenAI and Anthropic."""
_READERS: Final = ("until_done", "get_final_")
"""How the methods of a stream helper begin that read the stream to its end."""


def is_stream(value: object) -> bool:
    """Say whether a value gives its content in steps; decided by protocol, never by iterating."""
    kind = type(value)
    return (
        hasattr(kind, "__next__") or hasattr(kind, "__anext__") or kind.__name__.endswith(_MANAGER)
    )


def proxied(stream: object, activity: Activity) -> object:
    """Return a proxy that behaves as the stream does and tells the activity its steps."""
    kind = type(stream)
    if kind.__name__.endswith(_MANAGER):
        proxy: type[_Stream] = Manager
    elif hasattr(kind, "__anext__"):
        proxy = AsyncStream
    elif hasattr(kind, "send"):
        proxy = GeneratorStream
    else:
        proxy = SyncStream
    try:
        activity.runtime.finisher.ensure_started()
        return proxy(stream, activity)
    except Exception as error:  # noqa: BLE001 - the boundary: the user gets the stream at least
        FAULTS.caught("stream", error)
        activity.returned(None)
        return stream


class Abandoned:
    """A stream nobody can take another step of; its activity ends on the worker."""

    __slots__ = ("_activity",)
    is_awaited = True

    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    def work(self) -> None:
        """End the activity."""
        self._activity.closed(is_abandoned=True)

    def expire(self) -> None:
        """Nothing waits for it."""

    def refuse(self, reason: Reason) -> None:  # noqa: ARG002 - the protocol's signature
        """End the activity on whatever thread gives up."""
        self._activity.closed(is_abandoned=True)


class _Stream(_Proxy):
    """What all streams have in common."""

    def __init__(self, stream: object, activity: Activity) -> None:
        super().__init__(stream)
        self._self_activity = activity
        self._self_frame = activity.frame()
        self._self_is_over = False

    def _self_end(self) -> None:
        self._self_is_over = True

    def __del__(self) -> None:
        try:
            if not self._self_is_over:
                activity = self._self_activity
                activity.runtime.finisher.hand_over(Abandoned(activity))
        except AttributeError:  # never fully made, or the interpreter is going down
            return

    def __getattr__(self, name: str) -> Any:
        if name.startswith(_READERS):
            method = getattr(type(self.__wrapped__), name, None)
            if inspect.isfunction(method):  # reads the proxy, so that its chunks are seen
                return MethodType(method, self)
        return super().__getattr__(name)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"cannot pickle a stream of type {type(self.__wrapped__).__name__!r}")


class Manager(_Stream):
    """A context manager that opens a stream: the request is made when its block is entered."""

    def __enter__(self) -> Any:
        with self._self_opening():
            return self._self_opened(self.__wrapped__.__enter__())

    def __exit__(self, *exception: object) -> Any:
        try:
            return self.__wrapped__.__exit__(*exception)
        finally:
            self._self_close()
            waiting = self._self_activity.waiting
            if waiting is not None:
                waiting.wait()

    async def __aenter__(self) -> Any:
        with self._self_opening():
            return self._self_opened(await self.__wrapped__.__aenter__())

    async def __aexit__(self, *exception: object) -> Any:
        try:
            return await self.__wrapped__.__aexit__(*exception)
        finally:
            self._self_close()
            waiting = self._self_activity.waiting
            if waiting is not None:
                await waiting.wait_async()

    @contextmanager
    def _self_opening(self) -> Iterator[None]:
        entry = self._self_frame.enter()
        try:
            yield
        except BaseException as error:
            self._self_frame.leave(entry)
            self._self_end()
            self._self_activity.raised(error)
            raise
        self._self_frame.leave(entry)

    def _self_opened(self, stream: object) -> object:
        self._self_end()  # from here on the stream tells
        return proxied(stream, self._self_activity) if is_stream(stream) else stream

    def _self_close(self) -> None:
        self._self_end()
        self._self_activity.closed()


class SyncStream(_Stream):
    """An iterator that is no generator: an SDK's stream, a file, a cursor."""

    def __iter__(self) -> SyncStream:
        return self

    def __next__(self) -> Any:
        return self._self_step(self.__wrapped__.__next__)

    def __enter__(self) -> Any:
        entered = self.__wrapped__.__enter__()
        return self if entered is self.__wrapped__ else entered

    def __exit__(self, *exception: object) -> Any:
        try:
            return self.__wrapped__.__exit__(*exception)
        finally:
            self._self_close()

    def close(self) -> Any:
        """Close the stream; what it gave so far is its answer if the model had finished."""
        try:
            return self.__wrapped__.close()
        finally:
            self._self_close()

    def _self_close(self) -> None:
        self._self_end()
        self._self_activity.closed()
        self._self_wait()

    def _self_wait(self) -> None:
        waiting = self._self_activity.waiting
        if waiting is not None:
            waiting.wait()

    def _self_step(self, step: Any, *arguments: Any) -> Any:
        activity = self._self_activity
        frame = self._self_frame
        entry = frame.enter()
        try:
            chunk = step(*arguments)
        except BaseException as error:
            frame.leave(entry)
            self._self_end()
            if isinstance(error, StopIteration):
                activity.exhausted(error.value)
                self._self_wait()
            else:
                activity.raised(error)
            raise
        frame.suspend(entry)
        activity.chunk(chunk)
        return chunk


class GeneratorStream(SyncStream):
    """A generator: takes values and exceptions, too."""

    def send(self, value: Any) -> Any:
        """Send a value into the generator."""
        return self._self_step(self.__wrapped__.send, value)

    def throw(self, *exception: Any) -> Any:
        """Raise an exception inside the generator."""
        return self._self_step(self.__wrapped__.throw, *exception)

    def close(self) -> Any:
        """Close the generator, in its own frame: its `finally` blocks may make spans."""
        frame = self._self_frame
        entry = frame.enter()
        try:
            closed = self.__wrapped__.close()
        except BaseException as error:
            frame.leave(entry)
            self._self_end()
            self._self_activity.raised(error)
            raise
        frame.leave(entry)
        self._self_close()
        return closed


class AsyncStream(_Stream):
    """An async generator, or an async iterator such as an SDK's stream."""

    def __aiter__(self) -> AsyncStream:
        return self

    async def __anext__(self) -> Any:
        return await self._self_step(self.__wrapped__.__anext__)

    async def asend(self, value: Any) -> Any:
        """Send a value into the async generator."""
        return await self._self_step(self.__wrapped__.asend, value)

    async def athrow(self, *exception: Any) -> Any:
        """Raise an exception inside the async generator."""
        return await self._self_step(self.__wrapped__.athrow, *exception)

    async def aclose(self) -> Any:
        """Close the async generator, in its own frame."""
        return await self._self_shut(self.__wrapped__.aclose)

    def close(self) -> Any:
        """Close the stream as it closes itself: SDK streams return an awaitable."""
        closed = self.__wrapped__.close()
        if not hasattr(type(closed), "__await__"):
            self._self_close()
            return closed
        return self._self_await(closed)

    async def __aenter__(self) -> Any:
        entered = await self.__wrapped__.__aenter__()
        return self if entered is self.__wrapped__ else entered

    async def __aexit__(self, *exception: object) -> Any:
        try:
            return await self.__wrapped__.__aexit__(*exception)
        finally:
            self._self_close()
            await self._self_wait()

    def _self_close(self) -> None:
        self._self_end()
        self._self_activity.closed()

    async def _self_wait(self) -> None:
        waiting = self._self_activity.waiting
        if waiting is not None:
            await waiting.wait_async()

    async def _self_await(self, closing: Any) -> Any:
        try:
            return await closing
        finally:
            self._self_close()
            await self._self_wait()

    async def _self_shut(self, shut: Any) -> Any:
        frame = self._self_frame
        entry = frame.enter()
        try:
            closed = await shut()
        except BaseException as error:
            frame.leave(entry)
            self._self_end()
            self._self_activity.raised(error)
            raise
        frame.leave(entry)
        self._self_close()
        await self._self_wait()
        return closed

    async def _self_step(self, step: Any, *arguments: Any) -> Any:
        activity = self._self_activity
        frame = self._self_frame
        entry = frame.enter()
        try:
            chunk = await step(*arguments)
        except BaseException as error:
            frame.leave(entry)
            self._self_end()
            if isinstance(error, StopAsyncIteration):
                activity.exhausted(None)
                await self._self_wait()
            else:
                activity.raised(error)
            raise
        frame.suspend(entry)
        activity.chunk(chunk)
        return chunk
