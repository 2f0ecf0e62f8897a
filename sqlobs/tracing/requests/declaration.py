"""What `trace_*` with keywords gives: a decorator and a context manager in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from sqlobs.tracing.requests.answer import NOTHING_RETURNED
from sqlobs.tracing.wrapping.activity import Activity, Operation
from sqlobs.tracing.wrapping.function import traced

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from sqlobs.tracing.conditions.scope import Entry, Frame
    from sqlobs.tracing.waiting import Waiting

F = TypeVar("F", bound="Callable[..., Any] | classmethod[Any, Any, Any] | staticmethod[Any, Any]")
Handle_co = TypeVar("Handle_co", covariant=True)


class BlockActivity(Activity, Protocol[Handle_co]):
    """An activity that a `with` block can hold."""

    @property
    def handle(self) -> Handle_co:
        """What the block's `as` gets."""
        ...


class BlockOperation(Operation, Protocol[Handle_co]):
    """An operation that can start without a function."""

    def begin_block(self) -> BlockActivity[Handle_co]:
        """Start the activity of a `with` block."""
        ...


class Declaration(Generic[Handle_co]):
    """Decorates functions, or traces the block it is the context manager of."""

    def __init__(self, operation: BlockOperation[Handle_co]) -> None:
        self._operation = operation
        self._open: list[tuple[BlockActivity[Handle_co], Frame, Entry]] = []

    def __call__(self, function: F) -> F:
        """Return the function, traced; signature and kind stay."""
        return cast("F", traced(cast("Any", function), self._operation))

    def __enter__(self) -> Handle_co:
        activity = self._operation.begin_block()
        frame = activity.frame()
        self._open.append((activity, frame, frame.enter()))
        return activity.handle

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        waiting = self._leave(error)
        if waiting is not None:
            waiting.wait()

    def _leave(self, error: BaseException | None) -> Waiting | None:
        activity, frame, entry = self._open.pop()
        frame.leave(entry)
        if error is None:
            activity.returned(NOTHING_RETURNED)
        else:
            activity.raised(error)
        return activity.waiting

    async def __aenter__(self) -> Handle_co:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        waiting = self._leave(error)
        if waiting is not None:
            await waiting.wait_async()
