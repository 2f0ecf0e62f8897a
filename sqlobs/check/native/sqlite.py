"""SQLite's own verdict: the statement is compiled on an empty in-memory copy of the schema.

Nothing is run: `EXPLAIN` compiles only, the first keyword must begin a query (some PRAGMAs act
at compile time), and an authorizer refuses everything but reading.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlobs.check.native.verdict import NativeVerdict

if TYPE_CHECKING:
    from sqlobs.schema.content import Table
    from sqlobs.schema.model import Schema

ENGINE: Final = f"sqlite {sqlite3.sqlite_version}"

_ALLOWED: Final = frozenset(
    {
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_FUNCTION,
        33,  # SQLITE_RECURSIVE, which the module does not name
    }
)
_QUERY: Final = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*(?:SELECT|WITH|VALUES)\b", re.IGNORECASE | re.DOTALL
)
_MISSING: Final = re.compile(r"no such table: (.*)", re.DOTALL)
_UNCONNECTED: Final = re.compile(r"vtable constructor failed: (\w+)")
"""A table of SQLite's own (`json_each`) is made at its first use, which the authorizer refuses."""
_UNBOUND: Final = re.compile(r"Incorrect number of bindings|binding parameter")
"""The statement was compiled, and has parameters."""

_ERRORS: Final = (
    (re.compile(r"no such table: (.+)", re.DOTALL), "schema.unknown_table", "Unknown table {}."),
    (re.compile(r"no such column: (.+)", re.DOTALL), "schema.unknown_column", "Unknown column {}."),
    (
        re.compile(r"ambiguous column name: (.+)", re.DOTALL),
        "schema.ambiguous_ref",
        "The column {} is ambiguous.",
    ),
    (
        re.compile(r"no such function: (.+)", re.DOTALL),
        "syntax.dialect_mismatch",
        "Unknown function {}.",
    ),
    (
        re.compile(r"wrong number of arguments to function (.+?)\(\)"),
        "syntax.dialect_mismatch",
        "The function {} does not take this number of arguments.",
    ),
    (
        re.compile(r"misuse of (?:aliased )?(?:aggregate|window function)(?: function)?:? ?(\w*)"),
        "schema.grouping",
        "The aggregate or window function {} may not stand here.",
    ),
    (
        re.compile(
            r"a GROUP BY clause is required before HAVING|aggregate functions are not allowed"
        ),
        "schema.grouping",
        "An aggregate stands where none may stand.",
    ),
    (
        re.compile(r"syntax error|incomplete input|unrecognized token|one statement at a time"),
        "syntax.parse_error",
        "SQLite cannot parse the statement.",
    ),
)
_UNDECIDED: Final = re.compile(
    r"not authorized|prohibited|too many|stack overflow|too large|too big|at most \d+ tables"
    r"|maximum|no such module|no such collation|locked|vtable constructor failed"
)


class SqliteNative:
    """An in-memory SQLite with the tables of one schema, made as statements name them.

    One connection serves all threads in turn: handing it over is dearer than waiting.
    """

    is_quick = True

    def __init__(self, schema: Schema) -> None:
        self._lock = threading.Lock()  # guards the connection and the tables still to be made
        self._waiting: dict[str, Table] = {table.name.lower(): table for table in schema.tables}
        self._connected: set[str] = set()
        self._open = {
            table.name.lower()
            for table in schema.tables
            if not table.columns or any(column.hidden for column in table.columns)
        }
        # Statements are not kept: a change of the authorizer has SQLite compile kept ones twice.
        self._connection = sqlite3.connect(
            ":memory:", check_same_thread=False, isolation_level=None, cached_statements=0
        )
        self._connection.set_authorizer(_authorize)
        for name in schema.functions:
            self._connection.create_function(name, -1, _never_called)

    def verdict(self, sql: str) -> NativeVerdict | None:
        """Return what SQLite says of a query; None where it may not be asked or cannot say.

        Args:
            sql: one statement. Only queries are compiled.
        """
        if not _QUERY.match(sql) or "\0" in sql:
            return None
        with self._lock:
            return self._compile(sql)

    def _compile(self, sql: str) -> NativeVerdict | None:
        while True:
            try:
                self._connection.execute(f"EXPLAIN {sql}").close()
            except (sqlite3.Error, sqlite3.Warning) as error:
                message = str(error)
                if _UNBOUND.search(message):
                    return NativeVerdict(ENGINE)
                missing = _MISSING.match(message)
                if missing and missing[1].rpartition(".")[2].lower() in self._open:
                    return None  # a view whose columns nobody knows cannot be made
                if not (self._makes(message) or self._connects(message)):
                    return classify(message)
            else:
                return NativeVerdict(ENGINE)

    def _makes(self, message: str) -> bool:
        """Make the table that a message misses, if the schema has it."""
        missing = _MISSING.match(message)
        if missing is None:
            return False
        table = self._waiting.pop(missing[1].rpartition(".")[2].lower(), None)
        if table is None:
            table = self._waiting.pop(missing[1].lower(), None)
        if table is None:
            return False
        self._run(_ddl(table))
        return True

    def _connects(self, message: str) -> bool:
        """Let a table of SQLite's own be made that a message says could not be, once."""
        found = _UNCONNECTED.search(message)
        if found is None or found[1] in self._connected:
            return False
        self._connected.add(found[1])
        self._run(f"EXPLAIN SELECT 1 FROM {_quoted(found[1])}")  # noqa: S608 - a quoted name
        return True

    def _run(self, statement: str) -> None:
        """Run a statement of ours without the authorizer."""
        self._connection.set_authorizer(None)
        try:
            self._connection.execute(statement).close()
        finally:
            self._connection.set_authorizer(_authorize)


def native_of(schema: Schema) -> SqliteNative:
    """Return the database of a schema; made at the first call in a process, then kept."""
    return _native_of(schema, os.getpid())


@lru_cache(maxsize=256)
def _native_of(schema: Schema, _pid: int) -> SqliteNative:
    """Keep what a forked child inherits apart from its own: the parent's locks are not its."""
    return SqliteNative(schema)


def classify(message: str) -> NativeVerdict | None:
    """Return the verdict that an error message of SQLite stands for; None: it is none."""
    if _UNDECIDED.search(message):
        return None
    for pattern, code, sentence in _ERRORS:
        if found := pattern.search(message):
            name = found[1] if found.groups() else None
            detail = "multi" if "one statement" in message else None
            qualifier, _, plain = (name or "").rpartition(".")
            return NativeVerdict(
                ENGINE,
                code,
                plain or None,
                sentence.format(name),
                detail,
                qualifier=qualifier.rpartition(".")[2] or None,
            )
    return NativeVerdict(
        ENGINE,
        "schema.grouping" if "GROUP BY" in message else "syntax.parse_error",
        message="SQLite refuses the statement.",
    )


def _authorize(
    action: int, _first: object, _second: object, _database: object, _trigger: object
) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _never_called(*_: object) -> None:
    raise AssertionError("EXPLAIN runs nothing")


def _ddl(table: Table) -> str:
    parts = [_quoted(column.name) for column in table.columns]
    if table.primary_key:
        parts.append(f"PRIMARY KEY ({', '.join(map(_quoted, table.primary_key))})")
    return f"CREATE TABLE {_quoted(table.name)} ({', '.join(parts)})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
