"""The span of a `context()` block that no other span is around.

It makes one trace of the generations and executions of the block. What starts after its end, or
after many generations (a batch job, an application that never leaves its block), starts a trace of
its own with a link to it. Tests: `tests/tracing/test_context_spans.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from opentelemetry import context as context_api
from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, Link, get_current_span, set_span_in_context

from sqlobs import semconv
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.option_layer import label_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token

    from opentelemetry.trace import Span

    from sqlobs.tracing.options.option_layer import OptionLayer
    from sqlobs.tracing.runtime import Runtime

MOST_GENERATIONS: Final = 100
"""Generations in the trace of one block: backends cannot show a trace of millions of spans."""
_KEY: Final = context_api.create_key("sqlobs-context-span")


class ContextSpan:
    """One run of a block with its span."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.generations = 0
        self.has_ended = False
        self._token: Token[Context] | None = None

    @classmethod
    def start(cls, runtime: Runtime, options: OptionLayer) -> ContextSpan | None:
        """Start a span and make it current; None inside another span, and without a tracer."""
        current = context_api.get_current()
        if runtime.tracer is None or get_current_span(current).get_span_context().is_valid:
            return None
        named = {
            semconv.GEN_AI_CONVERSATION_ID: label_text(options.conversation),
            semconv.USER_ID: label_text(options.user),
            semconv.SESSION_ID: label_text(options.session),
            semconv.SQLOBS_TENANT: label_text(options.tenant),
        }
        span = runtime.tracer.start_span(semconv.SPAN_CONTEXT, context=current)
        span.set_attribute(semconv.OPENINFERENCE_SPAN_KIND, "CHAIN")
        span.set_attributes({name: value for name, value in named.items() if value is not None})
        started = cls(span)
        started._token = context_api.attach(
            Context({**set_span_in_context(span, current), _KEY: started})
        )
        return started

    def end(self, *, is_here: bool) -> None:
        """End the span; `is_here`: on the same Context, in which it is no longer current."""
        self.has_ended = True
        if is_here and self._token is not None:
            context_api.detach(self._token)
        self.span.end()


def parent_in(current: Context, *, is_generation: bool = False) -> tuple[Context, list[Link]]:
    """Return the context to start a span in, and its links."""
    around = current.get(_KEY)
    if not isinstance(around, ContextSpan) or get_current_span(current) is not around.span:
        return current, []
    around.generations += is_generation
    if not around.has_ended and around.generations <= MOST_GENERATIONS:
        return current, []
    outside = Context({name: value for name, value in current.items() if name != _KEY})
    return set_span_in_context(INVALID_SPAN, outside), [Link(around.span.get_span_context())]


def started_safely(runtime: Callable[[], Runtime], options: OptionLayer) -> ContextSpan | None:
    """Start the span of a block; never raises."""
    try:
        return ContextSpan.start(runtime(), options)
    except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
        INTERNAL_ERRORS.caught("context", error)
        return None
