"""`trace_llm`: model calls of raw HTTP and in-house clients, without other instrumentation.

Tests: `tests/tracing/test_stages.py` and `test_prompts.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from opentelemetry.context import get_current, set_value

from sqlobs import semconv
from sqlobs.tracing.options.arguments import Arguments
from sqlobs.tracing.options.option_layer import label_text, option_value
from sqlobs.tracing.options.scope import current_scope
from sqlobs.tracing.requests.rollup import ROLLUP_KEY, Rollup
from sqlobs.tracing.stages.model_calls import (
    covering,
    is_client_patched,
    is_covered,
    passes_on,
    span_name,
    traced,
    traced_unless_reported,
)
from sqlobs.tracing.stages.prompts import prompt_attributes, prompt_in
from sqlobs.tracing.stages.stage import IDLE_STAGE, Stage

if TYPE_CHECKING:
    from sqlobs.tracing.runtime_holder import RuntimeHolder
    from sqlobs.unit import AttributeValue

_PARAMETERS: Final = ("messages", "input", "prompt")
"""Default names of the parameter with the prompt."""


@dataclass(frozen=True, eq=False)
class LlmOperation:
    """Starts model calls with the options of one `trace_llm`."""

    idle_handle = IDLE_STAGE
    holder: RuntimeHolder
    model: str | Callable[..., str | None] | None = None
    provider: str | None = None
    messages: object = None

    def named_after(self, function: Callable[..., object]) -> LlmOperation:  # noqa: ARG002 - the protocol's signature
        """Return itself: the span is named after the model."""
        return self

    def begin(self, arguments: Arguments | None) -> Stage:
        """Start a model call, without a span if another instrumentation makes one."""
        current = get_current()
        runtime = self.holder.runtime
        if runtime.tracer is None or is_covered(current):
            return Stage(runtime)  # the span of another instrumentation has it all
        model = self._model_of(arguments)
        attributes = self._start_attributes(model, arguments)
        context = covering(current)
        if is_client_patched():
            inner = Rollup()
            call = partial(
                traced_unless_reported,
                attributes=attributes,
                context=context,
                is_reported=partial(passes_on, inner),
            )
            return Stage(runtime, call, around=set_value(ROLLUP_KEY, inner, context))
        return Stage(
            runtime,
            partial(traced, model=model, context=context),
            span_name=span_name(model),
            attributes=attributes,
            around=context,
        )

    def begin_reported(self) -> Stage:
        """Start a model call reported by callbacks, which does not run inside our frame.

        Another instrumentation can neither be suppressed nor followed: if it has reported a call
        to the request in the meantime, that is this call.
        """
        current = get_current()
        runtime = self.holder.runtime
        if runtime.tracer is None or is_covered(current):
            return Stage(runtime)  # the span of another instrumentation has it all
        attributes = self._start_attributes(self._model_of(None), None)
        request = current_scope().request
        before = 0 if request is None else request.rollup.foreign_calls
        call = partial(
            traced_unless_reported,
            attributes=attributes,
            context=current,
            is_reported=lambda stage: stage.rollup.foreign_calls > before,
        )
        return Stage(runtime, call)

    def _model_of(self, arguments: Arguments | None) -> str | None:
        model = option_value(self.model, arguments or Arguments(None), "model")
        return label_text(model) or _model_in_scope()

    def _start_attributes(
        self, model: str | None, arguments: Arguments | None
    ) -> dict[str, AttributeValue]:
        attributes: dict[str, AttributeValue] = {
            semconv.GEN_AI_OPERATION_NAME: "chat",
            semconv.OPENINFERENCE_SPAN_KIND: "LLM",
        }
        if self.provider is not None:
            attributes[semconv.GEN_AI_PROVIDER_NAME] = self.provider
        if model is not None:
            attributes[semconv.GEN_AI_REQUEST_MODEL] = model
        runtime = self.holder.runtime
        if runtime.capture.content:
            prompt = prompt_in(self.messages, arguments, _PARAMETERS)
            attributes |= prompt_attributes(runtime, prompt)
        return attributes


def _model_in_scope() -> str | None:
    scope = current_scope()
    if scope.request is not None:
        return scope.request.resolve().context.model
    return None if scope.context_block is None else scope.context_block.options.model
