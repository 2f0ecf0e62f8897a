"""The tree of a declared type: structures with their fields, lists with their items, maps.

All engines' spellings are read: `ARRAY<STRUCT<sku STRING>>` (BigQuery), `struct<sku:string>`
(Spark), `STRUCT(sku VARCHAR)[]` (DuckDB), `Nested(sku String)` (ClickHouse), `OBJECT(sku VARCHAR)`
(Snowflake), `ROW(sku varchar)` (Trino).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.schema.type_lexing import description_of, normal, tokens_of, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.schema.type_lexing import Token

Shape = Literal["plain", "structure", "list", "map"]

_SHAPES: Final[dict[str, Shape]] = {
    **dict.fromkeys(("STRUCT", "ROW", "TUPLE", "NESTED", "OBJECT", "UNION"), "structure"),
    "ARRAY": "list",
    "MAP": "map",
}
_WRAPPERS: Final = frozenset({"NULLABLE", "LOWCARDINALITY"})
"""ClickHouse's words around a type that is otherwise the same."""
_CLOSERS: Final = {"<": ">", "(": ")"}
_BEHIND: Final = frozenset({"NOT", "NULL", "COMMENT", "OPTIONS", "COLLATE", "DEFAULT"})
"""Words that end the type of a field: `city STRING NOT NULL COMMENT 'where'`."""
_CONTINUING: Final = frozenset({"WITH", "WITHOUT", "PRECISION", "VARYING"})
"""Words after which a first word was no name: `ROW(timestamp with time zone)`."""
_DEEPEST: Final = 100
"""A type nested deeper is taken as a whole."""
_PARTS: Final = {"list": 1, "map": 2}


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A type as a column declares it."""

    text: str
    """As written, without comments and descriptions of fields."""
    shape: Shape = "plain"
    word: str = ""
    """The word of a structure in upper case: `STRUCT`, `ROW`, `TUPLE`, …"""
    fields: tuple[Field, ...] = ()
    """The fields of a structure."""
    parts: tuple[DeclaredType, ...] = ()
    """The type of the items of a list; the types of the keys and of the values of a map."""
    size: str = ""
    """The number of items of an array that always has as many: `FLOAT[3]`."""
    name: str = ""
    """The text without `Nullable` and `LowCardinality`."""

    @property
    def structure(self) -> DeclaredType | None:
        """The structure whose fields a path may name: this one, or that of a list's items."""
        found = self
        while found.shape == "list":
            found = found.parts[0]
        return found if found.shape == "structure" else None

    @property
    def has_names(self) -> bool:
        """It is a structure whose fields have names."""
        return self.shape == "structure" and all(one.name for one in self.fields)

    def paths(self, prefix: str = "") -> Iterator[tuple[str, Field]]:
        """Yield all nested fields with their paths: `customer.name`, those of items included."""
        inner = self.structure
        for one in inner.fields if inner is not None else ():
            path = f"{prefix}.{one.name}" if prefix else one.name
            yield path, one
            yield from one.type.paths(path)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a structure."""

    name: str
    """Empty: it has none (`Tuple(Int32, String)`)."""
    type: DeclaredType
    nullable: bool | None = None
    description: str | None = None


@lru_cache(maxsize=4096)
def declared_type(text: str) -> DeclaredType:
    """Return the tree of a declared type; one that cannot be read is plain.

    >>> declared_type("ARRAY<STRUCT<sku STRING, size STRUCT<x INT64>>>").shape
    'list'
    """
    reader = _Reader(text)
    try:
        found = reader.type(0)
    except _UnreadableError:
        found = None
    if found is None or not reader.is_done:
        plain = normal(text.strip())
        return DeclaredType(plain, name=plain)
    return found


def descriptions_of(found: DeclaredType) -> tuple[tuple[str, str], ...]:
    """Return the path and the description of each field that has one."""
    return tuple((path, one.description) for path, one in found.paths() if one.description)


class _UnreadableError(ValueError):
    """The brackets of a type do not match, or it is nested too deep."""


@dataclass(slots=True)
class _Reader:
    """Reads one text from its tokens."""

    source: str
    tokens: list[Token] = field(init=False)
    comments: list[Token] = field(init=False)
    index: int = 0
    cuts: list[tuple[int, int]] = field(default_factory=list)
    """What is not part of the type: comments and descriptions."""

    def __post_init__(self) -> None:
        self.tokens, self.comments = tokens_of(self.source)
        self.cuts += [(token.start, token.end) for token in self.comments]

    @property
    def is_done(self) -> bool:
        return self.index >= len(self.tokens)

    @property
    def upper(self) -> str:
        return self.tokens[self.index].upper if self.index < len(self.tokens) else ""

    def type(self, depth: int) -> DeclaredType:
        """Read a type with the brackets after it."""
        if self.is_done or depth > _DEEPEST:
            raise _UnreadableError
        first = self.index
        found = self._bare(depth)
        while self.upper == "[":
            size = self._size()
            text = self._text(first)
            found = DeclaredType(text, "list", parts=(found,), size=size, name=text)
        return found

    def _bare(self, depth: int) -> DeclaredType:
        first, word = self.index, self.upper
        self.index += 1
        opens = self.upper if self.upper in _CLOSERS else ""
        if word in _WRAPPERS and opens:
            inner = self._items(depth, named=False)[0].type
            return replace(inner, text=self._text(first))
        shape = _SHAPES.get(word, "plain")
        if shape == "plain" or not opens:
            self._rest_of_plain()
            text = self._text(first)
            return DeclaredType(text, name=text)
        items = self._items(depth, named=shape == "structure")
        text = self._text(first)
        if word == "NESTED":  # ClickHouse's list of tuples
            item = f"Tuple{text[len(word) :]}"
            tuples = DeclaredType(item, shape, "TUPLE", tuple(items), name=item)
            return DeclaredType(text, "list", parts=(tuples,), name=text)
        if shape == "structure":
            return DeclaredType(text, shape, word, tuple(items), name=text)
        if len(items) != _PARTS[shape]:
            return DeclaredType(text, name=text)
        return DeclaredType(text, shape, parts=tuple(one.type for one in items), name=text)

    def _rest_of_plain(self) -> None:
        """Step over the rest of a type without parts: `DECIMAL(10, 2)`, `double precision`."""
        while not self.is_done:
            word = self.upper
            if word in _CLOSERS:
                self._skip_group()
            elif word in _BEHIND or word in {",", ">", ")", "[", "]"}:
                return
            else:
                self.index += 1

    def _skip_group(self) -> str:
        """Step over a group in brackets and return its text."""
        first, open_ones = self.index, list[str]()
        while not self.is_done:
            word = self.upper
            self.index += 1
            if word in _CLOSERS:
                open_ones.append(_CLOSERS[word])
            elif open_ones and word == open_ones[-1]:
                open_ones.pop()
                if not open_ones:
                    return self.source[self.tokens[first].start : self.tokens[self.index - 1].end]
        raise _UnreadableError

    def _size(self) -> str:
        """Step over `[3]` or `[]` and return the number."""
        self.index += 1
        size = "" if self.upper == "]" else self.upper
        self.index += bool(size)
        if self.upper != "]":
            raise _UnreadableError
        self.index += 1
        return size

    def _items(self, depth: int, *, named: bool) -> list[Field]:
        """Read the types or fields in brackets."""
        closer = _CLOSERS[self.upper]
        self.index += 1
        found = list[Field]()
        while self.upper != closer:
            found.append(self._field(depth, named=named))
            if self.upper == ",":
                self.index += 1
            elif self.upper != closer:
                raise _UnreadableError
            if self.comments and not found[-1].description and (text := self._comment_behind()):
                found[-1] = replace(found[-1], description=text)
        self.index += 1
        if not found:
            raise _UnreadableError
        return found

    def _field(self, depth: int, *, named: bool) -> Field:
        name = self._name() if named else ""
        kind = self.type(depth + 1)
        nullable, description = None, None
        while self.upper in _BEHIND:
            word, first = self.upper, self.index
            self.index += 1
            if word in {"NOT", "NULL"}:
                nullable = word == "NULL"
                self.index += not nullable
                continue
            if word == "OPTIONS":
                description = description_of(self._skip_group())
            elif not self.is_done:
                self.index += 1
                if word == "COMMENT":
                    description = unquoted(self.tokens[self.index - 1].text)
            self.cuts.append((self.tokens[first - 1].end, self.tokens[self.index - 1].end))
        return Field(name, kind, nullable, description)

    def _name(self) -> str:
        """Read the name of a field; empty: the type follows at once."""
        if self.index + 1 >= len(self.tokens):
            return ""
        token, behind = self.tokens[self.index], self.tokens[self.index + 1]
        is_last = behind.upper in {",", ">", ")", "<", "(", "["} or behind.upper in _CONTINUING
        if token.kind not in {"word", "quoted", "string"} or (token.kind == "word" and is_last):
            return ""
        self.index += 2 if behind.text == ":" else 1
        return unquoted(token.text)

    def _comment_behind(self) -> str | None:
        """Return the comment that stands behind the last token on the same line."""
        end = self.tokens[self.index - 1].end
        for comment in self.comments:
            if comment.start >= end:
                between = self.source[end : comment.start]
                return comment.text.strip("-/* \t\r\n") if not between.strip(" \t") else None
        return None

    def _text(self, first: int) -> str:
        """Return the source from a token to the one before the position, without cuts."""
        start, end = self.tokens[first].start, self.tokens[self.index - 1].end
        if not self.cuts:
            return normal(self.source[start:end])
        pieces = list[str]()
        for cut, behind in sorted(one for one in self.cuts if start < one[0] < end):
            pieces.append(self.source[start:cut])
            start = behind
        return normal("".join([*pieces, self.source[start:end]]))
