"""Stand-ins for iterators and generators. Tests: `tests/tracing/test_streams.py`."""

from __future__ import annotations

from typing import Any

from sqlobs.tracing.wrapping.stream import Stream


class SyncStream(Stream):
    """An iterator other than a generator: an SDK's stream, a file, a cursor."""

    __slots__ = ()

    def __iter__(self) -> SyncStream:
        return self

    def __next__(self) -> Any:
        return self._self_step(self._self_original.__next__)

    def __enter__(self) -> Any:
        entered = self._self_original.__enter__()
        return self if entered is self._self_original else entered

    def __exit__(self, *exception: object) -> Any:
        try:
            return self._self_original.__exit__(*exception)
        finally:
            self._self_close()

    def close(self) -> Any:
        """Close the stream; after a finish reason the text so far is the answer."""
        try:
            return self._self_original.close()
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
        frame = self._self_frame
        entry = frame.enter()
        try:
            closed = self._self_original.close()
        except BaseException as error:
            frame.leave(entry)
            self._self_end()
            self._self_activity.raised(error)
            raise
        frame.leave(entry)
        self._self_close()
        return closed
