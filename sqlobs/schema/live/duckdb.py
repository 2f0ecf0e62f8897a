"""A schema from a DuckDB file, by the engine's own package."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import MissingExtraError, SchemaUnavailableError
from sqlobs.schema.content import Column, ForeignKey, SchemaContent, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duckdb import DuckDBPyConnection

Place = tuple[str, str]
"""A namespace and a table in it."""

_RELATIONS: Final = """
    SELECT schema_name, table_name, 'table', comment, table_oid FROM duckdb_tables()
    WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, 'view', comment, view_oid FROM duckdb_views()
    WHERE NOT internal AND database_name = current_database()
    ORDER BY 5
"""
_COLUMNS: Final = """
    SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment
    FROM duckdb_columns() WHERE NOT internal AND database_name = current_database()
    ORDER BY column_index
"""
_GENERATED: Final = """
    SELECT table_schema, table_name, column_name FROM information_schema.columns
    WHERE is_generated = 'ALWAYS' AND table_catalog = current_database()
"""
_KEYS: Final = """
    SELECT schema_name, table_name, constraint_type, constraint_column_names,
           referenced_table, referenced_column_names
    FROM duckdb_constraints() WHERE database_name = current_database() ORDER BY constraint_index
"""
_TYPES: Final = "SELECT type_name FROM duckdb_types() WHERE NOT internal ORDER BY 1"
_FUNCTIONS: Final = """
    SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal ORDER BY 1
"""


def read_duckdb(path: str, *, namespaces: Iterable[str] | None = None) -> SchemaContent:
    """Read the tables and views of a database file, opened read-only.

    Args:
        path: The file.
        namespaces: The namespaces to read; all of the file's own if not given.

    Raises:
        SchemaUnavailableError: There is no such file, or it is no DuckDB database.
        MissingExtraError: DuckDB is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingExtraError("reading a DuckDB file", extra="duckdb") from None
    if not Path(path).is_file():
        raise SchemaUnavailableError(f"{path} cannot be read: no such file.")
    try:
        opened = duckdb.connect(path, read_only=True, config={"enable_external_access": "false"})
        with closing(opened) as connection:
            return _schema(connection, None if namespaces is None else set(namespaces))
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise SchemaUnavailableError(f"{path} cannot be read: {reason}") from None


def _schema(connection: DuckDBPyConnection, namespaces: set[str] | None) -> SchemaContent:
    keys: dict[Place, list[tuple[str, tuple[str, ...], str | None, tuple[str, ...]]]] = {}
    for namespace, table, kind, names, other, referenced in connection.execute(_KEYS).fetchall():
        key = (kind, tuple(names or ()), other, tuple(referenced or ()))
        keys.setdefault((namespace, table), []).append(key)
    columns: dict[Place, list[Column]] = {}
    generated = frozenset(connection.execute(_GENERATED).fetchall())
    for namespace, table, *facts in connection.execute(_COLUMNS).fetchall():
        name, type_, nullable, default, comment = facts
        is_generated = (namespace, table, name) in generated
        column = Column(
            name,
            type_,
            nullable=nullable,
            default=default,
            generated=is_generated,
            description=comment,
        )
        columns.setdefault((namespace, table), []).append(column)
    tables = tuple(
        _with_keys(
            Table(
                table, tuple(columns[namespace, table]), db=namespace, kind=kind, description=text
            ),
            keys.get((namespace, table), []),
        )
        for namespace, table, kind, text, _ in connection.execute(_RELATIONS).fetchall()
        if namespaces is None or namespace in namespaces
    )
    return SchemaContent(
        tables,
        dialect="duckdb",
        functions=_names(connection, _FUNCTIONS),
        types=_names(connection, _TYPES),
        search_path=("main",),
    )


def _names(connection: DuckDBPyConnection, query: str) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in connection.execute(query).fetchall())


def _with_keys(
    table: Table, keys: list[tuple[str, tuple[str, ...], str | None, tuple[str, ...]]]
) -> Table:
    primary = next((names for kind, names, _, _ in keys if kind == "PRIMARY KEY"), ())
    unique = [names for kind, names, _, _ in keys if kind == "UNIQUE"]
    return replace(
        table,
        columns=tuple(
            replace(column, primary_key=column.name in primary, unique=(column.name,) in unique)
            for column in table.columns
        ),
        primary_key=primary,
        unique_keys=tuple(names for names in unique if len(names) > 1),
        foreign_keys=tuple(
            ForeignKey(names, f"{table.db}.{other}", referenced)
            for kind, names, other, referenced in keys
            if kind == "FOREIGN KEY" and other
        ),
    )
