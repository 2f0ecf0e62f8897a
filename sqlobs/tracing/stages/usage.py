"""Reads model, tokens and duration of model calls from spans of other instrumentations.

The client is never patched: the application's own instrumentation makes the spans, and a span
processor adds them to their request. It does not run in unsampled traces, nor on a provider that
does not accept processors. Tests: `tests/telemetry/test_usage.py`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from sqlobs import semconv
from sqlobs.tracing.records.record import Usage
from sqlobs.tracing.requests.rollup import ROLLUP_KEY, Rollup, rollup_of

if TYPE_CHECKING:
    from opentelemetry.context import Context


Value = TypeVar("Value", int, str)
OPEN_SPANS: Final = 10_000
"""Limit of open spans watched, as a span that never ends must not leak."""

_MODEL_OPERATIONS: Final = frozenset({"chat", "text_completion", "generate_content"})
_INSTALLED: Final[weakref.WeakSet[object]] = weakref.WeakSet()
_LOCK: Final = threading.Lock()


def read_usage_from(provider: object) -> bool:
    """Read model calls of a tracer provider; False if it does not accept processors.

    Once per provider, however many applications of a process share it: tokens count once.
    """
    add = getattr(provider, "add_span_processor", None)
    if add is None:
        return False
    with _LOCK:
        if provider not in _INSTALLED:
            _INSTALLED.add(provider)
            add(UsageReader())
    return True


@dataclass(slots=True)
class _Open:
    """A span inside a request that has not ended."""

    rollup: Rollup
    parent_id: int | None
    is_counted_below: bool = False
    """A model call inside it is counted, so its own sum of tokens is ignored."""


class UsageReader(SpanProcessor):
    """Adds each model call to its request; of nested spans only the innermost."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Remember a span that starts inside a request."""
        if parent_context is not None and ROLLUP_KEY not in parent_context:
            return
        rollup = rollup_of(parent_context)
        if rollup is None or len(self._open) >= OPEN_SPANS:
            return
        context = span.get_span_context()
        if context is not None:
            parent_id = None if span.parent is None else span.parent.span_id
            self._open[context.span_id] = _Open(rollup, parent_id)

    def on_end(self, span: ReadableSpan) -> None:
        """Add a model call that has ended."""
        if not self._open:
            return
        context = span.get_span_context()
        entry = None if context is None else self._open.pop(context.span_id, None)
        if entry is None or _is_ours(span):
            return
        attributes = span.attributes or {}
        if entry.is_counted_below or not _is_model_call(attributes):
            return
        self._mark_above(entry)
        entry.rollup.add_model_call(
            duration_s=((span.end_time or 0) - (span.start_time or 0)) / 1e9,
            model=_first(str, attributes, semconv.FOREIGN_MODEL_NAMES),
            usage=Usage(
                input_tokens=_first(int, attributes, semconv.FOREIGN_INPUT_TOKENS),
                output_tokens=_first(int, attributes, semconv.FOREIGN_OUTPUT_TOKENS),
            ),
            is_foreign=True,
        )

    def shutdown(self) -> None:
        """Forget open spans."""
        self._open.clear()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - the interface's
        """Return at once: nothing waits here."""
        return True

    def _mark_above(self, entry: _Open) -> None:
        parent_id = entry.parent_id
        while parent_id is not None and (above := self._open.get(parent_id)) is not None:
            above.is_counted_below = True
            parent_id = above.parent_id


def _is_ours(span: ReadableSpan) -> bool:
    """Return whether the span is ours: our own calls are added elsewhere."""
    scope = span.instrumentation_scope
    return scope is not None and scope.name == semconv.SCOPE


def _is_model_call(attributes: Mapping[str, object]) -> bool:
    operation = attributes.get(semconv.GEN_AI_OPERATION_NAME)
    kind = attributes.get(semconv.OPENINFERENCE_SPAN_KIND)
    return (
        operation in _MODEL_OPERATIONS
        or kind == "LLM"
        or (_first(int, attributes, semconv.FOREIGN_OUTPUT_TOKENS) is not None)
    )


def _first(
    kind: type[Value], attributes: Mapping[str, object], names: Iterable[str]
) -> Value | None:
    """Return the first attribute of a type; an empty text is none."""
    found = (attributes.get(name) for name in names)
    return next((value for value in found if isinstance(value, kind) and value != ""), None)
