"""The common base of the stand-ins for streams.

Each step of a stream runs in the activity's frame, which is left before the consumer's code runs
again. The activity ends once: at the end, on an error, on close, or when the stream is
garbage-collected (then on the worker: a finalizer may run on any thread, so it only queues a
task). Tests: `tests/tracing/test_streams.py` and `test_stream_lifetime.py`.
"""

from __future__ import annotations

import inspect
from types import MethodType
from typing import TYPE_CHECKING, Any, Final

from sqlobs.tracing.wrapping.standin import Standin

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.options.scope import Frame
    from sqlobs.tracing.wrapping.activity import Activity

_READERS: Final = ("until_done", "get_final_")
"""Prefixes of stream helper methods that read the stream to its end."""


class Abandoned:
    """The task that ends a garbage-collected stream, on the worker."""

    __slots__ = ("_activity",)
    is_awaited = True

    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    def work(self) -> None:
        """End the activity."""
        self._activity.closed(is_abandoned=True)

    def expire(self) -> None:
        """Do nothing: no span waits."""

    def drop(self, reason: Reason) -> None:  # noqa: ARG002 - the protocol's signature
        """End the activity on the calling thread."""
        self._activity.closed(is_abandoned=True)


class Stream(Standin):
    """A stream that reports its steps to an activity."""

    __slots__ = ("_self_activity", "_self_frame", "_self_is_over")
    if TYPE_CHECKING:
        _self_activity: Activity
        _self_frame: Frame
        _self_is_over: bool

    def __init__(self, stream: object, activity: Activity) -> None:
        self._self_original = stream
        self._self_activity = activity
        self._self_frame = activity.frame()
        self._self_is_over = False

    def _self_end(self) -> None:
        self._self_is_over = True

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
