"""`sqlobs.context`: what holds for all requests in a block, and the handles of those requests."""

from __future__ import annotations

from collections import deque
from contextvars import copy_context
from typing import TYPE_CHECKING, Final, ParamSpec, Self, TypeVar

from sqlobs.tracing.conditions.scope import Scope, current_scope, enter_scope, leave_scope
from sqlobs.tracing.requests.generation import NO_GENERATION

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token
    from types import TracebackType

    from sqlobs.tracing.conditions.given import Given
    from sqlobs.tracing.requests.generation import Generation
    from sqlobs.tracing.requests.request import Request

P = ParamSpec("P")
R = TypeVar("R")

REMEMBERED: Final = 1000
"""Generations that one context keeps; a batch job may run millions inside one block."""


class Ambient:
    """A block's settings and the requests started in it.

    The object is made by the caller of the block and filled from inside, so handles come back
    from tasks and threads, from which context variables do not.
    """

    def __init__(self, given: Given) -> None:
        self.given = given
        """This block's settings over those of the blocks around it, once entered."""
        self._outer: Ambient | None = None
        self._requests: deque[Request] = deque(maxlen=REMEMBERED)
        self._tokens: list[Token[Scope | Request]] = []

    @property
    def generation(self) -> Generation:
        """The handle of the last request started in this block; a no-op handle before the first."""
        return self._requests[-1].handle if self._requests else NO_GENERATION

    @property
    def generations(self) -> tuple[Generation, ...]:
        """The handles of all requests of this block, oldest first (of the last 1,000)."""
        return tuple(request.handle for request in self.requests)

    @property
    def requests(self) -> tuple[Request, ...]:
        """What the handles stand for."""
        return tuple(self._requests)

    def started(self, request: Request) -> None:
        """Remember a request, here and in the blocks around."""
        self._requests.append(request)
        if self._outer is not None:
            self._outer.started(request)

    def bind(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function so that it runs in this context, on whatever thread.

        For a bare executor, which carries no context variables over; `asyncio.to_thread` and tasks
        need no help.
        """
        captured = copy_context()
        captured.run(self._enter_for_good)

        def bound(*args: P.args, **kwargs: P.kwargs) -> R:
            return captured.copy().run(function, *args, **kwargs)

        return bound

    def _enter_for_good(self) -> None:
        scope = current_scope()
        if not self._covers(scope.ambient):
            enter_scope(Scope(scope.request, self))

    def _covers(self, ambient: Ambient | None) -> bool:
        """Say whether a context is this one or lies inside it."""
        while ambient is not None:
            if ambient is self:
                return True
            ambient = ambient._outer  # noqa: SLF001 - the chain of this very class
        return False

    def __enter__(self) -> Self:
        scope = current_scope()
        if scope.ambient is not None and not self._covers(scope.ambient):
            self._outer = scope.ambient
            self.given = self.given.over(scope.ambient.given)
        if scope.request is not None:
            scope.request.told(self.given)
        self._tokens.append(enter_scope(Scope(scope.request, self)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._tokens:
            leave_scope(self._tokens.pop())
