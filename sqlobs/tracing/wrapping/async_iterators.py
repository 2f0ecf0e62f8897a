"""Proxies of asynchronous iterators and generators."""

from __future__ import annotations

from typing import Any

from sqlobs.tracing.wrapping.stream import Stream


class AsyncStream(Stream):
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
