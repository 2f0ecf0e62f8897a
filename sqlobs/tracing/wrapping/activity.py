"""The interface between a traced call and the code that runs it, whatever is traced.

Tests: `tests/tracing/test_transparency.py` and `test_kinds.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from sqlobs.tracing.completion_signal import CompletionSignal
    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.options.scope import Frame
    from sqlobs.tracing.runtime import Runtime

Handle_co = TypeVar("Handle_co", covariant=True)


class Activity(Protocol[Handle_co]):
    """One traced call or block from start to end. It ends once; later calls do nothing.

    No method raises: failures inside sqlobs stop there.
    """

    @property
    def runtime(self) -> Runtime:
        """Has the worker that ends abandoned streams."""

    @property
    def handle(self) -> Handle_co:
        """The object that `as` binds to a `with` block."""

    @property
    def waiting(self) -> CompletionSignal | None:
        """Set at the end where the span waits for an answer; the caller waits, too."""

    def frame(self) -> Frame:
        """Return what is current in the body; called once per body."""

    def returned(self, value: object) -> None:
        """End: the body returned a value that is no stream, or the block was left."""

    def raised(self, error: BaseException) -> None:
        """End: the body raised."""

    def chunk(self, value: object) -> None:
        """Record a chunk of the stream that the body returned."""

    def exhausted(self, value: object) -> None:
        """End: the stream is exhausted; a generator may have returned a value."""

    def closed(self, *, is_abandoned: bool = False) -> None:
        """End: the stream was closed or dropped early."""


class Operation(Protocol[Handle_co]):
    """Starts the activities of one decorator or block."""

    @property
    def idle_handle(self) -> Handle_co:
        """The handle of a block that could not be traced: records nothing."""

    def named_after(self, function: Callable[..., object]) -> Operation[Handle_co]:
        """Return the operation for a decorated function."""

    def begin(self, arguments: Arguments | None) -> Activity[Handle_co]:
        """Start the activity of a call, or of a `with` block, which has no arguments."""
