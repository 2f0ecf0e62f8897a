"""What a traced call is to the code that runs it, whatever it traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from sqlobs.tracing.options.scope import Frame, current_scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.tracing.completion_signal import CompletionSignal
    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.runtime import Runtime

Handle = TypeVar("Handle")


class Activity(Protocol):
    """One traced call from its start to its end. It ends once; later calls do nothing.

    No method raises: failures of our own stop inside.
    """

    runtime: Runtime

    @property
    def waiting(self) -> CompletionSignal | None:
        """Set by the end where the span waits for an answer; the caller waits with it."""
        ...

    def frame(self) -> Frame:
        """Return what the body sees as current; asked for once per body."""
        ...

    def returned(self, value: object) -> None:
        """The body returned a value that is no stream."""
        ...

    def raised(self, error: BaseException) -> None:
        """The body raised."""
        ...

    def chunk(self, value: object) -> None:
        """The stream that the body gave, gave a chunk."""
        ...

    def exhausted(self, value: object) -> None:
        """The stream came to its end; a generator may have returned a value."""
        ...

    def closed(self, *, is_abandoned: bool = False) -> None:
        """The stream was closed or dropped before its end."""
        ...


class Operation(Protocol):
    """Starts activities of one kind: what a decorator was declared with."""

    def named_after(self, function: Callable[..., object]) -> Operation:
        """Return the operation for a decorated function."""
        ...

    def begin(self, arguments: Arguments) -> Activity:
        """Start an activity."""
        ...


class Untraced(Generic[Handle]):
    """Stands for the activity of a block that could not be started; records nothing."""

    waiting = None

    def __init__(self, handle: Handle) -> None:
        self.handle = handle

    def frame(self) -> Frame:
        """Return what is current already."""
        return Frame(current_scope(), None)

    def returned(self, value: object) -> None:
        """Record nothing."""

    def raised(self, error: BaseException) -> None:
        """Record nothing."""
