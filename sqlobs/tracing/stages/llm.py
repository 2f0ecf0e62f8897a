"""`trace_llm`: the model call of raw HTTP and in-house clients, which nobody instruments."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from opentelemetry.context import get_current, get_value, set_value
from opentelemetry.trace import SpanKind

from sqlobs import semconv
from sqlobs.tracing.conditions.arguments import Arguments
from sqlobs.tracing.conditions.resolution import asked, label_text
from sqlobs.tracing.conditions.scope import current_scope
from sqlobs.tracing.records.record import Usage
from sqlobs.tracing.requests.answer import text_in
from sqlobs.tracing.requests.chunks import Chunks
from sqlobs.tracing.requests.completion import field_of, model_of, usage_of
from sqlobs.tracing.requests.delta import finish_reason_of
from sqlobs.tracing.requests.rollup import ROLLUP_KEY, Rollup, rollup_of
from sqlobs.tracing.stages.coverage import INFERENCE_KEY, covering, is_client_patched, is_covered
from sqlobs.tracing.stages.prompts import answer_attributes, prompt_attributes, prompt_in
from sqlobs.tracing.stages.stage import IdleStage, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.context import Context

    from sqlobs.tracing.decorators import Decorators
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.tracing.stages.stage import StageKind
    from sqlobs.unit import AttributeValue

UNKNOWN_MODEL: Final = "unknown"
_PARAMETERS: Final = ("messages", "input", "prompt")
"""Those that hold the prompt, where none is named."""


class LlmOperation:
    """Starts model calls: what one `trace_llm` was declared with."""

    def __init__(
        self,
        instance: Decorators,
        *,
        model: str | Callable[..., str | None] | None = None,
        provider: str | None = None,
        messages: object = None,
    ) -> None:
        self.instance = instance
        self.model = model
        self.provider = provider
        self.messages = messages

    def named_after(self, function: Callable[..., object]) -> LlmOperation:  # noqa: ARG002 - the protocol's signature
        """Return the operation for a decorated function; a model call is named after its model."""
        return self

    def begin(self, arguments: Arguments) -> Stage:
        """Start a model call; without a span where somebody else makes one."""
        return self._begin(arguments)

    def _begin(self, arguments: Arguments | None) -> Stage:
        current = get_current()
        runtime = self.instance.runtime
        if runtime.tracer is None or is_covered(current):
            return _spanless(runtime, SilentCall())
        model = self._model_of(arguments)
        attributes = self._start_attributes(model, arguments)
        context = covering(current)
        if is_client_patched():
            inner = Rollup()
            call = UnseenCall(attributes, around=context, is_told=partial(_passes_on, inner))
            return _spanless(runtime, call, around=set_value(ROLLUP_KEY, inner, context))
        return Stage(
            runtime,
            ModelCall(model, context),
            span_name=_span_name(model),
            attributes=attributes,
            around=context,
        )

    @property
    def idle_handle(self) -> Stage:
        """What a block gets that could not be traced."""
        return IdleStage()

    def begin_block(self) -> Stage:
        """Start the model call of a `with` block."""
        return self._begin(None)

    def begin_reported(self) -> Stage:
        """Start a model call that callbacks report, whose code does not run in our frame.

        A foreign instrumentation inside it can neither be silenced nor followed: where one has
        told the request of a call meanwhile, this one is that call.
        """
        current = get_current()
        runtime = self.instance.runtime
        if runtime.tracer is None or is_covered(current):
            return _spanless(runtime, SilentCall())
        attributes = self._start_attributes(self._model_of(None), None)
        rollup = rollup_of(current)
        before = 0 if rollup is None else rollup.foreign_calls
        call = UnseenCall(
            attributes, around=current, is_told=lambda stage: stage.rollup.foreign_calls > before
        )
        return _spanless(runtime, call)

    def _model_of(self, arguments: Arguments | None) -> str | None:
        told = asked(self.model, arguments or Arguments(None), "model")
        return label_text(told) or _told_model()

    def _start_attributes(
        self, model: str | None, arguments: Arguments | None
    ) -> dict[str, AttributeValue]:
        attributes: dict[str, AttributeValue] = {semconv.GEN_AI_OPERATION_NAME: "chat"}
        if self.provider is not None:
            attributes[semconv.GEN_AI_PROVIDER_NAME] = self.provider
        if model is not None:
            attributes[semconv.GEN_AI_REQUEST_MODEL] = model
        runtime = self.instance.runtime
        if runtime.capture.content:
            prompt = prompt_in(self.messages, arguments, _PARAMETERS)
            attributes |= prompt_attributes(runtime, prompt)
        return attributes


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
        usage = _told_usage(told) or usage_of(source) or _published_usage(inner)
        model = (
            _text(told.get(semconv.GEN_AI_RESPONSE_MODEL))
            or model_of(source)
            or _text(field_of(inner, "response_model"))
        )
        stage.rollup.add_model_call(
            duration_s=stage.duration_s, model=self._model or model, usage=usage
        )
        reason = finish_reason_of(source)
        return {
            **({} if model is None else {semconv.GEN_AI_RESPONSE_MODEL: model}),
            **({} if reason is None else {semconv.GEN_AI_RESPONSE_FINISH_REASONS: (reason,)}),
            **_usage_attributes(usage or Usage()),
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
        self._model = _text(attributes.get(semconv.GEN_AI_REQUEST_MODEL))
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
                _span_name(self._model),
                context=self._around,
                kind=SpanKind.CLIENT,
                attributes=dict(self._attributes),
                start_time=stage.start_ns,
            )
        return self._call.ended(stage, value)


def _spanless(runtime: Runtime, call: StageKind, *, around: Context | None = None) -> Stage:
    return Stage(runtime, call, span_name="", attributes={}, around=around, has_span=False)


def _passes_on(inner: Rollup, stage: Stage) -> bool:
    """Pass on to the request what foreign spans told inside the call; False where none did."""
    if not inner.model_calls:
        return False
    stage.rollup.add_model_call(
        duration_s=inner.stages.llm_s or stage.duration_s, model=inner.model, usage=inner.usage
    )
    return True


def _span_name(model: str | None) -> str:
    return semconv.SPAN_LLM.format(model=model or UNKNOWN_MODEL)


def _told_model() -> str | None:
    """Return the model that the context or the generation was told."""
    scope = current_scope()
    if scope.request is not None:
        return scope.request.resolve().context.model
    return None if scope.ambient is None else scope.ambient.given.model


def _usage_attributes(usage: Usage) -> dict[str, AttributeValue]:
    counts = {
        semconv.GEN_AI_USAGE_INPUT_TOKENS: usage.input_tokens,
        semconv.GEN_AI_USAGE_OUTPUT_TOKENS: usage.output_tokens,
    }
    return {name: count for name, count in counts.items() if count is not None}


def _told_usage(told: Mapping[str, AttributeValue]) -> Usage | None:
    """Return the tokens that the block has set on the call."""
    counts = (
        told.get(semconv.GEN_AI_USAGE_INPUT_TOKENS),
        told.get(semconv.GEN_AI_USAGE_OUTPUT_TOKENS),
    )
    sent, received = (count if isinstance(count, int) else None for count in counts)
    return None if sent is received is None else Usage(sent, received)


def _published_usage(inner: object) -> Usage | None:
    """Return the tokens that a silenced inner instrumentation has published to us."""
    sent, received = (field_of(inner, f"usage_{side}_tokens") for side in ("input", "output"))
    usage = replace(
        Usage(),
        input_tokens=sent if isinstance(sent, int) else None,
        output_tokens=received if isinstance(received, int) else None,
    )
    return None if usage == Usage() else usage


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
