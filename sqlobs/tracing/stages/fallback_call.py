"""The span of a call to the fallback: a trace of its own, linked to the evaluated span.

As a child it would stretch the trace of a request that nobody waited with.
Tests: `tests/tracing/test_fallback.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from sqlobs import semconv
from sqlobs.tracing.description.late_evaluations import FAILED
from sqlobs.tracing.records.span_identity import span_context_of
from sqlobs.tracing.stages.model_calls import span_name

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from sqlobs.check.fallback import FallbackAnswer
    from sqlobs.unit import AttributeValue, SpanIdentity


def trace_fallback(
    tracer: Tracer, evaluated: SpanIdentity, answer: FallbackAnswer, *, asked_ns: int
) -> None:
    """Write the span of a call that has ended; none where no model was called."""
    if not answer.calls or not evaluated.sampled:
        return
    span = tracer.start_span(
        span_name(answer.model),
        context=Context(),
        kind=SpanKind.CLIENT,
        attributes=dict(_attributes(evaluated, answer)),
        links=[Link(span_context_of(evaluated))],
        start_time=asked_ns,
    )
    if answer.reason in FAILED:
        span.set_status(Status(StatusCode.ERROR, answer.reason))
    span.end()


def _attributes(
    evaluated: SpanIdentity, answer: FallbackAnswer
) -> Iterator[tuple[str, AttributeValue]]:
    yield semconv.GEN_AI_OPERATION_NAME, "chat"
    yield semconv.OPENINFERENCE_SPAN_KIND, "LLM"
    yield semconv.GEN_AI_USAGE_INPUT_TOKENS, answer.input_tokens
    yield semconv.GEN_AI_USAGE_OUTPUT_TOKENS, answer.output_tokens
    yield semconv.SQLOBS_EVALUATOR_NAME, answer.evaluator
    yield semconv.SQLOBS_EVALUATOR_VERSION, answer.evaluator_version
    yield semconv.SQLOBS_EVALUATED_TRACE_ID, f"{evaluated.trace_id:032x}"
    if answer.model is not None:
        yield semconv.GEN_AI_REQUEST_MODEL, answer.model
    if answer.cost_usd is not None:
        yield semconv.SQLOBS_USAGE_COST, answer.cost_usd
    if answer.reason in FAILED:
        yield semconv.ERROR_TYPE, answer.reason
