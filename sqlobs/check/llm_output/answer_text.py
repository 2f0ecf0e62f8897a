"""Finds the text in a generation function's result: strings, fields, completions, chunks.

Objects are recognized by their attributes: no client library is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

FIELDS: Final = (
    "sql",
    "sql_query",
    "query_sql",
    "generated_sql",
    "predicted_sql",
    "final_sql",
    "sqlquery",
    "sql_code",
    "sql_text",
    "query",
    "statement",
    "code",
)
"""Fields of the user's own objects that contain only SQL; the first match wins."""

_CONTENT: Final = (
    *("output_text", "content", "text", "answer", "response", "result", "output"),
    *("arguments", "parameters", "input", "args"),
)
"""Fields that contain an answer with SQL in it; the last ones are those of a tool call."""
_PLACES: Final = (*FIELDS, *_CONTENT, "choices", "parsed", "tool_calls", "delta")
_DEPTH: Final = 8
_MOST_KEYS: Final = 100
_MISSING: Final = object()


def text_of(value: object) -> str:
    """Return the text that contains the SQL; "" if there is none.

    Accepts a string; an object or mapping with a field such as `sql` or `query`; a completion of
    OpenAI's chat or responses API or of clients of the same form; messages; lists of chunks.

    >>> text_of({"sql": "SELECT 1", "reason": "because"})
    'SELECT 1'
    """
    return _text(value, _DEPTH)


def names_sql(value: object) -> bool:
    """Return whether a value has a field that contains only SQL."""
    return bool(_own_field(value))


def is_answer(value: object) -> bool:
    """Return whether a value has a field for the text of an answer, even if it is empty.

    >>> is_answer({"sql": None}), is_answer({"rows": 3})
    (True, False)
    """
    return isinstance(value, str | bytes | bytearray) or any(
        has_field(value, name) for name in _PLACES
    )


def _text(value: object, depth: int) -> str:
    if isinstance(value, str):
        return value
    if value is None or depth == 0 or isinstance(value, bool | int | float):
        return ""
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, list | tuple):
        return _joined(value, depth)
    completion = _own_field(value) or _completion(value, depth)
    return completion or _first_text(value, _CONTENT, depth - 1)


def _own_field(value: object) -> str:
    """Return the first non-empty text in one of the user's fields."""
    for name in FIELDS:
        found = field_of(value, name)
        if isinstance(found, str) and found:
            return found
    if isinstance(value, Mapping):
        spelt = {str(key).lower().replace(" ", "_"): key for key in islice(value, _MOST_KEYS)}
        if any(spelt.get(name, name) != name for name in FIELDS):
            return _own_field({name: value[key] for name, key in spelt.items()})
    return ""


def _completion(value: object, depth: int) -> str:
    """Return the text of a chat completion, a chunk of one, a response or its stream's event."""
    choices = field_of(value, "choices")
    if isinstance(choices, list | tuple) and choices:
        return _first_text(choices[0], ("message", "delta", "text"), depth - 1)
    parsed = field_of(value, "parsed")
    if parsed is not None and (found := _text(parsed, depth - 1)):
        return found
    if calls := field_of(value, "tool_calls"):
        return _first_text(value, _CONTENT, depth - 1) or _arguments(calls, depth - 1)
    output = field_of(value, "output")
    if isinstance(output, list | tuple):
        return _text(field_of(value, "output_text"), depth - 1) or _joined(output, depth - 1)
    delta = field_of(value, "delta")
    return delta if isinstance(delta, str) else _text(delta, depth - 1)


def _arguments(calls: object, depth: int) -> str:
    """Return the arguments of the first tool call, a JSON text."""
    if not isinstance(calls, list | tuple) or not calls:
        return ""
    function = field_of(calls[0], "function")
    arguments = field_of(function if function is not None else calls[0], "arguments")
    return arguments if isinstance(arguments, str) else _text(arguments, depth)


def _first_text(value: object, names: Iterable[str], depth: int) -> str:
    found = (_text(field_of(value, name), depth) for name in names)
    return next(filter(None, found), "")


def _joined(values: Iterable[object], depth: int) -> str:
    return "".join(_text(one, depth - 1) for one in values)


def has_field(value: object, name: str) -> bool:
    """Return whether a mapping or object has a field, whatever its value."""
    try:
        if isinstance(value, Mapping):
            return name in value
        return not callable(getattr(value, name))
    except Exception:  # noqa: BLE001 - a property of the user's object; it has no such field then
        return False


def field_of(value: object, name: str) -> object:
    """Return a field of a mapping or object; None if it is missing or its property raises."""
    try:
        if isinstance(value, Mapping):
            return value.get(name)
        found = getattr(value, name, None)
    except Exception:  # noqa: BLE001 - a property of the user's object; it has no such field then
        return None
    return None if callable(found) else found
