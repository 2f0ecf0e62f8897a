"""A schema from plain Python data: tables and their columns, with types or without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlobs.dialects.registry import dialect_and_version, identifier_rules
from sqlobs.errors import SchemaError
from sqlobs.schema.content import Column, SchemaContent, Table

Columns = Mapping[str, str | None] | Iterable[str]


def read_mapping(mapping: Mapping[str, Columns], *, dialect: str | None = None) -> SchemaContent:
    """Read `{table: {column: type}}` or `{table: [columns]}`.

    Names are spelled as in the system catalog, with one exception: where that stores
    unquoted names in upper case (Snowflake, Oracle) and the mapping contains no capital letter, its
    names are folded like unquoted names in SQL.

    Raises:
        SchemaError: It is no mapping; or a table's columns are neither that nor a list of names.
        DialectError: The dialect is unknown.
    """
    if not isinstance(mapping, Mapping):
        raise SchemaError("the schema must be a mapping of tables to their columns.")
    name, version = dialect_and_version(dialect) if dialect else (None, None)
    if identifier_rules(name).unquoted == "upper" and not _has_capitals(mapping):
        mapping = {
            table.upper(): _upper_columns(table, columns) for table, columns in mapping.items()
        }
    tables = tuple(_table(table, columns) for table, columns in mapping.items())
    return SchemaContent(tables, dialect=name, engine_version=version)


def _table(name: str, columns: Columns) -> Table:
    path = (*reversed(name.split(".")), None, None)
    found = tuple(Column(column, type_) for column, type_ in _pairs(name, columns))
    return Table(path[0] or name, found, db=path[1], catalog=path[2])


def _pairs(table: str, columns: object) -> list[tuple[str, str | None]]:
    if isinstance(columns, Mapping):
        pairs: list[tuple[str, str | None]] = list(columns.items())
    elif isinstance(columns, Iterable) and not isinstance(columns, str):
        pairs = [(column, None) for column in columns]
    else:
        pairs = [("", None)]
    nested = next((str(name) for name, type_ in pairs if _is_table(type_)), None)
    if nested is not None:
        raise SchemaError(f"write the tables of a namespace with its name: '{table}.{nested}'.")
    if all(_is_name(name) and _is_type(type_) for name, type_ in pairs):
        return pairs
    raise SchemaError(
        f"the columns of {table!r} must be a mapping of names to types, or a list of names."
    )


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name)


def _is_type(type_: object) -> bool:
    return type_ is None or isinstance(type_, str)


def _is_table(type_: object) -> bool:
    return isinstance(type_, Mapping)


def _has_capitals(mapping: Mapping[str, Columns]) -> bool:
    return any(
        table != table.lower() or any(name != name.lower() for name, _ in _pairs(table, columns))
        for table, columns in mapping.items()
    )


def _upper_columns(table: str, columns: Columns) -> dict[str, str | None]:
    return {name.upper(): type_ for name, type_ in _pairs(table, columns)}
