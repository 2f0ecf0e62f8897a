"""What `trace_*` returns with keywords: a decorator and a context manager in one.

Tests: `tests/tracing/test_requests.py` and `test_kinds.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from sqlobs.tracing.completion_signal import CompletionSignal, wait_for, wait_for_async
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.scope import Entry, Frame, current_scope
from sqlobs.tracing.requests.answer import NOTHING_RETURNED
from sqlobs.tracing.wrapping.activity import Activity, Handle_co, Operation
from sqlobs.tracing.wrapping.function import traced

F = TypeVar("F", bound="Callable[..., Any] | classmethod[Any, Any, Any] | staticmethod[Any, Any]")


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """One run of a block; tasks and threads may run the same block concurrently."""

    activity: Activity[Any] | None
    """None where it could not be started."""
    frame: Frame
    entry: Entry


_inside: ContextVar[tuple[Opened, ...]] = ContextVar("sqlobs_blocks", default=())
"""The blocks that the running code is inside of, the outermost first."""


class Declaration(Generic[Handle_co]):
    """Decorates functions, or traces the block it is the context manager of."""

    def __init__(self, operation: Operation[Handle_co]) -> None:
        self._operation = operation
        self._open: list[Opened] = []

    def __call__(self, function: F) -> F:
        """Return the function, traced; signature and kind stay."""
        return cast("F", traced(cast("Any", function), self._operation))

    def __enter__(self) -> Handle_co:
        activity = self._begin()
        frame = Frame(current_scope(), None) if activity is None else activity.frame()
        opened = Opened(activity, frame, frame.enter())
        self._open.append(opened)
        _inside.set((*_inside.get(), opened))
        return self._operation.idle_handle if activity is None else activity.handle

    def _begin(self) -> Activity[Handle_co] | None:
        with INTERNAL_ERRORS.contained("begin"):
            return self._operation.begin(None)
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        wait_for(self._leave(error))

    def _leave(self, error: BaseException | None) -> CompletionSignal | None:
        opened = self._left()
        if opened is None:
            return None
        opened.frame.leave(opened.entry)
        activity = opened.activity
        if activity is None:
            return None
        if error is None:
            activity.returned(NOTHING_RETURNED)
        else:
            activity.raised(error)
        return activity.waiting

    def _left(self) -> Opened | None:
        """Return the run that is left: the innermost of this context, else the newest."""
        inside = _inside.get()
        mine = [one for one in inside if one in self._open] or self._open
        if not mine:
            return None
        opened = mine[-1]
        self._open.remove(opened)
        _inside.set(tuple(one for one in inside if one is not opened))
        return opened

    async def __aenter__(self) -> Handle_co:
        return self.__enter__()

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        await wait_for_async(self._leave(error))
