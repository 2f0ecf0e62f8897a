"""What the stand-ins of all streams have in common.

Each step of a stream runs in the activity's frame, which is left before the consumer's code runs
again. The activity ends once: at the end, on an error, on close, or when nobody can take another
step (then on the worker: a finalizer may run anywhere, so it only hands over).
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
"""How the methods of a stream helper begin that read the stream to its end."""


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


class Stream(Standin):
    """A stream that tells an activity its steps."""

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
        except AttributeError:  # never fully made, or the interpreter is going down
            return

    def __getattr__(self, name: str) -> Any:
        if name.startswith(_READERS):
            method = getattr(type(self._self_original), name, None)
            if inspect.isfunction(method):  # reads the stand-in, so that its chunks are seen
                return MethodType(method, self)
        return super().__getattr__(name)
