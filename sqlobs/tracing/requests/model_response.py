"""What looks like a model's completion, read without touching its properties.

Duck-typed: chat completions, responses and their stream events of the OpenAI client, dicts of the
same shape, and fakes of tests. Only plain attributes are read, so that no foreign code runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlobs.tracing.records.record import Usage

_HOLDERS = {"chunk": "chunk", "message_start": "message"}
"""Where events of the OpenAI client's stream helper and of Anthropic hold what they tell of."""


def field_of(value: object, name: str) -> object:
    """Return a plain attribute or a dict's entry, or None; runs no property and no descriptor."""
    try:
        if isinstance(value, Mapping):
            return value.get(name)
        attributes: dict[str, object] = object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001 - a foreign object that cannot be read has no such field
        return None
    return attributes.get(name)


def text_field(value: object, name: str) -> str | None:
    """Return a field that is a text; None where it is none."""
    text = field_of(value, name)
    return text if isinstance(text, str) else None


def model_of(completion: object) -> str | None:
    """Return the model that answered, where the object names one."""
    return text_field(_response(completion), "model")


def id_of(completion: object) -> str | None:
    """Return the id that the provider gave the completion."""
    return text_field(_response(completion), "id")


def usage_of(completion: object) -> Usage | None:
    """Return the tokens of a completion; both spellings of the OpenAI APIs."""
    usage = field_of(_response(completion), "usage")
    if usage is None or isinstance(usage, Usage):  # a stream's chunks, already read
        return usage
    sent = _count(usage, "input_tokens", "prompt_tokens")
    received = _count(usage, "output_tokens", "completion_tokens")
    return None if sent is received is None else Usage(sent, received)


def _response(value: object) -> object:
    """Return the completion that an event of a stream holds, or what is none as it is."""
    kind = field_of(value, "type")
    if not isinstance(kind, str):
        return value
    if kind.startswith("response."):
        return field_of(value, "response")
    name = _HOLDERS.get(kind)
    return value if name is None else field_of(value, name)


def _count(usage: object, *names: str) -> int | None:
    for name in names:
        count = field_of(usage, name)
        if isinstance(count, int) and not isinstance(count, bool):
            return count
    return None
