"""`sqlobs.context`: options for all requests in a block, and the handles of those requests.

Tests: `tests/tracing/test_handles.py` and `test_arguments.py`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import Token, copy_context
from typing import TYPE_CHECKING, Final, ParamSpec, Self, TypeVar

from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.scope import Scope, current_scope, enter_scope, leave_scope
from sqlobs.tracing.requests.context_span import ContextSpan

if TYPE_CHECKING:
    from sqlobs.tracing.options.option_layer import OptionLayer
    from sqlobs.tracing.requests.generation import Generation
    from sqlobs.tracing.requests.request import Request
    from sqlobs.tracing.runtime import Runtime

P = ParamSpec("P")
R = TypeVar("R")

REMEMBERED: Final = 1000
"""Generations kept by one block; a batch job may run millions inside one."""


class ContextBlock:
    """A block's options and the requests started in it.

    The caller of the block makes the object, and requests inside fill it: handles come back from
    tasks and threads, from which context variables do not.
    """

    def __init__(
        self, options: OptionLayer, *, outside: Generation, runtime: Callable[[], Runtime]
    ) -> None:
        self.options = options
        """Once entered: merged with the options of the blocks around."""
        self._outside = outside
        self._runtime = runtime
        self._outer: ContextBlock | None = None
        self._requests: deque[Request] = deque(maxlen=REMEMBERED)
        self._entries: list[tuple[Token[Scope | Request], ContextSpan | None]] = []

    @property
    def generation(self) -> Generation:
        """The handle of the last request started in this block; a no-op handle before the first."""
        return self._requests[-1].handle if self._requests else self._outside

    @property
    def generations(self) -> tuple[Generation, ...]:
        """The handles of all requests of this block, oldest first (of the last 1,000)."""
        return tuple(request.handle for request in self.requests)

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests behind the handles."""
        return tuple(self._requests)

    def started(self, request: Request) -> None:
        """Add a request, here and in the blocks around."""
        self._requests.append(request)
        if self._outer is not None:
            self._outer.started(request)

    def bind(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function so that it runs in this context, on any thread.

        For a bare executor, which does not copy context variables; `asyncio.to_thread` and tasks
        do.
        """
        captured = copy_context()
        captured.run(self._enter_for_good)

        def bound(*args: P.args, **kwargs: P.kwargs) -> R:
            return captured.copy().run(function, *args, **kwargs)

        return bound

    def _enter_for_good(self) -> None:
        scope = current_scope()
        if not self._covers(scope.context_block):
            enter_scope(Scope(scope.request, self))

    def _covers(self, block: ContextBlock | None) -> bool:
        while block is not None:
            if block is self:
                return True
            block = block._outer  # noqa: SLF001 - the chain of this very class
        return False

    def __enter__(self) -> Self:
        scope = current_scope()
        if scope.context_block is not None and not self._covers(scope.context_block):
            self._outer = scope.context_block
            self.options = self.options.over(scope.context_block.options)
        if scope.request is not None:
            scope.request.enter_block(self.options)
        token = enter_scope(Scope(scope.request, self))
        span = None
        with INTERNAL_ERRORS.contained("context"):
            span = ContextSpan.start(self._runtime(), self.options)
        self._entries.append((token, span))
        return self

    def __exit__(self, *_: object) -> None:
        if not self._entries:
            return
        # Tasks may be inside the same block concurrently: a token of another task is not reset.
        mine = next((one for one in reversed(self._entries) if leave_scope(one[0])), None)
        entry = mine or self._entries[-1]
        self._entries.remove(entry)
        if entry[1] is not None:
            entry[1].end(is_here=mine is not None)
