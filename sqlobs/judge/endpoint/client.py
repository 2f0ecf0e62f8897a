"""A chat completion through the `openai` client, in the strictest format the server supports."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlobs.judge.endpoint.refusal import Refusal, TooLargeAnswer, refusal_of
from sqlobs.judge.endpoint.suppression import unobserved
from sqlobs.judge.endpoint.text import storable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import ModuleType

    from openai import AsyncOpenAI

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.verdicts.prompt import JsonSchema, Messages

Form = Literal["json_schema", "json_object", "text"]

FORMS: Final[tuple[Form, ...]] = ("json_schema", "json_object", "text")
"""Answer formats, from the strictest to the one that every server supports."""

MOST_BYTES: Final = 4_000_000
"""Maximum size of an answer in bytes; one of 2,048 tokens takes a hundredth."""
_MOST_TOKENS: Final = 10**9
"""Maximum token count that a server may report; more is an error or an attack on the ledger."""
_NAME_CHARACTERS: Final = 200
_CUT: Final = frozenset({"length", "content_filter"})
_MAY_MEAN_FORM: Final = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses by which servers reject an unknown `response_format`; llama.cpp returns 500."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A server's answer."""

    text: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    is_cut: bool = False
    """Whether it was truncated: its end is not the model's conclusion."""


@dataclass(slots=True)
class Client:
    """Calls one endpoint and learns which parameters it supports."""

    config: EndpointConfig
    _openai: AsyncOpenAI
    _form: int = 0
    _is_proven: bool = False
    """Whether a call in the current format has succeeded: later rejections have other causes."""
    _dropped: set[str] = field(default_factory=set)

    @classmethod
    def open(cls, config: EndpointConfig) -> Client:
        """Return a client with its own connections.

        Raises:
            ConfigError: The key or the certificate file is missing.
        """
        return cls(config, open_openai(config))

    async def close(self) -> None:
        """Close the connections."""
        await self._openai.close()

    async def complete(
        self, messages: Messages, *, answer: JsonSchema, temperature: float
    ) -> Completion | Refusal:
        """Make one call; retry at once only in a simpler format or without a rejected parameter."""
        form = self._first_form(answer)
        while True:
            outcome = await self._send(self._parameters(messages, answer, temperature, form))
            if isinstance(outcome, Completion):
                self._prove(form, answer)
                return outcome
            if self._drops(outcome):
                continue
            if self._is_proven or outcome.status not in _MAY_MEAN_FORM or outcome.is_too_large:
                return outcome
            if form + 1 >= len(FORMS):
                return outcome
            form += 1

    def parameters(
        self, messages: Messages, *, answer: JsonSchema, temperature: float
    ) -> dict[str, Any]:
        """Return the request body in the format that the server has accepted so far."""
        return self._parameters(messages, answer, temperature, self._first_form(answer))

    def _first_form(self, answer: JsonSchema) -> int:
        return self._form if answer else len(FORMS) - 1

    def _prove(self, form: int, answer: JsonSchema) -> None:
        if answer:
            self._form, self._is_proven = form, True

    def _drops(self, refusal: Refusal) -> bool:
        """Drop a parameter that newer or smaller models do not support."""
        for name in ("max_tokens", "temperature"):
            if refusal.status == 400 and name in refusal.message and name not in self._dropped:  # noqa: PLR2004 - Bad Request
                self._dropped.add(name)
                return True
        return False

    def _parameters(
        self, messages: Messages, answer: JsonSchema, temperature: float, form: int
    ) -> dict[str, Any]:
        parameters = request_parameters(
            self.config, messages, answer=answer, temperature=temperature, form=FORMS[form]
        )
        if "max_tokens" in self._dropped:
            parameters["max_completion_tokens"] = parameters.pop("max_tokens")
        if "temperature" in self._dropped:
            del parameters["temperature"]
        return parameters

    async def _send(self, parameters: dict[str, Any]) -> Completion | Refusal:
        try:
            with unobserved():
                async with asyncio.timeout(self.config.timeout_s):
                    found = await self._openai.chat.completions.create(**parameters)
        except Exception as error:  # noqa: BLE001 - whatever a server makes of us is a value here
            return refusal_of(error, self.config)
        return _read(found)


def request_parameters(
    config: EndpointConfig,
    messages: Messages,
    *,
    answer: JsonSchema,
    temperature: float,
    form: Form = "json_schema",
) -> dict[str, Any]:
    """Return the body of a chat-completion request."""
    parameters: dict[str, Any] = {
        "model": config.model,
        "messages": messages,
        "max_tokens": config.max_output_tokens,
        "temperature": temperature,
    }
    if form == "json_schema":
        schema = {"name": "answer", "strict": True, "schema": answer}
        parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif form == "json_object":
        parameters["response_format"] = {"type": "json_object"}
    return parameters


def open_openai(config: EndpointConfig, *, most_bytes: int = MOST_BYTES) -> AsyncOpenAI:
    """Return an `openai` client with its own connections.

    Args:
        config: The endpoint.
        most_bytes: Maximum size of one answer; reading stops there.

    Raises:
        ConfigError: The key or the certificate file is missing.
    """
    import ssl

    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    from sqlobs.errors import ConfigError

    try:
        # Loading all certificates takes longer than a call; without TLS none is needed
        has_tls = config.base_url.startswith("https:")
        context = ssl.create_default_context(cafile=config.ca_file) if has_tls else False
    except OSError as error:
        raise ConfigError(f"the judge's ca_file {config.ca_file} cannot be read") from error
    # The HTTP library differs between versions of openai: its limits are next to its client
    library = import_module(DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])
    limits = library.Limits(
        max_connections=config.concurrency, max_keepalive_connections=config.concurrency
    )
    return AsyncOpenAI(
        base_url=config.base_url,
        api_key=config.key or "none",
        max_retries=0,
        timeout=config.timeout_s,
        # No redirects: the operator chooses the address, never a server
        http_client=DefaultAsyncHttpxClient(
            limits=limits,
            verify=context,
            follow_redirects=False,
            timeout=config.timeout_s,
            # No compression: a small response could decompress to more than the memory
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [partial(_limit, _limited_stream(library), most_bytes)]},
        ),
    )


async def _limit(stream: type, most_bytes: int, response: Any) -> None:  # noqa: ANN401 - of either HTTP library
    """Stop reading a response at a maximum size."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise TooLargeAnswer("the endpoint sent a compressed response, which was not requested")
    response.stream = stream(response.stream, most_bytes)


@cache
def _limited_stream(library: ModuleType) -> type:
    """Return a stream class of this HTTP library that raises beyond the maximum size."""

    class Limited(library.AsyncByteStream):  # type: ignore[misc, name-defined]  # as imported
        def __init__(self, stream: Any, most_bytes: int) -> None:  # noqa: ANN401 - of either library
            self._stream, self._most_bytes = stream, most_bytes

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = self._most_bytes
            async for chunk in self._stream:
                left -= len(chunk)
                if left < 0:
                    raise TooLargeAnswer(
                        f"the endpoint's answer is larger than {self._most_bytes} bytes"
                    )
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    return Limited


def _read(found: object) -> Completion | Refusal:
    """Return the text of a completion, tolerating malformed responses."""
    choices = getattr(found, "choices", None)
    message = (
        getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    )
    if message is None:
        return Refusal(
            reason="judge_malformed", message="the endpoint's response is not a chat completion"
        )
    content, model = getattr(message, "content", None), getattr(found, "model", None)
    usage = getattr(found, "usage", None)
    return Completion(
        text=storable(content) if isinstance(content, str) else "",
        model=storable(model)[:_NAME_CHARACTERS] if isinstance(model, str) else "",
        input_tokens=counted(getattr(usage, "prompt_tokens", None)),
        output_tokens=counted(getattr(usage, "completion_tokens", None)),
        is_cut=is_cut(getattr(choices[0], "finish_reason", None)) if choices else False,
    )


def counted(reported: object) -> int | None:
    """Return a token count reported by a server; None if it is not a plausible number."""
    return reported if isinstance(reported, int) and 0 <= reported <= _MOST_TOKENS else None


def is_cut(finish_reason: object) -> bool:
    """Return whether an answer was truncated."""
    return isinstance(finish_reason, str) and finish_reason in _CUT
