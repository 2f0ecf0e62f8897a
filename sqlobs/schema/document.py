"""A schema as a JSON document, without loss, and the hash of its content."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from hashlib import blake2b
from typing import TYPE_CHECKING

from sqlobs.errors import SchemaError
from sqlobs.schema.content import Column, ForeignKey, SchemaContent, Table

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMAT = "sqlobs.schema/1"
_Part = Column | ForeignKey | Table | SchemaContent


def to_json(schema: SchemaContent) -> str:
    """Return the document of a schema; what has its default value is left out."""
    return json.dumps({"format": _FORMAT, **_document(schema)}, ensure_ascii=False, indent=1)


def content_hash(schema: SchemaContent) -> str:
    """Return 16 hex digits of all the schema says; the order of tables does not matter."""
    rows = sorted(json.dumps(_document(table), ensure_ascii=False) for table in schema.tables)
    frame = _document(schema)
    frame["tables"] = rows
    text = json.dumps([_FORMAT, frame], ensure_ascii=False, sort_keys=True)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def read_json(document: str | bytes) -> SchemaContent:
    """Read the document of a schema.

    Raises:
        SchemaError: The text is no such document; the message names the place.
    """
    try:
        content = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"the schema document is not JSON: {error}.") from None
    if not isinstance(content, dict) or content.pop("format", None) != _FORMAT:
        raise SchemaError(f'the schema document lacks "format": "{_FORMAT}".')
    schema = _read(SchemaContent, content, "")
    assert isinstance(schema, SchemaContent)  # noqa: S101 - tells the type checker what _read made
    return schema


def _document(part: _Part) -> dict[str, object]:
    found: dict[str, object] = {}
    kind = SchemaContent if isinstance(part, SchemaContent) else type(part)
    for name, default, _ in _FIELDS[kind]:
        value = getattr(part, name)
        if value != default:
            found[name] = [_value(one) for one in value] if isinstance(value, tuple) else value
    return found


def _value(value: object) -> object:
    if isinstance(value, Column | ForeignKey | Table):
        return _document(value)
    return list(value) if isinstance(value, tuple) else value


_FIELDS: dict[type[_Part], list[tuple[str, object, str]]] = {
    kind: [(field.name, field.default, str(field.type)) for field in fields(kind)]
    for kind in (Column, ForeignKey, Table, SchemaContent)
}


def _read(kind: type[_Part], content: object, place: str) -> _Part:
    """Build a part from its document; `place` is where in the whole it stands."""
    if not isinstance(content, dict):
        raise SchemaError(f"{place or 'the schema document'} must be an object.")
    readers = _READERS_OF[kind]
    for name in content:
        if name not in readers:
            raise SchemaError(f"{place or 'the schema document'} has an unknown key {name!r}.")
    for name in _REQUIRED_OF[kind]:
        if name not in content:
            raise SchemaError(f"{place or 'the schema document'} lacks {name!r}.")
    values = {
        name: readers[name](value, f"{place}.{name}" if place else name)
        for name, value in content.items()
    }
    build: Callable[..., _Part] = kind
    return build(**values)


def _plain(*allowed: type[object] | None) -> Callable[[object, str], object]:
    def read(value: object, place: str) -> object:
        if value is None and None in allowed:
            return None
        if not any(kind is not None and type(value) is kind for kind in allowed):
            raise SchemaError(f"{place} has a value of the wrong kind: {value!r}.")
        return value

    return read


def _tuple_of(read_one: Callable[[object, str], object]) -> Callable[[object, str], object]:
    def read(value: object, place: str) -> object:
        if not isinstance(value, list):
            raise SchemaError(f"{place} must be a list.")
        return tuple(read_one(one, f"{place}[{index}]") for index, one in enumerate(value))

    return read


def _part(kind: type[_Part]) -> Callable[[object, str], object]:
    return lambda value, place: _read(kind, value, place)


def _pair(value: object, place: str) -> object:
    found = _STRINGS(value, place)
    if not isinstance(found, tuple) or len(found) != _TWO:
        raise SchemaError(f"{place} must be a list of two texts.")
    return found


_TWO = 2
_STRINGS = _tuple_of(_plain(str))
_READERS: dict[str, Callable[[object, str], object]] = {
    "str": _plain(str),
    "str | None": _plain(str, None),
    "bool": _plain(bool),
    "bool | None": _plain(bool, None),
    "tuple[str, ...]": _STRINGS,
    "tuple[str, ...] | None": _STRINGS,
    "tuple[tuple[str, ...], ...]": _tuple_of(_STRINGS),
    "tuple[tuple[str, str], ...]": _tuple_of(_pair),
    "tuple[Column, ...]": _tuple_of(_part(Column)),
    "tuple[ForeignKey, ...]": _tuple_of(_part(ForeignKey)),
    "tuple[Table, ...]": _tuple_of(_part(Table)),
}
"""How a field is read, by its annotation in the model."""
_READERS_OF = {
    kind: {name: _READERS[shape] for name, _, shape in known} for kind, known in _FIELDS.items()
}
_REQUIRED_OF = {
    kind: [name for name, default, _ in known if default is MISSING]
    for kind, known in _FIELDS.items()
}
