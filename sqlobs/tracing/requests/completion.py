"""What looks like a model's completion or a chunk of one, read without touching its properties.

Duck-typed: chat completions, responses and their stream events of the OpenAI client, dicts of the
same shape, and fakes of tests. Only plain attributes are read, so that no foreign code runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlobs.tracing.records.record import Usage

_FINAL_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed"})
_TEXT_EVENT = "response.output_text.delta"


def field_of(value: object, name: str) -> object:
    """Return a plain attribute or a dict's entry, or None; runs no property and no descriptor."""
    try:
        if isinstance(value, Mapping):
            return value.get(name)
        attributes: dict[str, object] = object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001 - a foreign object that cannot be read has no such field
        return None
    return attributes.get(name)


def delta_of(chunk: object) -> str | None:
    """Return the text that a stream's chunk adds; None where it is no such chunk."""
    if field_of(chunk, "type") == _TEXT_EVENT:
        return _text(field_of(chunk, "delta"))
    choice = _first(field_of(chunk, "choices"))
    if choice is not None:
        delta = field_of(choice, "delta")
        return _text(field_of(delta, "content")) or "" if delta is not None else None
    return "" if _is_event(chunk) or field_of(chunk, "usage") is not None else None


def finish_reason_of(chunk: object) -> str | None:
    """Return why the model stopped, where a chunk says so."""
    kind = field_of(chunk, "type")
    if isinstance(kind, str) and kind in _FINAL_EVENTS:
        return kind.removeprefix("response.")
    choice = _first(field_of(chunk, "choices"))
    return _text(field_of(chunk if choice is None else choice, "finish_reason"))


def model_of(completion: object) -> str | None:
    """Return the model that answered, where the object names one."""
    return _text(field_of(_response(completion), "model"))


def usage_of(completion: object) -> Usage | None:
    """Return the tokens of a completion; both spellings of the OpenAI APIs."""
    usage = field_of(_response(completion), "usage")
    if usage is None or isinstance(usage, Usage):  # a stream's chunks, already read
        return usage
    sent = _count(usage, "input_tokens", "prompt_tokens")
    received = _count(usage, "output_tokens", "completion_tokens")
    return None if sent is received is None else Usage(sent, received)


def _response(value: object) -> object:
    return field_of(value, "response") if _is_event(value) else value


def _is_event(value: object) -> bool:
    kind = field_of(value, "type")
    return isinstance(kind, str) and kind.startswith("response.")


def _count(usage: object, *names: str) -> int | None:
    for name in names:
        count = field_of(usage, name)
        if isinstance(count, int) and not isinstance(count, bool):
            return count
    return None


def _first(values: object) -> object:
    if isinstance(values, Sequence) and not isinstance(values, str) and values:
        return values[0]
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
