"""Three kinds of model calls: traced by us, by another instrumentation, or unknown until the end.

At the end of a call, model, tokens and finish reason are read from the completion.
Tests: `tests/tracing/test_stages.py` and `test_clients.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from opentelemetry.context import get_value
from opentelemetry.trace import SpanKind

from sqlobs import semconv
from sqlobs.tracing.records.record import Usage
from sqlobs.tracing.requests.answer import text_in
from sqlobs.tracing.requests.chunks import Chunks
from sqlobs.tracing.requests.delta import finish_reason_of
from sqlobs.tracing.requests.model_response import field_of, id_of, model_of, text_field, usage_of
from sqlobs.tracing.stages.coverage import INFERENCE_KEY
from sqlobs.tracing.stages.prompts import answer_attributes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.context import Context

    from sqlobs.tracing.requests.rollup import Rollup
    from sqlobs.tracing.stages.stage import Stage
    from sqlobs.unit import AttributeValue

UNKNOWN_MODEL: Final = "unknown"


def span_name(model: str | None) -> str:
    """Return the name of a call's span."""
    return semconv.SPAN_LLM.format(model=model or UNKNOWN_MODEL)


class SilentCall:
    """A model call that another instrumentation traces."""

    def ended(self, stage: Stage, value: object) -> Mapping[str, AttributeValue]:  # noqa: ARG002 - the protocol's signature
        """Add nothing: the other span has it all."""
        return {}

    def saw(self, chunk: object) -> None:
        """Ignore the stream."""


class ModelCall:
    """A model call that we trace."""

    def __init__(self, model: str | None, context: Context) -> None:
        self._model = model
        self._context = context
        self._chunks: Chunks | None = None

    def saw(self, chunk: object) -> None:
        """Take model, tokens and finish reason from the stream's chunks."""
        if self._chunks is None:
            self._chunks = Chunks()
        self._chunks.add(chunk)

    def ended(self, stage: Stage, value: object) -> Mapping[str, AttributeValue]:
        """Return the attributes of the completion, after adding it to the rollup."""
        source = self._chunks or value
        inner = get_value(INFERENCE_KEY, self._context)
        values = stage.values
        usage = (
            _usage(values, semconv.GEN_AI_USAGE_INPUT_TOKENS, semconv.GEN_AI_USAGE_OUTPUT_TOKENS)
            or usage_of(source)
            or _usage(inner, "usage_input_tokens", "usage_output_tokens")
        )
        model = (
            text_field(values, semconv.GEN_AI_RESPONSE_MODEL)
            or model_of(source)
            or text_field(inner, "response_model")
        )
        stage.rollup.add_model_call(
            duration_s=stage.duration_s, model=self._model or model, usage=usage
        )
        reason = finish_reason_of(source)
        return {
            **_known(
                {
                    semconv.GEN_AI_RESPONSE_ID: id_of(source),
                    semconv.GEN_AI_RESPONSE_MODEL: model,
                    semconv.GEN_AI_RESPONSE_FINISH_REASONS: None if reason is None else (reason,),
                    semconv.GEN_AI_USAGE_INPUT_TOKENS: (usage or Usage()).input_tokens,
                    semconv.GEN_AI_USAGE_OUTPUT_TOKENS: (usage or Usage()).output_tokens,
                }
            ),
            **self._answer_attributes(stage, value, reason),
            **values,
        }

    def _answer_attributes(
        self, stage: Stage, value: object, reason: str | None
    ) -> Mapping[str, AttributeValue]:
        capture = stage.runtime.capture
        if not capture.content or capture.sql != "raw":
            return {}
        text = text_in(value if self._chunks is None else self._chunks.answer)
        return answer_attributes(stage.runtime, text, reason) if text else {}


class UnseenCall:
    """A model call that another instrumentation may trace; otherwise we do, at its end."""

    def __init__(
        self,
        attributes: Mapping[str, AttributeValue],
        *,
        around: Context,
        is_reported: Callable[[Stage], bool],
    ) -> None:
        self._attributes = attributes
        self._around = around
        self._is_reported = is_reported
        """Says whether another span has reported the call."""
        self._model = text_field(attributes, semconv.GEN_AI_REQUEST_MODEL)
        self._call = ModelCall(self._model, around)

    def saw(self, chunk: object) -> None:
        """Collect a chunk of the stream."""
        self._call.saw(chunk)

    def ended(self, stage: Stage, value: object) -> Mapping[str, AttributeValue]:
        """Make our span with the actual times, unless another span has reported the call."""
        if self._is_reported(stage):
            return {}
        tracer = stage.runtime.tracer
        if tracer is not None:
            stage.span = tracer.start_span(
                span_name(self._model),
                context=self._around,
                kind=SpanKind.CLIENT,
                attributes=dict(self._attributes),
                start_time=stage.start_ns,
            )
        return self._call.ended(stage, value)


def passes_on(inner: Rollup, stage: Stage) -> bool:
    """Add what other spans reported inside the call to the request; False if none did."""
    if not inner.model_calls:
        return False
    stage.rollup.add_model_call(
        duration_s=inner.stages.llm_s or stage.duration_s, model=inner.model, usage=inner.usage
    )
    return True


def _known(attributes: Mapping[str, AttributeValue | None]) -> dict[str, AttributeValue]:
    return {name: value for name, value in attributes.items() if value is not None}


def _usage(source: object, inputs: str, outputs: str) -> Usage | None:
    """Return the tokens set by a block, or published by the suppressed instrumentation."""
    counts = (field_of(source, name) for name in (inputs, outputs))
    usage = Usage(*(count if isinstance(count, int) else None for count in counts))
    return None if usage == Usage() else usage
