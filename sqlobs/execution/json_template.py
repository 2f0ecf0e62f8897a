"""JSON bodies with places for a question, and fields found by a path in what comes back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.errors import InputError
from sqlobs.runs.lines import json_fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_PLACEHOLDER: Final = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}")
"""`{question}`, and `{{question}}` for the text itself; not `{"a": 1}` or `{ orders }`."""

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def read_template(text: str, *, option: str, names: Collection[str], noun: str = "body") -> Json:
    """Read a JSON template, and see to it that all its placeholders can be filled.

    Args:
        text: The template.
        option: Where it was given, for the message.
        names: The placeholders that are known.
        noun: What the template is, for the message.

    Raises:
        InputError: it is no JSON, has no placeholder at all, or an unknown one.
    """
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{option}: the {noun} is not JSON ({json_fault(error)})") from None
    require_known(found, option=option, noun=noun, names=names)
    return found


def require_known(template: Json, *, option: str, noun: str, names: Collection[str]) -> None:
    """Raise if a template has no placeholder, or one that nothing fills.

    Raises:
        InputError: the message lists the known placeholders.
    """
    known = ", ".join(f"{{{name}}}" for name in names)
    placeholders = [*placeholders_of(template)]
    unknown = next((name for name in placeholders if name not in names), None)
    if unknown is not None:
        raise InputError(
            f"{option}: unknown placeholder {{{unknown}}}; known are {known}."
            f" Write {{{{{unknown}}}}} to send {{{unknown}}} itself"
        )
    if not placeholders:
        raise InputError(f"{option}: the {noun} has no placeholder; known are {known}")


def filled(template: Json, values: Mapping[str, str]) -> Json:
    """Return a template with the placeholders in its texts (`{question}`) filled.

    Values go into texts that are JSON already: nothing in a value can break out of its text. Names
    of fields stay as they are, so do braces around anything but a known name; `{{name}}` is sent
    as `{name}`.

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
    """Return what stands at a path like `choices.0.text`; None if there is nothing.

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
    """Fill the placeholders in one pass, so that one inside a value stays as it is."""

    def filling(found: re.Match[str]) -> str:
        literal, name = found.groups()
        return f"{{{literal}}}" if literal else values.get(name, found[0])

    return _PLACEHOLDER.sub(filling, template)


def placeholders_of(template: Json) -> Iterator[str]:
    """Yield the names of all placeholders in the texts of a template."""
    if isinstance(template, str):
        yield from (found[2] for found in _PLACEHOLDER.finditer(template) if found[2])
    elif isinstance(template, list | dict):
        entries = template.values() if isinstance(template, dict) else template
        for entry in entries:
            yield from placeholders_of(entry)
