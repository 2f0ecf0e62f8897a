"""A schema as the DDL that judges, prompts and people read: with descriptions and sample values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.dialects.registry import dialect_of
from sqlobs.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.schema.content import Column, ForeignKey, Table
    from sqlobs.schema.model import Schema

_RESERVED = frozenset(
    (
        "all alter and any as asc between by case cast check column constraint create cross"
        " current_date current_time current_timestamp current_user default delete desc distinct"
        " drop else end except exists false for foreign from full grant group having in index"
        " inner insert intersect into is join key left like limit natural not null offset on or"
        " order outer primary references right select session_user set some table then to true"
        " union unique update user using values when where window with"
    ).split()
)
"""Words that one engine or another refuses as a bare name."""


def render(schema: Schema, *, tables: Iterable[str] | None = None) -> str:
    """Return DDL of the tables, a description or sample values as a comment behind each column.

    Args:
        schema: What to show.
        tables: Names of the tables to show, with or without namespace; all by default.

    Raises:
        SchemaError: One of `tables` is not in the schema.
    """
    chosen = schema.tables if tables is None else _chosen(schema, tables)
    return "\n\n".join(_Renderer(schema).table(table) for table in chosen)


def _chosen(schema: Schema, names: Iterable[str]) -> list[Table]:
    wanted = set[int]()
    for name in names:
        db, _, last = name.rpartition(".")
        table = schema.table(last, db=db.rpartition(".")[2] or None)
        if table is None:
            raise SchemaError(f"the schema has no table {name!r}.")
        wanted.add(id(table))
    return [table for table in schema.tables if id(table) in wanted]


class _Renderer:
    """Writes tables with the quotes of one schema's dialect."""

    def __init__(self, schema: Schema) -> None:
        self._dialect = dialect_of(schema.dialect)

    def table(self, table: Table) -> str:
        """Return one table or view."""
        head = f"-- {_one_line(table.description)}\n" if table.description else ""
        name = ".".join(self._name(part) for part in (table.catalog, table.db, table.name) if part)
        if table.kind == "view":
            return head + self._view(name, table)
        shown = (column for column in table.columns if not column.hidden)
        lines = [(self._column(column, table), *_remarks(column)) for column in shown]
        lines += [(line,) for line in self._constraints(table)]
        return f"{head}CREATE TABLE {name} (\n{_listed(lines)}\n);"

    def _view(self, name: str, table: Table) -> str:
        if not table.columns:
            return f"CREATE VIEW {name}; -- columns unknown"
        lines = [
            (f"{self._name(column.name)} {column.type or ''}".rstrip(), *_remarks(column))
            for column in table.columns
        ]
        return f"CREATE VIEW {name} (\n{_listed(lines)}\n);"

    def _column(self, column: Column, table: Table) -> str:
        parts = [self._name(column.name), column.type or ""]
        parts.append("PRIMARY KEY" if table.primary_key == (column.name,) else "")
        is_stated = column.nullable is False and not column.primary_key
        parts.append("NOT NULL" if is_stated else "")
        parts.append("UNIQUE" if column.unique else "")
        parts.append(f"DEFAULT {column.default}" if column.default else "")
        parts += [
            self._references(key) for key in table.foreign_keys if key.columns == (column.name,)
        ]
        return " ".join(part for part in parts if part)

    def _constraints(self, table: Table) -> Iterable[str]:
        if table.primary_key and len(table.primary_key) > 1:
            yield f"PRIMARY KEY ({self._names(table.primary_key)})"
        for unique in table.unique_keys:
            yield f"UNIQUE ({self._names(unique)})"
        for key in table.foreign_keys:
            if len(key.columns) > 1:
                yield f"FOREIGN KEY ({self._names(key.columns)}) {self._references(key)}"

    def _references(self, key: ForeignKey) -> str:
        columns = f" ({self._names(key.referenced_columns)})" if key.referenced_columns else ""
        table = ".".join(self._name(part) for part in key.table.split("."))
        return f"REFERENCES {table}{columns}"

    def _names(self, names: Iterable[str]) -> str:
        return ", ".join(self._name(name) for name in names)

    def _name(self, name: str) -> str:
        """Return a name as SQL must write it: quoted where bare it would be another name."""
        if name.lower() in _RESERVED or "$" in name or self._dialect.needs_quotes(name):
            return self._dialect.quoted(name)
        return name


def _listed(lines: list[tuple[str, ...]]) -> str:
    """Return lines with commas: each a definition, the remark behind it, those below it."""
    last, found = len(lines) - 1, list[str]()
    for place, (line, *remarks) in enumerate(lines):
        behind = f" -- {remarks[0]}" if remarks and remarks[0] else ""
        found.append(f"  {line}{'' if place == last else ','}{behind}")
        found += [f"    -- {remark}" for remark in remarks[1:]]
    return "\n".join(found)


def _remarks(column: Column) -> tuple[str, ...]:
    """Return what is said of a column, then of each of its nested fields."""
    parts = [_one_line(column.description)] if column.description else []
    if column.sample_values:
        values = ", ".join(_one_line(value) for value in column.sample_values)
        parts.append(f"e.g. {values}")
    fields = (
        f"{_one_line(f'{column.name}.{path}')}: {_one_line(text)}"
        for path, text in column.field_descriptions
    )
    return ("; ".join(parts), *fields)


def _one_line(text: str) -> str:
    """Return a text that cannot leave its comment."""
    return " ".join(text.split())
