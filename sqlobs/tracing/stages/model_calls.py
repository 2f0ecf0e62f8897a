"""Model calls by who tells of them: we, another's instrumentation, or whichever turns out to.

A call ends with what its completion says: model, tokens, finish reason.
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
    """A model call that somebody else traces."""

    def ended(self, stage: Stage, value: object) -> Mapping[str, AttributeValue]:  # noqa: ARG002 - the protocol's signature
        """Show nothing: the other's span tells."""
        return {}

    def saw(self, chunk: object) -> None:
        """Leave the stream alone."""


class ModelCall:
    """A model call that is ours to trace."""

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
        """Return what the completion says, after adding it to the request."""
        source = self._chunks or value
        inner = get_value(INFERENCE_KEY, self._context)
        told = stage.told
        usage = (
            _usage(told, semconv.GEN_AI_USAGE_INPUT_TOKENS, semconv.GEN_AI_USAGE_OUTPUT_TOKENS)
            or usage_of(source)
            or _usage(inner, "usage_input_tokens", "usage_output_tokens")
        )
        model = (
            text_field(told, semconv.GEN_AI_RESPONSE_MODEL)
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
            **told,
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
    """A model call that a foreign instrumentation may trace; ours if it turns out not to."""

    def __init__(
        self,
        attributes: Mapping[str, AttributeValue],
        *,
        around: Context,
        is_told: Callable[[Stage], bool],
    ) -> None:
        self._attributes = attributes
        self._around = around
        self._is_told = is_told
        """Says whether the request knows of the call by another's span."""
        self._model = text_field(attributes, semconv.GEN_AI_REQUEST_MODEL)
        self._call = ModelCall(self._model, around)

    def saw(self, chunk: object) -> None:
        """Take what the stream says."""
        self._call.saw(chunk)

    def ended(self, stage: Stage, value: object) -> Mapping[str, AttributeValue]:
        """Make our span now, with its true times, where no other has told of the call."""
        if self._is_told(stage):
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
    """Pass on to the request what foreign spans told inside the call; False where none did."""
    if not inner.model_calls:
        return False
    stage.rollup.add_model_call(
        duration_s=inner.stages.llm_s or stage.duration_s, model=inner.model, usage=inner.usage
    )
    return True


def _known(attributes: Mapping[str, AttributeValue | None]) -> dict[str, AttributeValue]:
    return {name: value for name, value in attributes.items() if value is not None}


def _usage(teller: object, sent: str, received: str) -> Usage | None:
    """Return the tokens that a block has set, or that a silenced instrumentation has published."""
    counts = (field_of(teller, name) for name in (sent, received))
    usage = Usage(*(count if isinstance(count, int) else None for count in counts))
    return None if usage == Usage() else usage
