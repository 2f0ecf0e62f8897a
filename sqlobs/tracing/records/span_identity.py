"""The ids of a record: the span's, or generated ones without an SDK.

Tests: `tests/tracing/test_requests.py`.
"""

from __future__ import annotations

from random import getrandbits

from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)

from sqlobs.unit import SpanIdentity


def identity_of(span: Span | None, around: Context | None = None) -> SpanIdentity:
    """Return the identity of a span.

    Args:
        span: The span; None where spans are off.
        around: The context it was started in. Without an SDK the API's tracer repeats the parent's
            ids; then only the trace id is taken.
    """
    context = None if span is None else span.get_span_context()
    outer = None if around is None else get_current_span(around).get_span_context()
    if context is not None and context.is_valid and (outer is None or context != outer):
        return SpanIdentity(context.trace_id, context.span_id, context.trace_flags.sampled)
    known = outer if outer is not None and outer.is_valid else None
    trace_id = (getrandbits(128) | 1) if known is None else known.trace_id
    return SpanIdentity(trace_id, getrandbits(64) | 1)


def context_of(span: SpanIdentity) -> Context:
    """Return a context for log records and exemplars of a span, which may have ended."""
    return set_span_in_context(NonRecordingSpan(span_context_of(span)), Context())


def span_context_of(span: SpanIdentity) -> SpanContext:
    """Return the identity as OpenTelemetry's, for links."""
    flags = TraceFlags(TraceFlags.SAMPLED if span.sampled else TraceFlags.DEFAULT)
    return SpanContext(span.trace_id, span.span_id, is_remote=False, trace_flags=flags)
