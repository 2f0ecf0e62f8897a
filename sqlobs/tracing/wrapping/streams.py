"""Recognizes and wraps the streams that traced functions return.

Tests: `tests/tracing/test_streams.py` and `test_clients.py`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.wrapping.async_iterators import AsyncStream
from sqlobs.tracing.wrapping.iterators import GeneratorStream, SyncStream
from sqlobs.tracing.wrapping.standin import standin_class
from sqlobs.tracing.wrapping.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.tracing.wrapping.activity import Activity

_MANAGER: Final = "StreamManager"
"""Suffix of the OpenAI and Anthropic classes whose `with` block returns a stream."""


def is_stream(value: object) -> bool:
    """Say whether a value is a stream, by its protocol; never iterates it."""
    kind = type(value)
    return (
        hasattr(kind, "__next__") or hasattr(kind, "__anext__") or kind.__name__.endswith(_MANAGER)
    )


def proxied(stream: object, activity: Activity) -> object:
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


class Manager(Stream):
    """A context manager that opens a stream: the request is made when its block is entered."""

    __slots__ = ()

    def __enter__(self) -> Any:
        with self._self_opening():
            return self._self_opened(self._self_original.__enter__())

    def __exit__(self, *exception: object) -> Any:
        try:
            return self._self_original.__exit__(*exception)
        finally:
            self._self_close()
            waiting = self._self_activity.waiting
            if waiting is not None:
                waiting.wait()

    async def __aenter__(self) -> Any:
        with self._self_opening():
            return self._self_opened(await self._self_original.__aenter__())

    async def __aexit__(self, *exception: object) -> Any:
        try:
            return await self._self_original.__aexit__(*exception)
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
        self._self_end()  # from here on the stream reports
        return proxied(stream, self._self_activity) if is_stream(stream) else stream

    def _self_close(self) -> None:
        self._self_end()
        self._self_activity.closed()
