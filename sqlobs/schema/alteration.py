"""Statements that change what a script has made: keys, columns, descriptions, namespaces."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.schema.cursor import Cursor, split_commas
from sqlobs.schema.definitions import Definition

if TYPE_CHECKING:
    from sqlobs.schema.content import Column, Table
    from sqlobs.schema.lexing import Token
    from sqlobs.schema.reading import Reading


def alter_table(reading: Reading) -> None:
    """Apply ALTER TABLE: keys and columns added, dropped, renamed, retyped."""
    cursor = reading.cursor
    cursor.accept("IF", "EXISTS")
    cursor.accept("ONLY")
    reading.read_name()
    cursor.accept("*")
    for action in split_commas(list(cursor.tokens[cursor.index :])):
        table = reading.table()
        if table is not None and action:
            _alter(reading, table, Cursor(tuple(action)))


def alter_type(reading: Reading) -> None:
    """Apply ALTER TYPE to an enum: a value added or renamed; the old one is not forgotten."""
    name, cursor = reading.read_name()[-1], reading.cursor
    is_addition = cursor.accept("ADD", "VALUE") or cursor.accept("RENAME", "VALUE")
    if not is_addition or name not in reading.workbench.enums:
        return
    rest = cursor.tokens[cursor.index :]
    reading.workbench.add_values(name, (token.text for token in rest if token.kind == "string"))


def _alter(reading: Reading, table: Table, action: Cursor) -> None:
    if action.accept("ADD"):
        _add(reading, table, action)
    elif action.accept("DROP"):
        _drop_column(reading, table, action)
    elif action.accept("RENAME"):
        _rename(reading, table, action)
    elif action.accept("ALTER") or action.accept("MODIFY") or action.accept("CHANGE"):
        _change(reading, table, action)


def _add(reading: Reading, table: Table, action: Cursor) -> None:
    action.accept("COLUMN")
    action.accept("IF", "NOT", "EXISTS")
    item = list(action.tokens[action.index :])
    definition = Definition()
    for run in split_commas(action.group()) if action.word == "(" else [item]:
        reading.body.read_item(run, definition)
    _put_definition(reading, table, definition)


def _put_definition(reading: Reading, table: Table, added: Definition) -> None:
    """Put a table with columns and keys added."""
    merged = Definition(
        columns=[*table.columns, *added.columns],
        primary_key=added.primary_key or table.primary_key or (),
        unique_keys=[*table.unique_keys, *added.unique_keys],
        foreign_keys=[*table.foreign_keys, *added.foreign_keys],
    )
    found = reading.body.finish(merged)
    reading.workbench.put(
        replace(
            table,
            columns=tuple(found.columns),
            primary_key=found.primary_key,
            unique_keys=tuple(found.unique_keys),
            foreign_keys=tuple(found.foreign_keys),
        )
    )


def _drop_column(reading: Reading, table: Table, action: Cursor) -> None:
    if action.word in {"CONSTRAINT", "PRIMARY", "FOREIGN", "INDEX", "KEY", "PARTITION", "CHECK"}:
        return
    action.accept("COLUMN")
    action.accept("IF", "EXISTS")
    name = reading.body.name(action.next())
    kept = tuple(column for column in table.columns if not _same(reading, column.name, name))
    reading.workbench.put(replace(table, columns=kept))


def _rename(reading: Reading, table: Table, action: Cursor) -> None:
    if action.accept("TO"):
        new = reading.body.name_parts(action)[-1]
        reading.workbench.drop(reading.name)
        reading.workbench.put(replace(table, name=new))
        reading.name = (*reading.name[:-1], new)
    elif action.word not in {"CONSTRAINT", "INDEX", "KEY"}:
        action.accept("COLUMN")
        old = reading.body.name(action.next())
        action.accept("TO")
        new_name = reading.body.name(action.next())
        _put_columns(
            reading,
            table,
            [
                replace(column, name=new_name) if _same(reading, column.name, old) else column
                for column in table.columns
            ],
        )


def _change(reading: Reading, table: Table, action: Cursor) -> None:
    """Apply ALTER COLUMN, MODIFY and CHANGE as far as they concern type, NULL and default."""
    action.accept("COLUMN")
    name = reading.body.name(action.next())
    if action.accept("SET", "NOT", "NULL"):
        _change_column(reading, table, name, nullable=False)
    elif action.accept("DROP", "NOT", "NULL"):
        _change_column(reading, table, name, nullable=True)
    elif action.accept("SET", "DEFAULT"):
        default = reading.lexed.slice(list(action.tokens[action.index :]))
        _change_column(reading, table, name, default=default)
    elif action.accept("TYPE") or action.accept("SET", "DATA", "TYPE"):
        _retype(reading, table, name, action)


def _retype(reading: Reading, table: Table, name: str, action: Cursor) -> None:
    tokens: list[Token] = []
    while not action.done and action.word not in {"USING", "COLLATE"}:
        tokens.append(action.next())
    _change_column(reading, table, name, type=reading.lexed.slice(tokens))


def _change_column(reading: Reading, table: Table, name: str, **changes: str | bool | None) -> None:
    _put_columns(
        reading,
        table,
        [
            replace(column, **changes)  # type: ignore[arg-type] # fields of Column, by their names
            if _same(reading, column.name, name)
            else column
            for column in table.columns
        ],
    )


def _put_columns(reading: Reading, table: Table, columns: list[Column]) -> None:
    reading.workbench.put(replace(table, columns=tuple(columns)))


def _same(reading: Reading, one: str, other: str) -> bool:
    key = reading.workbench.rules.column_key
    return key(one) == key(other)


def create_unique_index(reading: Reading) -> None:
    """Read a unique index as a key, unless it is partial or on expressions."""
    cursor = reading.cursor
    reading.skip_to("ON")
    cursor.accept("ON")
    cursor.accept("ONLY")
    reading.read_name()
    reading.skip_to("(")
    runs = [run for run in split_commas(cursor.group()) if run]
    is_partial = any(token.upper == "WHERE" for token in cursor.tokens[cursor.index :])
    table = reading.table()
    if table is None or is_partial or any(_is_expression(run) for run in runs):
        return
    key = tuple(reading.body.name(run[0]) for run in runs)
    _put_definition(reading, table, Definition(unique_keys=[key]))


def drop(reading: Reading) -> None:
    """Forget the tables or views named."""
    reading.cursor.accept("IF", "EXISTS")
    reading.workbench.drop(reading.read_name())
    while reading.cursor.accept(","):
        reading.workbench.drop(reading.read_name())


def comment_on(reading: Reading) -> None:
    """Read COMMENT ON TABLE, VIEW or COLUMN as a description."""
    cursor = reading.cursor
    kind = cursor.next().upper
    if kind == "MATERIALIZED":
        kind = cursor.next().upper
    parts = reading.body.name_parts(cursor)
    text = cursor.next().text if cursor.accept("IS") and cursor.word != "NULL" else None
    reading.name = parts[:-1] if kind == "COLUMN" else parts
    table = reading.table() if reading.name else None
    if table is None or kind not in {"TABLE", "VIEW", "COLUMN"}:
        return
    if kind == "COLUMN":
        _change_column(reading, table, parts[-1], description=text)
    else:
        reading.workbench.put(replace(table, description=text))


def set_search_path(reading: Reading) -> None:
    """Read where unqualified names are looked up and made."""
    if not reading.cursor.accept("="):
        reading.cursor.accept("TO")
    listed = split_commas(list(reading.cursor.tokens[reading.cursor.index :]))
    names = [run[0].text for run in listed if run]
    path = tuple(name for name in names if name and name.upper() not in {"DEFAULT", "PG_CATALOG"})
    reading.workbench.search_path = path
    reading.workbench.namespace = next((name for name in path if name != "$user"), None)


def use(reading: Reading) -> None:
    """Read USE, after which tables are made in that namespace."""
    for word in ("DATABASE", "SCHEMA"):
        reading.cursor.accept(word)
    name = reading.read_name()[-1]
    reading.workbench.namespace = name
    reading.workbench.search_path = (name,)


def _is_expression(run: list[Token]) -> bool:
    """Tell an expression in an index from a column with an order or operator class."""
    return run[0].upper == "(" or any(token.upper == "(" for token in run[1:2])
