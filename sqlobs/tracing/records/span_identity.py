"""The ids a record goes by: the span's; our own where no SDK gives any."""

from __future__ import annotations

from random import getrandbits
from typing import TYPE_CHECKING

from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)

from sqlobs.unit import SpanIdentity

if TYPE_CHECKING:
    from opentelemetry.trace import Span


def identity_of(span: Span | None, around: Context | None = None) -> SpanIdentity:
    """Return the identity of a span.

    Args:
        span: The span; None where spans are off.
        around: The context it was started in. The API's own tracer, without any SDK, gives the
            parent's ids again; then only the trace id is the parent's.
    """
    context = None if span is None else span.get_span_context()
    outer = None if around is None else get_current_span(around).get_span_context()
    if context is not None and context.is_valid and (outer is None or context != outer):
        return SpanIdentity(context.trace_id, context.span_id, context.trace_flags.sampled)
    known = outer if outer is not None and outer.is_valid else None
    trace_id = (getrandbits(128) | 1) if known is None else known.trace_id
    return SpanIdentity(trace_id, getrandbits(64) | 1)


def context_of(span: SpanIdentity) -> Context:
    """Return a context in which log records and exemplars name a span, whether it still runs."""
    flags = TraceFlags(TraceFlags.SAMPLED if span.sampled else TraceFlags.DEFAULT)
    identity = SpanContext(span.trace_id, span.span_id, is_remote=False, trace_flags=flags)
    return set_span_in_context(NonRecordingSpan(identity), Context())
