"""The generation and the `context` block that the running code belongs to.

The scope is a ContextVar, so tasks and `asyncio.to_thread` inherit it. The OpenTelemetry context
carries span and rollup to child spans. Both are attached for one step and detached before other
code runs: no token lives across a `yield`. Tests: `tests/tracing/test_streams.py`.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Final

from opentelemetry.context import Context, attach, detach, get_current
from opentelemetry.trace import INVALID_SPAN, set_span_in_context

if TYPE_CHECKING:
    from sqlobs.tracing.requests.context_block import ContextBlock
    from sqlobs.tracing.requests.request import Request


SPAN_KEY: Final[str] = next(iter(set_span_in_context(INVALID_SPAN, Context())))
"""The key of the current span, which is private in the API; with it one copy sets two keys."""


class Scope:
    """The innermost generation and the innermost `context` block; either may be None."""

    __slots__ = ("context_block", "request")

    def __init__(self, request: Request | None, block: ContextBlock | None) -> None:
        self.request = request
        self.context_block = block


NOWHERE = Scope(None, None)
_scope: ContextVar[Scope | Request] = ContextVar("sqlobs_scope", default=NOWHERE)


current_scope = _scope.get
"""Returns the scope of the running code; a request is the scope of its own body."""


def enter_scope(scope: Scope) -> Token[Scope | Request]:
    """Make a scope the current one until `leave_scope`."""
    return _scope.set(scope)


def leave_scope(token: Token[Scope | Request]) -> bool:
    """Undo `enter_scope`; False if it was called in another Context, with nothing to undo here."""
    try:
        _scope.reset(token)
    except ValueError:
        return False
    return True


class Frame:
    """The scope and span that are current in a traced body; entered for each of its steps."""

    __slots__ = ("_context", "_scope")

    def __init__(self, scope: Scope | Request, context: Context | None) -> None:
        self._scope = scope
        self._context = context
        """None without a span: the OpenTelemetry context stays."""

    def enter(self) -> Entry:
        """Make the frame current."""
        context = self._context
        return _scope.set(self._scope), None if context is None else attach(context)

    def leave(self, entry: Entry) -> None:
        """Restore what was current before `enter`, even if the body left something attached."""
        scope_token, context_token = entry
        # The SDK logs an error for a token of another Context; our own token is tested first.
        try:
            _scope.reset(scope_token)
        except ValueError:
            return
        if context_token is not None:
            detach(context_token)

    def suspend(self, entry: Entry) -> None:
        """Leave between two steps; spans that the body left open are current in the next one."""
        self._scope = _scope.get()
        if self._context is not None:
            self._context = get_current()
        self.leave(entry)


Entry = tuple["Token[Scope | Request]", "Token[Context] | None"]
"""The tokens that `Frame.enter` returns for `Frame.leave`."""
