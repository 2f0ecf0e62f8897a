"""Statements that make things: tables, views, and the names of functions, types, extensions."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.content import Column, Table
from sqlobs.schema.cursor import Cursor, UnreadableError, option, split_commas
from sqlobs.schema.definitions import Definition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.schema.reading import Reading

_BEHIND_QUERY = re.compile(
    r"\s+WITH\s+(?:(?:NO\s+)?DATA|READ\s+ONLY|(?:(?:CASCADED|LOCAL)\s+)?CHECK\s+OPTION"
    r"|NO\s+SCHEMA\s+BINDING)\s*$",
    re.IGNORECASE,
)
"""Options of a view that stand behind its query."""


def create_table(reading: Reading) -> None:
    """Read CREATE TABLE in all its forms: columns, LIKE, INHERITS, PARTITION OF, AS SELECT."""
    cursor = reading.cursor
    cursor.accept("IF", "NOT", "EXISTS")
    path = reading.workbench.new_path(reading.read_name())
    parents = [reading.body.name_parts(cursor)] if cursor.accept("PARTITION", "OF") else []
    parents += [reading.body.name_parts(cursor)] if cursor.accept("LIKE") else []
    if cursor.word in {"ON", ","}:  # ClickHouse's ON CLUSTER, Teradata's options
        reading.skip_to("(")
    has_body = cursor.word == "("
    definition = reading.body.read(cursor.group()) if has_body else Definition()
    if cursor.accept("INHERITS"):
        parents += reading.names(cursor.group())
    columns = [*_columns_of([*parents, *definition.like], reading), *definition.columns]
    columns += _partitions(reading) if columns else []
    if not columns and not has_body:
        columns = _columns_elsewhere(reading)
    table = Table(
        path.name,
        tuple({column.name: column for column in columns}.values()),
        db=path.db,
        catalog=path.catalog,
        primary_key=definition.primary_key,
        unique_keys=tuple(definition.unique_keys),
        foreign_keys=tuple(definition.foreign_keys),
        description=_description(cursor),
    )
    reading.workbench.put(_with_storage(table, reading))


def _with_storage(table: Table, reading: Reading) -> Table:
    """Return a table with its storage engine: `ENGINE = MergeTree ORDER BY a SAMPLE BY a`."""
    if not dialect_of(reading.workbench.dialect).definitions.storage_engines:
        return table
    if "DICTIONARY" in _words_before(reading):
        return replace(table, engine="Dictionary")
    rest = [token.text for token in reading.cursor.tokens[reading.cursor.index :]]
    words = [text.upper() for text in rest]
    if "ENGINE" not in words:
        return table
    named = [text for text in rest[words.index("ENGINE") + 1 :] if text != "="]
    sampled = ("SAMPLE", "BY") in pairwise(words)
    return replace(table, engine=next(iter(named), None), sampled=sampled)


def _words_before(reading: Reading) -> set[str]:
    """Return the words of a statement up to where it has been read."""
    return {token.upper for token in reading.cursor.tokens[: reading.cursor.index]}


def _storage_of_view(reading: Reading) -> str | None:
    """Return what a dialect with storage engines calls that of a view."""
    if not dialect_of(reading.workbench.dialect).definitions.storage_engines:
        return None
    return "MaterializedView" if "MATERIALIZED" in _words_before(reading) else "View"


def _partitions(reading: Reading) -> list[Column]:
    """Return the columns that only `PARTITIONED BY (day STRING)` defines, as in Hive and Spark.

    A name without a type there is that of a column, `days(ts)` is made of one.
    """
    rest = Cursor(reading.cursor.tokens, reading.cursor.index)
    while not rest.done and not rest.accept("PARTITIONED", "BY"):
        rest.next()
    runs = [run for run in split_commas(rest.group()) if run]
    typed = [run for run in runs if len(run) > 1 and run[1].kind == "word"]
    found = Definition()
    for run in typed:
        reading.body.read_item(run, found)
    return found.columns


def create_virtual_table(reading: Reading) -> None:
    """Read SQLite's CREATE VIRTUAL TABLE: the arguments without `=` are columns."""
    cursor = reading.cursor
    cursor.accept("IF", "NOT", "EXISTS")
    path = reading.workbench.new_path(reading.read_name())
    cursor.accept("USING")
    module = cursor.word.lower()
    reading.skip_to("(")
    columns = [
        Column(reading.body.name(run[0]))
        for run in split_commas(cursor.group())
        if run and not any(token.upper == "=" for token in run)
    ]
    hidden = [path.name, *_HIDDEN_COLUMNS[module]] if module in _HIDDEN_COLUMNS else []
    columns += [Column(name, hidden=True) for name in hidden]
    reading.workbench.put(Table(path.name, tuple(columns), db=path.db, catalog=path.catalog))


_HIDDEN_COLUMNS: Final = {"fts3": ("docid",), "fts4": ("docid",), "fts5": ("rank",)}
"""What modules of SQLite's full-text search add to their tables, beside a column of its name."""


def create_view(reading: Reading) -> None:
    """Read CREATE VIEW; columns that cannot be derived leave the view without columns."""
    cursor = reading.cursor
    cursor.accept("IF", "NOT", "EXISTS")
    path = reading.workbench.new_path(reading.read_name())
    definitions = dialect_of(reading.workbench.dialect).definitions
    storage = _storage_of_view(reading)
    named = [name[-1] for name in reading.names(cursor.group())]
    selected = _selected_columns(reading)
    columns = _if_named(selected)
    if named:
        known = selected if len(selected) == len(named) else [Column("")] * len(named)
        columns = [Column(name, one.type) for name, one in zip(named, known, strict=True)]
    reading.workbench.put(
        Table(
            path.name,
            tuple(columns),
            db=path.db,
            catalog=path.catalog,
            # None: unknown, because it has the keys of its tables.
            primary_key=None if definitions.views_have_keys else (),
            kind="view",
            engine=storage,
        )
    )


def create_function(reading: Reading) -> None:
    """Remember the name of a function of the user's."""
    reading.cursor.accept("IF", "NOT", "EXISTS")
    reading.workbench.functions[reading.read_name()[-1]] = None


def create_type(reading: Reading) -> None:
    """Remember the name of a type of the user's, and the values of an enum."""
    name = reading.read_name()[-1]
    reading.workbench.types[name] = None
    if reading.cursor.accept("AS", "ENUM"):
        values = (token.text for token in reading.cursor.group() if token.kind == "string")
        reading.workbench.add_values(name, values)


def create_extension(reading: Reading) -> None:
    """Remember the name of an extension."""
    reading.cursor.accept("IF", "NOT", "EXISTS")
    reading.workbench.extensions[reading.read_name()[-1]] = None


def _columns_elsewhere(reading: Reading) -> list[Column]:
    """Return the columns of a table that lists none itself."""
    words = {token.upper for token in reading.cursor.tokens}
    if words & {"AS", "SELECT"}:
        return _if_named(_selected_columns(reading))
    if words & {"LIKE", "CLONE", "INHERITS", "PARTITION", "USING", "OF"}:
        return []
    raise UnreadableError("it lists no columns")


def _columns_of(names: Iterable[tuple[str, ...]], reading: Reading) -> list[Column]:
    tables = [reading.workbench.find(name) for name in names]
    return [column for table in tables if table for column in table.columns]


def _selected_columns(reading: Reading) -> list[Column]:
    """Return the columns of the query that the statement ends with; none if not derivable."""
    from sqlobs.schema.views import selected_columns

    while not reading.cursor.done and reading.cursor.word not in {"SELECT", "WITH", "VALUES"}:
        reading.cursor.next()
    query = _BEHIND_QUERY.sub("", reading.rest())
    return list(selected_columns(query, workbench=reading.workbench))


def _if_named(columns: list[Column]) -> list[Column]:
    """Return the columns if each has a name; else none, as the whole is unknown."""
    return columns if all(column.name for column in columns) else []


def _description(cursor: Cursor) -> str | None:
    """Return the description among the options behind the columns."""
    rest = list(cursor.tokens[cursor.index :])
    return option(rest, "COMMENT") or option(rest, "DESCRIPTION")
