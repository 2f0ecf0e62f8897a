"""A schema from a SQLite file, by the standard library alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from sqlobs.errors import SchemaUnavailableError
from sqlobs.schema.content import Column, ForeignKey, SchemaContent, Table

_RELATIONS = """
    SELECT name, type FROM sqlite_master
    WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
"""
_COLUMNS = 'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)'
"""Generated and hidden columns, too, which `table_info` leaves out."""
_UNIQUE = (
    "SELECT name FROM pragma_index_list(?) WHERE \"unique\" AND NOT partial AND origin <> 'pk'"
)
_INDEX_COLUMNS = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
_FOREIGN_KEYS = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq'


def read_sqlite(path: str) -> SchemaContent:
    """Read the tables and views of a database file, opened read-only.

    Raises:
        SchemaUnavailableError: There is no such file, or it is no SQLite database.
    """
    if not Path(path).is_file():
        raise SchemaUnavailableError(f"{path} cannot be read: no such file.")
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as connection:
            relations = connection.execute(_RELATIONS).fetchall()
            tables = tuple(_table(connection, name, kind) for name, kind in relations)
    except sqlite3.Error as error:
        raise SchemaUnavailableError(f"{path} cannot be read: {error}.") from None
    return SchemaContent(tables, dialect="sqlite")


def _table(connection: sqlite3.Connection, name: str, kind: str) -> Table:
    unique = _unique_keys(connection, name)
    rows = connection.execute(_COLUMNS, (name,)).fetchall()
    in_key = sorted((place, column) for column, *_, place, _ in rows if place)
    key = tuple(column for _, column in in_key)
    columns = (
        Column(
            column,
            type_ or None,
            nullable=not (not_null or _is_rowid(type_, key, column)),
            unique=(column,) in unique,
            primary_key=bool(place),
            default=default,
            generated=hidden in {2, 3},
            hidden=hidden == 1,
        )
        for column, type_, not_null, default, place, hidden in rows
    )
    return Table(
        name,
        tuple(columns),
        primary_key=key,
        unique_keys=tuple(one for one in unique if len(one) > 1),
        foreign_keys=_foreign_keys(connection, name),
        kind=kind,
    )


def _is_rowid(type_: str, key: tuple[str, ...], column: str) -> bool:
    """Only the rowid's alias among primary keys can never be NULL."""
    return key == (column,) and type_.upper() == "INTEGER"


def _unique_keys(connection: sqlite3.Connection, table: str) -> list[tuple[str, ...]]:
    found = []
    for (index,) in connection.execute(_UNIQUE, (table,)).fetchall():
        columns = tuple(row[0] for row in connection.execute(_INDEX_COLUMNS, (index,)))
        if None not in columns:
            found.append(columns)
    return found


def _foreign_keys(connection: sqlite3.Connection, table: str) -> tuple[ForeignKey, ...]:
    rows = connection.execute(_FOREIGN_KEYS, (table,)).fetchall()
    keys = []
    for _, group in groupby(rows, key=lambda row: row[0]):
        parts = list(group)
        referenced = tuple(part[3] for part in parts if part[3] is not None)
        keys.append(ForeignKey(tuple(part[2] for part in parts), parts[0][1], referenced))
    return tuple(keys[::-1])
