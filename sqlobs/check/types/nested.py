"""DuckDB's types that hold others: lists, arrays, structures, unions and maps.

Their names are DuckDB's own (`STRUCT(a INTEGER)[]`), with `?` for a type inside that is not known.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sqlobs.check.types.system import Type

UNKNOWN: Final = "?"
LONGEST: Final = 10_000
"""Longest name of a type that is made: structures of structures, each twice, double with each."""

LIST: Final = "INTEGER[]"
ARRAY: Final = "FLOAT[3]"
"""The list and the array that the catalog was asked about, for all of them."""
_HOLDERS: Final = frozenset({"STRUCT", "UNION", "MAP", "TUPLE", "ROW"})
_OPENING: Final = "(["
_CLOSING: Final = ")]"


def kind_of(name: str) -> str:
    """Return the type that the catalog knows in place of one with others inside."""
    if name[-1:] == "]":
        return LIST if name.endswith("[]") else ARRAY
    return name.partition("(")[0] if name[-1:] == ")" else name


def element_of(name: str) -> Type:
    """Return the type of the items of a list or array; None: not known, or it is none."""
    if not name.endswith("]"):
        return None
    found = name[: name.rindex("[")]
    return None if found == UNKNOWN else found


@lru_cache(maxsize=4096)
def fields_of(name: str) -> Mapping[str, Type] | None:
    """Return the fields of a structure or union by lower-case name; None: it is none."""
    if not name.endswith(")") or name.partition("(")[0] not in {"STRUCT", "UNION"}:
        return None
    return {field.lower(): _known(kind) for field, kind in _fields(name)}


@lru_cache(maxsize=1024)
def map_of(name: str) -> tuple[Type, Type] | None:
    """Return the types of the keys and of the values of a map; None: it is none."""
    if not name.startswith("MAP(") or not name.endswith(")"):
        return None
    parts = list(_split(name[4:-1]))
    return (_known(parts[0]), _known(parts[1])) if len(parts) == 2 else None  # noqa: PLR2004


def _known(name: str) -> Type:
    return None if name == UNKNOWN else name


def canonical(text: str, plain: Callable[[str], Type]) -> Type:
    """Return DuckDB's own name of a type as it is declared.

    Args:
        text: the type as a statement writes it.
        plain: returns the name of a type without others inside; None: not known.
    """
    text = text.strip()
    if text.endswith("]"):
        opening = text.rindex("[")
        element = canonical(text[:opening], plain) or UNKNOWN
        return f"{element}{text[opening:].replace(' ', '')}"
    head, bracket, inside = text.partition("(")
    word = head.strip().upper()
    if not bracket or word not in _HOLDERS:
        return plain(text)
    parts = _split(inside.rstrip()[:-1])
    if word == "MAP":
        return f"MAP({', '.join(canonical(part, plain) or UNKNOWN for part in parts)})"
    fields = [(name, canonical(kind, plain) or UNKNOWN) for name, kind in map(_named, parts)]
    return _structure("STRUCT" if word == "ROW" else word, fields)


def structure(fields: Mapping[str, Type]) -> Type:
    """Return the name of a structure with these fields; None: it is too long."""
    found = _structure("STRUCT", [(name, kind or UNKNOWN) for name, kind in fields.items()])
    return found if len(found) <= LONGEST else None


def enumeration(values: Iterable[str]) -> str:
    """Return the name of an enum with these values."""
    return "ENUM({})".format(", ".join("'" + value.replace("'", "''") + "'" for value in values))


@lru_cache(maxsize=1024)
def labels_of(name: str) -> tuple[str, ...] | None:
    """Return the values of an enum; None: it is none, or has none that are known."""
    if not name.upper().startswith("ENUM(") or not name.endswith(")"):
        return None
    values = [part for part in _split(name[5:-1]) if part[:1] == "'"]
    return tuple(part[1:-1].replace("''", "'") for part in values) or None


def _structure(word: str, fields: list[tuple[str, str]]) -> str:
    return f"{word}({', '.join(f'{_quoted(name)} {kind}' for name, kind in fields)})"


def _quoted(name: str) -> str:
    return name if name.isidentifier() else '"' + name.replace('"', '""') + '"'


def _fields(name: str) -> Iterator[tuple[str, str]]:
    return map(_named, _split(name[name.index("(") + 1 : -1]))


def _named(part: str) -> tuple[str, str]:
    """Return the name and the type that a field is declared with."""
    part = part.strip()
    if part.startswith('"'):
        end = part.find('"', 1)
        while part[end + 1 : end + 2] == '"':
            end = part.find('"', end + 2)
        return part[1:end].replace('""', '"'), part[end + 1 :].strip()
    name, _, kind = part.partition(" ")
    return name.rstrip(":"), kind.strip()


def _split(text: str) -> Iterator[str]:
    """Yield the parts between the commas that no bracket and no quotes enclose."""
    depth, begin, quote = 0, 0, ""
    for place, character in enumerate(text):
        if quote or character in "'\"":
            quote = "" if character == quote else quote or character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and not depth:
            yield text[begin:place].strip()
            begin = place + 1
    yield text[begin:].strip()
