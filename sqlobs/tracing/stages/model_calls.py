"""Three kinds of model calls: traced by us, by another instrumentation, or unknown until the end.

The official instrumentation (opentelemetry-util-genai) makes no span inside a call that has its
inference data in the context, but fills them. Others cannot be suppressed: if one has patched the
OpenAI client, we add a span after a call without a span of theirs.
Tests: `tests/tracing/test_stages.py` and `test_clients.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from opentelemetry.context import Context, get_value, set_value
from opentelemetry.trace import SpanKind

from sqlobs import semconv
from sqlobs.tracing.records.record import Usage
from sqlobs.tracing.requests.answer import text_in
from sqlobs.tracing.requests.model_response import (
    field_of,
    finish_reason_of,
    id_of,
    model_of,
    text_field,
    usage_of,
)
from sqlobs.tracing.stages.prompts import answer_attributes

if TYPE_CHECKING:
    from sqlobs.tracing.requests.rollup import Rollup
    from sqlobs.tracing.stages.stage import Stage
    from sqlobs.unit import AttributeValue

INFERENCE_KEY: Final = "opentelemetry.genai.client.inference.context"
"""The key of the official instrumentation; its value is the outer call's `InferenceData`."""

_GENAI_MODULE: Final = "opentelemetry.util.genai.invocation"


def is_covered(context: Context) -> bool:
    """Return whether an instrumented model call is open around this one."""
    return get_value(INFERENCE_KEY, context) is not None


def covering(context: Context) -> Context:
    """Return a context that suppresses the official instrumentation."""
    data = _inference_data()
    return context if data is None else set_value(INFERENCE_KEY, data, context)


def is_client_patched() -> bool:
    """Return whether another instrumentation has wrapped the OpenAI client."""
    openai = sys.modules.get("openai")
    client = getattr(openai, "OpenAI", None)
    return hasattr(getattr(client, "request", None), "__wrapped__")


def _inference_data() -> object:
    """Return new inference data if that package is imported, else None."""
    module = sys.modules.get(_GENAI_MODULE)
    kind = getattr(module, "InferenceData", None)
    return None if kind is None else kind()


UNKNOWN_MODEL: Final = "unknown"


def span_name(model: str | None) -> str:
    """Return the name of a call's span."""
    return semconv.SPAN_LLM.format(model=model or UNKNOWN_MODEL)


def traced(
    stage: Stage, value: object, *, model: str | None, context: Context
) -> Mapping[str, AttributeValue]:
    """Add a model call that we trace to the rollup, and return the attributes of the completion."""
    source = stage.chunks or value
    inner = get_value(INFERENCE_KEY, context)
    values = stage.values
    usage = (
        _usage(values, semconv.GEN_AI_USAGE_INPUT_TOKENS, semconv.GEN_AI_USAGE_OUTPUT_TOKENS)
        or usage_of(source)
        or _usage(inner, "usage_input_tokens", "usage_output_tokens")
    )
    answered_by = (
        text_field(values, semconv.GEN_AI_RESPONSE_MODEL)
        or model_of(source)
        or text_field(inner, "response_model")
    )
    stage.rollup.add_model_call(
        duration_s=stage.duration_s, model=model or answered_by, usage=usage
    )
    reason = finish_reason_of(source)
    known = {
        semconv.GEN_AI_RESPONSE_ID: id_of(source),
        semconv.GEN_AI_RESPONSE_MODEL: answered_by,
        semconv.GEN_AI_RESPONSE_FINISH_REASONS: None if reason is None else (reason,),
        semconv.GEN_AI_USAGE_INPUT_TOKENS: (usage or Usage()).input_tokens,
        semconv.GEN_AI_USAGE_OUTPUT_TOKENS: (usage or Usage()).output_tokens,
    }
    return {
        **{name: value for name, value in known.items() if value is not None},
        **_answer_attributes(stage, value),
        **values,
    }


def _answer_attributes(stage: Stage, value: object) -> Mapping[str, AttributeValue]:
    capture = stage.runtime.capture
    if not capture.content or capture.sql != "raw":
        return {}
    text = text_in(value if stage.chunks is None else stage.chunks.answer)
    return answer_attributes(stage.runtime, text) if text else {}


def traced_unless_reported(
    stage: Stage,
    value: object,
    *,
    attributes: Mapping[str, AttributeValue],
    context: Context,
    is_reported: Callable[[Stage], bool],
) -> Mapping[str, AttributeValue]:
    """Trace a call at its end, with the actual times, unless another span has reported it."""
    if is_reported(stage):
        return {}
    model = text_field(attributes, semconv.GEN_AI_REQUEST_MODEL)
    if stage.runtime.tracer is not None:
        stage.span = stage.runtime.tracer.start_span(
            span_name(model),
            context=context,
            kind=SpanKind.CLIENT,
            attributes=dict(attributes),
            start_time=stage.start_ns,
        )
    return traced(stage, value, model=model, context=context)


def passes_on(inner: Rollup, stage: Stage) -> bool:
    """Add what other spans reported inside the call to the request; False if none did."""
    if not inner.model_calls:
        return False
    stage.rollup.add_model_call(
        duration_s=inner.stages.llm_s or stage.duration_s, model=inner.model, usage=inner.usage
    )
    return True


def _usage(source: object, inputs: str, outputs: str) -> Usage | None:
    """Return the tokens set by a block, or published by the suppressed instrumentation."""
    counts = (field_of(source, name) for name in (inputs, outputs))
    usage = Usage(*(count if isinstance(count, int) else None for count in counts))
    return None if usage == Usage() else usage
