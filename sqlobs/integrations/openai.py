"""OpenAI's client: traces its calls as model calls, and completions without a decorator.

The client is never patched: `trace_client` gives a proxy of the one it is handed. The completion
hook is called by OpenTelemetry's GenAI instrumentations, of whichever client.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from opentelemetry.context import attach, detach
from opentelemetry.trace import set_span_in_context

from sqlobs import semconv
from sqlobs.check.llm_output.answer_text import names_sql, text_of
from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs.tracing.instance import default_instance
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.scope import current_scope
from sqlobs.tracing.requests.operation import GenerationOperation
from sqlobs.tracing.wrapping.standin import Proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from opentelemetry.trace import Span

    from sqlobs.tracing.instance import Sqlobs

__all__ = ["CompletionHook", "trace_client"]

Client = TypeVar("Client")
Calls = dict[str, "Calls"]
"""Attributes of a client that lead to its model calls, which have nothing below them."""

WORKFLOW: Final = "completion"
"""Name of the workflow whose requests the completion hook makes."""

_METHODS: Final[Calls] = {"create": {}, "parse": {}, "stream": {}}
_CALLS: Final[Calls] = {
    "chat": {"completions": _METHODS},
    "completions": _METHODS,
    "responses": _METHODS,
    "beta": {"chat": {"completions": _METHODS}},
}
_COPIES: Final = frozenset({"copy", "with_options"})


def trace_client(client: Client, *, instance: Sqlobs | None = None) -> Client:
    """Return an OpenAI client whose model calls are traced as `trace_llm` traces them.

    Chat completions, responses and legacy completions, whole, parsed and streamed, of the
    synchronous and asynchronous clients; raw responses are not followed. Silent where an
    instrumentation covers the call.

    Args:
        client: The client, which is not changed.
        instance: The instance that traces; the default one if None.
    """
    provider = "azure.ai.openai" if "Azure" in type(client).__name__ else "openai"
    trace = (instance or default_instance()).trace_llm(
        model=_model_of, provider=provider, messages=_messages_of
    )
    return cast("Client", TracedClient(client, _CALLS, trace))


class TracedClient(Proxy):
    """Stands for a client, or for a part of it that leads to model calls."""

    def __init__(self, wrapped: object, calls: Calls, trace: Callable[[Any], Any]) -> None:
        super().__init__(wrapped)
        self._self_calls = calls
        self._self_trace = trace
        self._self_parts: dict[str, tuple[Any, Any]] = {}
        """What is followed already, by its name: reading a signature takes longer than a call."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        known, part = self._self_parts.get(name, (None, None))
        if part is None or known != value:  # a test may have put another in its place
            part = self._self_followed(name, value)
            if part is not value:
                self._self_parts[name] = value, part
        return part

    def __enter__(self) -> Any:
        self.__wrapped__.__enter__()
        return self

    async def __aenter__(self) -> Any:
        await self.__wrapped__.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> Any:  # wrapt 1 passes on the other three only
        return await self.__wrapped__.__aexit__(*exception)

    def _self_followed(self, name: str, value: Any) -> Any:
        if name in _COPIES and self._self_calls is _CALLS:
            return partial(self._self_copied, value)
        below = self._self_calls.get(name)
        if below is None:
            return value
        return TracedClient(value, below, self._self_trace) if below else self._self_trace(value)

    def _self_copied(self, copy: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return TracedClient(copy(*args, **kwargs), _CALLS, self._self_trace)


def _model_of(model: object = None) -> str | None:
    return model if isinstance(model, str) else None


def _messages_of(**asked: object) -> list[object]:
    """Return all that a call of any of the APIs tells the model."""
    prompt = next(filter(None, map(asked.get, ("messages", "input", "prompt"))), None)
    instructions = asked.get("instructions")
    messages = [prompt] if isinstance(prompt, str) else prompt
    return [
        *([{"role": "system", "content": instructions}] if isinstance(instructions, str) else ()),
        *(messages if isinstance(messages, list | tuple) else ()),
    ]


class CompletionHook:
    """Records each completion that contains SQL and comes from no decorated function as a request.

    `OTEL_INSTRUMENTATION_GENAI_COMPLETION_HOOK=sqlobs` has the instrumentations of OpenTelemetry
    call it when a completion is there, before its span ends. The request's span is a child of that
    span; its time, model and tokens are those of the call. A completion is taken for SQL where it
    is nothing else, or has it in a fence, in JSON or in the arguments of a tool call.
    """

    def __init__(self, instance: Sqlobs | None = None) -> None:
        self._operation = GenerationOperation(
            (instance or default_instance()).holder, name=WORKFLOW
        )

    def on_completion(
        self,
        *,
        inputs: Sequence[object],
        outputs: Sequence[object],
        span: Span | None = None,
        **_others: object,
    ) -> None:
        """Check a completion; never raises.

        Args:
            inputs: The messages that were sent; the last one of the user is the question.
            outputs: The messages that came; the first one is the answer.
            span: The span of the model call.
        """
        with INTERNAL_ERRORS.contained("completion_hook"):
            around = current_scope().request
            if around is not None and around.is_open:
                return
            answer = next(filter(_is_sql, _answers(outputs)), None)
            if answer is not None:
                self._record(answer, _question(inputs), span)

    def _record(self, answer: str, question: str | None, span: Span | None) -> None:
        token = None if span is None else attach(set_span_in_context(span))
        try:
            request = self._operation.begin(None)
        finally:
            if token is not None:
                detach(token)
        request.start_ns = getattr(span, "start_time", None) or request.start_ns
        attributes: Mapping[str, Any] = getattr(span, "attributes", None) or {}
        request.handle.set(
            question=question,
            model=attributes.get(semconv.GEN_AI_RESPONSE_MODEL)
            or attributes.get(semconv.GEN_AI_REQUEST_MODEL),
            input_tokens=attributes.get(semconv.GEN_AI_USAGE_INPUT_TOKENS),
            output_tokens=attributes.get(semconv.GEN_AI_USAGE_OUTPUT_TOKENS),
        )
        request.returned(answer)


def _answers(outputs: Sequence[object]) -> Iterator[str]:
    """Give the text of the first message, then the arguments of its tool calls."""
    if not outputs:
        return
    yield _text_of(outputs[0])
    for part in getattr(outputs[0], "parts", ()):
        arguments = getattr(part, "arguments", None)
        if isinstance(arguments, str):
            yield arguments
        elif names_sql(arguments):
            yield text_of(arguments)


def _is_sql(text: str) -> bool:
    """Return whether a text is meant as SQL; a statement within prose may be a mere example."""
    found = extract_sql(text)
    return found is not None and "prose" not in found.stripped


def _question(inputs: Sequence[object]) -> str | None:
    asked = [message for message in inputs if getattr(message, "role", None) == "user"]
    return _text_of(asked[-1]) if asked else None


def _text_of(message: object) -> str:
    parts = getattr(message, "parts", ())
    return "".join(part.content for part in parts if getattr(part, "type", None) == "text")
