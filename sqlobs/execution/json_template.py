"""JSON bodies with places for a question, and fields found by a path in what comes back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from sqlobs.errors import InputError
from sqlobs.runs.lines import json_fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def read_template(text: str) -> Json:
    """Read a JSON template.

    Raises:
        InputError: it is no JSON.
    """
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body is no JSON ({json_fault(error)})") from None
    return found


def filled(template: Json, values: Mapping[str, str]) -> Json:
    """Return a template with the places in its texts (`{question}`) filled.

    Values go into texts that are JSON already: nothing in a value can break out of its text.

    >>> filled({"q": "Say: {question}", "n": [1]}, {"question": 'a "b"'})
    {'q': 'Say: a "b"', 'n': [1]}
    """
    if isinstance(template, str):
        return _text(template, values)
    if isinstance(template, list):
        return [filled(entry, values) for entry in template]
    if isinstance(template, dict):
        return {key: filled(entry, values) for key, entry in template.items()}
    return template


def at_path(document: object, path: str) -> object:
    """Return what stands at a path like `choices.0.text`; None where there is nothing.

    >>> at_path({"a": [{"b": 1}]}, "a.0.b")
    1
    """
    return next(standing_at(document, path), None)


def standing_at(document: object, path: str) -> Iterator[object]:
    """Yield what stands at a path, be it null; nothing where the path leads nowhere.

    >>> [*standing_at({"a": None}, "a")], [*standing_at({"a": None}, "b")]
    ([None], [])
    """
    found = document
    for part in path.split(".") if path else ():
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        else:
            return
    yield found


def _text(template: str, values: Mapping[str, str]) -> str:
    """Fill the places in one pass, so that a place inside a value stays as it is."""
    pieces: list[str] = []
    rest = template
    while True:
        found = [(at, name) for name in values if (at := rest.find(f"{{{name}}}")) >= 0]
        if not found:
            return "".join([*pieces, rest])
        at, name = min(found)
        pieces += (rest[:at], values[name])
        rest = rest[at + len(name) + 2 :]
