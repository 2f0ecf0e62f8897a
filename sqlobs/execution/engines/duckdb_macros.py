"""Which macros of users a statement would expand on DuckDB, by the engine's own parser.

A macro hides the built-in function or operator of its name: `CREATE MACRO "~~"(a, b) AS …` is
LIKE. The engine's parser names the function behind each syntax, and expands nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import duckdb
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Iterator

Json: TypeAlias = Any
"""What `json_serialize_sql` gives: objects with `function_name`, `table_name`, `column_names`."""

_MACROS: Final = """
    SELECT DISTINCT lower(schema_name), lower(function_name), lower(function_name) IN (
      SELECT lower(function_name) FROM duckdb_functions() WHERE internal
    )
    FROM duckdb_functions() WHERE NOT internal
"""
_VIEWS: Final = "SELECT lower(view_name), sql FROM duckdb_views() WHERE NOT internal"
_COLUMNS: Final = """
    SELECT lower(table_name), 'SELECT ' || column_default FROM duckdb_columns()
    WHERE NOT internal AND column_default IS NOT NULL
"""
"""Expressions of columns, among them those that are computed when they are read."""

_VALUES: Final = {
    **{name: name for name in ("current_catalog", "current_date", "current_role")},
    **{name: name for name in ("current_schema", "current_user", "session_user", "user")},
    "current_time": "get_current_time",
    "current_timestamp": "get_current_timestamp",
    "localtime": "current_localtime",
    "localtimestamp": "current_localtimestamp",
}
"""Functions that are called without parentheses where no column has their name."""

_ROW: Final = "struct_pack"
"""The function behind a whole row (`SELECT t FROM t`)."""

_DEFAULT_SCHEMA: Final = "main"
_REWRITTEN: Final = frozenset({"pivot", "show_ref"})
"""Nodes of the parser's tree that become other statements, with functions of their own."""


@dataclass(slots=True)
class _Parts:
    """What a statement is made of, in lower case."""

    functions: set[tuple[str, str]] = field(default_factory=set)
    """Each with its schema."""
    relations: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)
    is_rewritten: bool = False


class Macros:
    """Finds the macros that statements on one open file would expand; nobody can change it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, allowed: frozenset[str]) -> None:
        """Read what there is.

        Args:
            connection: A connection for this alone: an error in it disturbs no statement.
            allowed: What the target's policy lists.
        """
        self._connection = connection
        rows = connection.execute(_MACROS).fetchall()
        strange = [row for row in rows if row[1] not in allowed]
        self._macros = {(schema, name) for schema, name, _ in strange}
        self._hiding = {name for _, name, hides in strange if hides}
        self._behind: dict[str, list[str]] = {}
        if self._macros:
            self._read_relations()

    def first(self, sql: str, words: frozenset[str]) -> str | None:
        """Return the name of a macro that a statement would expand.

        Args:
            sql: The statement.
            words: Its names and operators.
        """
        if not self._macros:
            return None
        pending, seen = [sql], set[str]()
        while pending:
            text = pending.pop()
            parts = self._parts(text)
            found = self._found(parts, words)
            if found:
                return min(found)
            further = (parts.relations if parts else words) - seen
            seen |= further
            pending += (behind for name in further for behind in self._behind.get(name, ()))
        return None

    def _found(self, parts: _Parts | None, words: frozenset[str]) -> set[str]:
        """Return the macros among functions; by words alone where the parser does not tell them."""
        if parts is None:
            return self._hiding | {name for _, name in self._macros if name in words}
        found = {name for _, name in self._macros & parts.functions}
        return found | self._hiding if parts.is_rewritten else found

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _read_relations(self) -> None:
        for name, text in self._connection.execute(_VIEWS).fetchall():
            self._behind.setdefault(name, []).append(_query_of(text))
        for name, text in self._connection.execute(_COLUMNS).fetchall():
            self._behind.setdefault(name, []).append(text)

    def _parts(self, sql: str) -> _Parts | None:
        """Have the engine parse a statement; None if it cannot say what it is made of."""
        try:
            found = self._connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql])
            row = found.fetchone()
            tree = json.loads(row[0]) if row else {}
        except (duckdb.Error, RecursionError, ValueError):
            return None
        return _parts_of(tree) if not tree.get("error", True) else None


def _parts_of(tree: Json) -> _Parts:
    parts = _Parts()
    for node in _nodes(tree):
        if name := _word(node, "function_name"):
            parts.functions.add((_word(node, "schema") or _DEFAULT_SCHEMA, name))
        if "class" not in node:  # expressions have one, relations none
            parts.relations |= {_word(node, "table_name"), _word(node, "alias")} - {""}
        columns = node.get("column_names") or []
        parts.columns |= {str(name).lower() for name in columns if len(columns) == 1}
        parts.is_rewritten = parts.is_rewritten or _word(node, "type") in _REWRITTEN
    parts.functions |= {(_DEFAULT_SCHEMA, name) for name in _implied(parts)}
    return parts


def _word(node: dict[str, Json], key: str) -> str:
    """Return a name in lower case; "" if there is none (a type may be an object)."""
    found = node.get(key)
    return found.lower() if isinstance(found, str) else ""


def _implied(parts: _Parts) -> Iterator[str]:
    """Yield functions that no node names."""
    yield from (_VALUES[name] for name in parts.columns & _VALUES.keys())
    if parts.columns & parts.relations:
        yield _ROW
    if (_DEFAULT_SCHEMA, "count") in parts.functions:
        yield "count_star"


def _nodes(tree: Json) -> Iterator[dict[str, Json]]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending += node.values()
        elif isinstance(node, list):
            pending += node


def _query_of(definition: str) -> str:
    """Return the query of `CREATE VIEW v (a) AS SELECT …`; the text itself where there is none."""
    try:
        tokens = Dialect.get_or_raise("duckdb").tokenize(definition)
    except TokenError:
        return definition
    start = next((token.end + 1 for token in tokens if token.token_type is TokenType.ALIAS), 0)
    return definition[start:]
