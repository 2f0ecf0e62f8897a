"""The span of a `context()` block that no other span is around.

It makes one trace of the generations and executions of the block, and shows input, output and
failure of the last generation: backends list traces by their first span. What starts after its
end, or after many generations (a batch job, an application that never leaves its block), starts a
trace of its own with a link to it. Tests: `tests/tracing/test_context_spans.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from time import time_ns
from typing import TYPE_CHECKING, Final

from opentelemetry import context as context_api
from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    Link,
    Span,
    Status,
    StatusCode,
    get_current_span,
    set_span_in_context,
)

from sqlobs import semconv
from sqlobs.tracing.completion_signal import Todo, once
from sqlobs.tracing.options.option_layer import OptionLayer, label_text

if TYPE_CHECKING:
    from contextvars import Token

    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import AttributeValue

MOST_GENERATIONS: Final = 100
"""Generations in the trace of one block: backends cannot show a trace of millions of spans."""
_SHOWN: Final = (semconv.INPUT_VALUE, semconv.OUTPUT_VALUE)
_KEY: Final = context_api.create_key("sqlobs-context-span")


class ContextSpan:
    """One run of a block with its span."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.generations = 0
        self.end_ns: int | None = None
        """When the block was left."""
        self.failure: str | None = None
        """Why the last generation, or an execution after it, is an error."""
        self._shown: dict[str, AttributeValue] = {}
        self._pending: list[int] = []
        """Generations that have ended and wait for their check."""
        self._todo: Todo = ["end"]
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

    def await_check(self, generation: object) -> None:
        """Wait with the end of the span for a generation that has ended."""
        self._pending.append(id(generation))

    def learn(
        self, generation: object, attributes: Mapping[str, AttributeValue], failure: str | None
    ) -> None:
        """Take input, output and failure of a generation whose span has ended."""
        self.failure = failure
        self._shown = {name: attributes[name] for name in _SHOWN if name in attributes}
        with suppress(ValueError):  # it did not end by itself
            self._pending.remove(id(generation))
        self._finish()

    def end(self, *, is_here: bool) -> None:
        """Leave the block; `is_here`: on the Context that entered it."""
        self.end_ns = time_ns()
        if is_here and self._token is not None:
            context_api.detach(self._token)
        self._finish()

    def _finish(self) -> None:
        """End the span as of the end of the block, once all that it shows is known."""
        if self.end_ns is None or self._pending or not once(self._todo, "end"):
            return
        self.span.set_attributes(self._shown)
        if self.failure is not None:
            self.span.set_status(Status(StatusCode.ERROR, self.failure))
        self.span.end(end_time=self.end_ns)


def parent_in(
    current: Context, *, is_generation: bool = False
) -> tuple[Context, list[Link], ContextSpan | None]:
    """Return the context to start a span in, its links, and the block whose child it becomes."""
    around = current.get(_KEY)
    if not isinstance(around, ContextSpan) or get_current_span(current) is not around.span:
        return current, [], None
    around.generations += is_generation
    if around.end_ns is None and around.generations <= MOST_GENERATIONS:
        return current, [], around
    outside = Context({name: value for name, value in current.items() if name != _KEY})
    link = Link(around.span.get_span_context())
    return set_span_in_context(INVALID_SPAN, outside), [link], None
