"""A schema made ready for one profile: indexed by folded names, immutable, built once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

from sqlobs.check.types.system import TypeSystem, is_readable
from sqlobs.dialects.identifiers import IdentifierRules
from sqlobs.schema.content import Column, Table
from sqlobs.schema.model import Schema


@dataclass(slots=True, eq=False)
class PreparedColumn:
    """A column of a table, or what a query gives as one."""

    name: str
    """As the schema spells it; empty for a nameless output."""
    type: str | None = None
    """In the engine's own name of it; None: not known."""
    declared: str | None = None
    """As the schema writes it, where the column is a stored one."""
    qualified: str = ""
    """Of a stored one: its name behind that of its table, as the schema spells them."""
    generated: bool = False
    """The engine computes it."""


class StoredColumn(PreparedColumn):
    """A column of a table, whose type is named at its first use: most are never used.

    Nested types are long, and naming one takes as long as resolving a short statement.
    """

    __slots__ = ("types",)
    types: TypeSystem

    def __getattr__(self, name: str) -> str | None:
        """Return the type, which is not set yet; Python asks here only for what is not set."""
        if name != "type":
            raise AttributeError(name)
        self.type = self.types.declared(self.declared)
        return self.type


@dataclass(frozen=True, slots=True)
class PreparedTable:
    """A table with its columns by folded name."""

    name: str
    columns: dict[str, PreparedColumn]
    outputs: list[PreparedColumn]
    """Its columns in order, as a star gives them."""
    key: frozenset[str] | None
    """The folded columns of the primary key; None: keys are not known."""
    unique: frozenset[frozenset[str]] = frozenset()
    """The folded columns of every key that is known, the primary one too."""
    db: str | None = None
    catalog: str | None = None
    """The folded name of the database (BigQuery: project) of its namespace, if known."""
    is_view: bool = False
    engine: str | None = None
    """The storage engine, if the DDL names it."""
    sampled: bool = False
    """It has a sampling key."""


class PreparedSchema:
    """What the resolver looks names up in. Holds no reference to the `Schema` it came from."""

    def __init__(self, schema: Schema, *, names: IdentifierRules, types: TypeSystem) -> None:
        self.version = schema.version
        self.names = names
        self.types = types
        self.tables: dict[str, PreparedTable] = {}
        """By folded name, as far as they need no namespace; the first of the search path."""
        self.qualified: dict[tuple[str, str], PreparedTable] = {}
        """By folded namespace and name."""
        self.has_search_path = bool(schema.search_path)
        self.columns: dict[str, tuple[str, ...]] = {}
        """Folded column to the tables that have it."""
        self._declared = {column.type for table in schema.tables for column in table.columns}
        self._declared_types = schema.types
        self.has_types = any(self._declared)
        self._index(schema)
        self.table_names = tuple(table.name for table in self.tables.values())
        """The tables as the schema spells them."""
        columns = {column.name.lower() for table in schema.tables for column in table.columns}
        self._spellings = columns | {table.name.lower() for table in schema.tables}

    def _index(self, schema: Schema) -> None:
        owners: dict[str, list[str]] = {}
        for table in _by_search_path(schema):
            prepared = _prepare_table(table, self.names, self.types)
            name = self.names.table_key(table.name)
            if not schema.search_path or table.db is None or table.db in schema.search_path:
                self.tables.setdefault(name, prepared)
            if table.db is not None:
                namespace = self.names.table_key(table.db)
                self.qualified[namespace, name] = prepared
            for column in prepared.columns:
                owners.setdefault(column, []).append(table.name)
        self.columns = {column: tuple(tables) for column, tables in owners.items()}

    def table(self, name: str, db: str | None) -> PreparedTable | None:
        """Return the table of a folded name, or None."""
        if db is not None and (found := self.qualified.get((db, name))):
            return found
        found = self.tables.get(name)
        return None if found is not None and found.db is not None and db is not None else found

    def beginning_with(self, prefix: str, db: str | None) -> list[PreparedTable]:
        """Return the tables of a namespace, or of all, whose folded names begin so, by name."""
        tables = self.tables
        if db is not None and self.qualified:
            tables = {name: table for (own, name), table in self.qualified.items() if own == db}
        return [tables[name] for name in sorted(tables) if name.startswith(prefix)]

    def knows(self, name: str) -> bool:
        """Return whether a table, column or field has this name in any case.

        Such a name reveals nothing. The words of types, too, are among them.
        """
        return name.lower() in self._spellings or name.lower() in self._fields

    @cached_property
    def _fields(self) -> frozenset[str]:
        nested = (text for text in self._declared if text and _NESTED.search(text))
        return frozenset(word.lower() for text in nested for word in _WORD.findall(text))

    def knows_type(self, name: str) -> bool:
        """Return whether the schema declares or uses a type, or has a table: its row is a type."""
        return name in self._type_names or self.names.table_key(name) in self.tables

    @cached_property
    def _type_names(self) -> frozenset[str]:
        """The types beside the engine's own, in lower case: declared, or used by a column."""
        words = [word[0] for text in self._declared if text and (word := _TYPE_WORD.match(text))]
        return frozenset(map(str.lower, [*self._declared_types, *words]))

    def knows_namespace(self, db: str) -> bool:
        """Return whether any table is declared in a namespace, ignoring case."""
        known = {namespace for namespace, _ in self.qualified}
        return not known or db.lower() in map(str.lower, known)


_TYPE_WORD: Final = re.compile(r"[^\s(<]++")
_NESTED: Final = re.compile(r"[<(]\s*+[^\d\s'+-]")
"""How the fields of `STRUCT<a INT64>` begin; `DECIMAL(10, 2)` has none."""
_WORD: Final = re.compile(r"\w++")


def _by_search_path(schema: Schema) -> list[Table]:
    places = {name: place for place, name in enumerate(schema.search_path)}
    return sorted(schema.tables, key=lambda table: places.get(table.db or "", len(places)))


def _prepare_table(table: Table, names: IdentifierRules, types: TypeSystem) -> PreparedTable:
    columns: dict[str, PreparedColumn] = {
        names.column_key(column.name): _stored(column, table, types) for column in table.columns
    }
    if names.nested_by_dot:
        columns |= _nested_columns(columns, types)
    key = table.primary_key
    folded = None if key is None else frozenset(map(names.column_key, key))
    unique = {frozenset(map(names.column_key, one)) for one in table.unique_keys}
    unique |= {frozenset((names.column_key(one.name),)) for one in table.columns if one.unique}
    unique |= {folded} if folded else set()
    shown = [names.column_key(column.name) for column in table.columns if not column.hidden]
    outputs = [columns[name] for name in shown]
    is_view = table.kind == "view"
    catalog = names.table_key(table.catalog) if table.catalog else None
    return PreparedTable(
        *(table.name, columns, outputs, folded, frozenset(unique)),
        *(table.db, catalog, is_view, table.engine, table.sampled),
    )


def _stored(column: Column, table: Table, types: TypeSystem) -> StoredColumn:
    qualified = f"{table.name}.{column.name}"
    found = StoredColumn(column.name, None, column.type, qualified, column.generated)
    del found.type
    found.types = types
    return found


def _nested_columns(
    columns: dict[str, PreparedColumn], types: TypeSystem
) -> dict[str, PreparedColumn]:
    """Return `events` for columns such as `events.name` and `events.ts`; a star omits it."""
    nested: dict[str, dict[str, str | None]] = {}
    for name, column in columns.items():
        owner, dot, field = name.partition(".")
        if dot and owner not in columns:
            nested.setdefault(owner, {})[field] = types.element(column.type).type
    return {
        name: PreparedColumn(name, types.nested(fields), qualified=name)
        for name, fields in nested.items()
    }


Family = Literal["number", "text", "date", "boolean"]

_FAMILIES: Final[Mapping[str, Family]] = {
    **dict.fromkeys(
        (
            "int integer bigint smallint tinyint mediumint hugeint serial bigserial int2 int4 int8"
            " int64 decimal numeric number dec real float float4 float8 float64 double bignumeric"
            " money"
        ).split(),
        "number",
    ),
    **dict.fromkeys(
        (
            "text varchar char character nvarchar nchar varchar2 nvarchar2 clob string longtext"
            " mediumtext tinytext bpchar"
        ).split(),
        "text",
    ),
    **dict.fromkeys("date datetime datetime2 timestamp timestamptz smalldatetime".split(), "date"),
    **dict.fromkeys(("bool", "boolean"), "boolean"),
}
_FIRST_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@lru_cache(maxsize=1024)
def family_of(declared: str | None) -> Family | None:
    """Return the family of a declared type; None: it is in none of them, or not known.

    >>> family_of("VARCHAR(80)"), family_of("numeric(10, 2)"), family_of("jsonb")
    ('text', 'number', None)
    """
    word = _FIRST_WORD.match(declared.strip()) if declared else None
    return _FAMILIES.get(word[0].lower()) if word is not None else None


def accepts_literal(family: Family, text: str, *, is_string: bool) -> bool:
    """Return whether a literal, without its quotes, can be meant as a value of a family."""
    if not is_string:
        return family not in {"text", "date"}
    if family == "number":
        return is_readable(text, "numeric")
    return family != "date" or is_readable(text, "date")
