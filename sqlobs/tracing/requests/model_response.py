"""Reads model, id, tokens and text of a model's response or stream, without running foreign code.

Duck-typed: completions, responses, chunks and events of the OpenAI client and its stream helpers,
Anthropic's events, Ollama's and LangChain's chunks, and dicts of the same shapes. Only plain
attributes are read, never properties.
Tests: `tests/tracing/test_clients.py` and `tests/telemetry/test_usage.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlobs.tracing.records.record import Usage

_RESPONSE_FIELDS = {"chunk": "chunk", "message_start": "message"}
"""The field with the response, by event type: OpenAI's stream helper and Anthropic."""


def field_of(value: object, name: str) -> object:
    """Return a plain attribute or a dict's entry, or None; never runs a property."""
    try:
        if isinstance(value, Mapping):
            return value.get(name)
        attributes: dict[str, object] = object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001 - a foreign object that cannot be read has no such field
        return None
    return attributes.get(name)


def text_field(value: object, name: str) -> str | None:
    """Return a field if it is a string, else None."""
    text = field_of(value, name)
    return text if isinstance(text, str) else None


def model_of(completion: object) -> str | None:
    """Return the name of the model that answered, or None."""
    return text_field(_response(completion), "model")


def id_of(completion: object) -> str | None:
    """Return the provider's id of the completion, or None."""
    return text_field(_response(completion), "id")


def usage_of(completion: object) -> Usage | None:
    """Return the tokens of a completion, in either spelling of the OpenAI APIs."""
    usage = field_of(_response(completion), "usage")
    if usage is None or isinstance(usage, Usage):  # a stream's chunks, already read
        return usage
    inputs = _count(usage, "input_tokens", "prompt_tokens")
    outputs = _count(usage, "output_tokens", "completion_tokens")
    return None if inputs is outputs is None else Usage(inputs, outputs)


def _response(value: object) -> object:
    """Return the completion inside a stream event; anything else as it is."""
    kind = field_of(value, "type")
    if not isinstance(kind, str):
        return value
    if kind.startswith("response."):
        return field_of(value, "response")
    name = _RESPONSE_FIELDS.get(kind)
    return value if name is None else field_of(value, name)


def _count(usage: object, *names: str) -> int | None:
    for name in names:
        count = field_of(usage, name)
        if isinstance(count, int) and not isinstance(count, bool):
            return count
    return None


_TEXT_EVENT: Final = "response.output_text.delta"
_ARGUMENTS_EVENT: Final = "response.function_call_arguments.delta"
_BLOCK_EVENT: Final = "content_block_delta"
_FINAL_EVENTS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_OTHER_EVENTS: Final = (
    "response.",
    "content.",
    "refusal.",
    "tool_calls.",
    "logprobs.",
    "message_",
    "content_block_",
)
"""Prefixes of event types that add no text, or repeat the text of another event."""
_REPEATING: Final = frozenset({"text", "input_json", "citation", "thinking", "signature", "ping"})
"""Derived events of Anthropic's helper, sent beside the original ones."""


def delta_of(chunk: object) -> str | None:
    """Return the text that a chunk adds, possibly ""; None for an unknown type."""
    chunk = _unwrapped(chunk)
    kind = _kind_of(chunk)
    if kind in {_TEXT_EVENT, _BLOCK_EVENT}:
        delta = field_of(chunk, "delta")
        return delta if isinstance(delta, str) else text_field(delta, "text") or ""
    if kind.startswith(_OTHER_EVENTS) or (kind in _REPEATING and not _is_message(chunk)):
        return ""
    choice = _first(field_of(chunk, "choices"))
    if choice is not None:
        return _choice_text(choice)
    if _is_message(chunk):
        return _blocks_text(_content_of(chunk))
    return "" if field_of(chunk, "usage") is not None else None


def arguments_of(chunk: object) -> str:
    """Return the part of the first tool call's JSON arguments that a chunk adds."""
    chunk = _unwrapped(chunk)
    kind = _kind_of(chunk)
    delta = field_of(chunk, "delta")
    if kind == _ARGUMENTS_EVENT:
        return delta if isinstance(delta, str) else ""
    if kind == _BLOCK_EVENT:
        return text_field(delta, "partial_json") or ""
    choice = _first(field_of(chunk, "choices"))
    call = _first(field_of(field_of(choice, "delta"), "tool_calls"))
    if field_of(call, "index"):  # a later call
        return ""
    return text_field(field_of(call, "function"), "arguments") or ""


def finish_reason_of(chunk: object) -> str | None:
    """Return why the model stopped, if the chunk or completion contains it."""
    chunk = _unwrapped(chunk)
    kind = _kind_of(chunk)
    if kind in _FINAL_EVENTS:
        return kind.removeprefix("response.")
    if field_of(chunk, "object") == "response":
        status = text_field(chunk, "status")
        return status if f"response.{status}" in _FINAL_EVENTS else None
    if kind == "message_delta":
        return text_field(field_of(chunk, "delta"), "stop_reason")
    if field_of(chunk, "done") is True:
        return text_field(chunk, "done_reason") or "stop"
    choice = _first(field_of(chunk, "choices"))
    found = text_field(chunk if choice is None else choice, "finish_reason")
    return found or text_field(field_of(chunk, "response_metadata"), "finish_reason")


def _unwrapped(chunk: object) -> object:
    """Return the chunk inside an event of the OpenAI client's stream helper."""
    return field_of(chunk, "chunk") if field_of(chunk, "type") == "chunk" else chunk


def _choice_text(choice: object) -> str | None:
    delta = field_of(choice, "delta")
    if delta is None:
        return text_field(choice, "text")
    return text_field(delta, "content") or ""


def _is_message(chunk: object) -> bool:
    """Recognize a chunk of Ollama by `done`, and one of LangChain by its class name."""
    return isinstance(field_of(chunk, "done"), bool) or type(chunk).__name__.endswith("Chunk")


def _content_of(chunk: object) -> object:
    for holder in (chunk, field_of(chunk, "message")):
        for name in ("content", "response"):
            found = field_of(holder, name)
            if found is not None:
                return found
    return None


def _blocks_text(content: object) -> str | None:
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return None
    return "".join(text_field(block, "text") or "" for block in content)


def _kind_of(chunk: object) -> str:
    return text_field(chunk, "type") or ""


def _first(values: object) -> object:
    if isinstance(values, Sequence) and not isinstance(values, str) and values:
        return values[0]
    return None
