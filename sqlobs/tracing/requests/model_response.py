"""Reads model, id and tokens of a model's response, without running foreign code.

Duck-typed: chat completions, responses and their stream events of the OpenAI client, and dicts of
the same shape. Only plain attributes are read, never properties.
Tests: `tests/tracing/test_clients.py` and `tests/telemetry/test_usage.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

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
