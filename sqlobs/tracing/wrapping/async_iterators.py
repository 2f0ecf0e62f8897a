"""Stand-ins for async iterators and generators. Tests: `tests/tracing/test_streams.py`."""

from __future__ import annotations

from typing import Any

from sqlobs.tracing.wrapping.stream import Stream


class AsyncStream(Stream):
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
        return await self._self_shut(self._self_original.aclose)

    def close(self) -> Any:
        """Close the stream as it closes itself: SDK streams return an awaitable."""
        closed = self._self_original.close()
        if not hasattr(type(closed), "__await__"):
            self._self_close()
            return closed
        return self._self_await(closed)

    async def __aenter__(self) -> Any:
        entered = await self._self_original.__aenter__()
        return self if entered is self._self_original else entered

    async def __aexit__(self, *exception: object) -> Any:
        try:
            return await self._self_original.__aexit__(*exception)
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
