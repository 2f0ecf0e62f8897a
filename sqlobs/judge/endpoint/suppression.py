"""Suppresses instrumentation of the judge's own calls, so that judging is never traced."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry import context as context_api
from opentelemetry import trace

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEGACY_KEY = "suppress_instrumentation"
_UNSAMPLED = trace.NonRecordingSpan(
    trace.SpanContext(trace_id=1, span_id=1, is_remote=False, trace_flags=trace.TraceFlags(0))
)
"""For instrumentations that check neither key: children of an unsampled span are not recorded."""


@contextmanager
def unobserved() -> Iterator[None]:
    """Suppress instrumentation in this task within the block."""
    key = context_api._SUPPRESS_INSTRUMENTATION_KEY  # noqa: SLF001 - the key has no public name
    context = trace.set_span_in_context(_UNSAMPLED, context_api.Context())
    context = context_api.set_value(key, value=True, context=context)
    token = context_api.attach(context_api.set_value(_LEGACY_KEY, value=True, context=context))
    try:
        yield
    finally:
        context_api.detach(token)
