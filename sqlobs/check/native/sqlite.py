"""SQLite's own verdict: it compiles the statement on an empty in-memory copy of the schema.

Nothing is executed: `EXPLAIN` only compiles, the first keyword must start a query (some PRAGMAs
act at compile time), and an authorizer denies everything but reading.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from typing import Final

from sqlobs.check.report.model import NativeVerdict
from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.content import Table
from sqlobs.schema.model import Schema

_quoted: Final = dialect_of("sqlite").quoted
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
"""SQLite creates a table of its own (`json_each`) at first use, which the authorizer denies."""
_UNBOUND: Final = re.compile(r"Incorrect number of bindings|binding parameter")
"""The statement was compiled, and has parameters."""

_ERRORS: Final = tuple(
    (re.compile(pattern, re.DOTALL), code, sentence)
    for pattern, code, sentence in (
        (r"no such table: (.+)", "schema.unknown_table", "Unknown table {}."),
        (r"no such column: (.+)", "schema.unknown_column", "Unknown column {}."),
        (r"ambiguous column name: (.+)", "schema.ambiguous_ref", "The column {} is ambiguous."),
        (r"no such function: (.+)", "syntax.dialect_mismatch", "Unknown function {}."),
        (
            r"wrong number of arguments to function (.+?)\(\)",
            "syntax.dialect_mismatch",
            "The function {} does not accept this number of arguments.",
        ),
        (
            r"misuse of (?:aliased )?(?:aggregate|window function)(?: function)?:? ?(\w*)",
            "schema.grouping",
            "The aggregate or window function {} is not allowed here.",
        ),
        (
            r"a GROUP BY clause is required before HAVING|aggregate functions are not allowed",
            "schema.grouping",
            "An aggregate is not allowed here.",
        ),
        (
            r"syntax error|incomplete input|unrecognized token|one statement at a time",
            "syntax.parse_error",
            "SQLite cannot parse the statement.",
        ),
    )
)
_UNDECIDED: Final = re.compile(
    r"not authorized|prohibited|too many|stack overflow|too large|too big|at most \d+ tables"
    r"|maximum|no such module|no such collation|locked|vtable constructor failed"
)


class SqliteNative:
    """An in-memory SQLite; a table of the schema is created when a statement first needs it.

    All threads share one connection behind a lock: handing it over would cost more than waiting.
    """

    is_quick = True

    def __init__(self, schema: Schema) -> None:
        self._lock = threading.Lock()  # guards the connection and the tables that do not exist yet
        self._waiting: dict[str, Table] = {table.name.lower(): table for table in schema.tables}
        self._connected: set[str] = set()
        self._open = {
            table.name.lower()
            for table in schema.tables
            if not table.columns or any(column.hidden for column in table.columns)
        }
        # No statement cache: after a change of the authorizer SQLite compiles cached ones twice.
        self._connection = sqlite3.connect(
            ":memory:", check_same_thread=False, isolation_level=None, cached_statements=0
        )
        self._connection.set_authorizer(_authorize)
        for name in schema.functions:
            self._connection.create_function(name, -1, _never_called)

    def verdict(self, sql: str) -> NativeVerdict | None:
        """Return SQLite's verdict on one query; None: not a query, or no verdict."""
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
                    return None  # a view with unknown columns cannot be created
                if not (self._makes(message) or self._connects(message)):
                    return classify(message)
            else:
                return NativeVerdict(ENGINE)

    def _makes(self, message: str) -> bool:
        """Create the table that a message reports as missing, if the schema has it."""
        missing = _MISSING.match(message)
        written = missing[1].lower() if missing is not None else ""
        names = (written.rpartition(".")[2], written)  # a name may contain a dot
        found = next((name for name in names if name in self._waiting), None)
        if found is None:
            return False
        self._run(_ddl(self._waiting.pop(found)))
        return True

    def _connects(self, message: str) -> bool:
        """Create the table of SQLite's own that a message reports as denied; each only once."""
        found = _UNCONNECTED.search(message)
        if found is None or found[1] in self._connected:
            return False
        self._connected.add(found[1])
        self._run(f"EXPLAIN SELECT 1 FROM {_quoted(found[1])}")  # noqa: S608 - a quoted name
        return True

    def _run(self, statement: str) -> None:
        """Execute a trusted statement without the authorizer."""
        self._connection.set_authorizer(None)
        try:
            self._connection.execute(statement).close()
        finally:
            self._connection.set_authorizer(_authorize)


def classify(message: str) -> NativeVerdict | None:
    """Return the verdict of an error message of SQLite; None: the message decides nothing."""
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
        message="SQLite rejects the statement.",
    )


def _authorize(
    action: int, _first: object, _second: object, _database: object, _trigger: object
) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _never_called(*_: object) -> None:
    raise AssertionError("EXPLAIN executes nothing")


def _ddl(table: Table) -> str:
    parts = [_quoted(column.name) for column in table.columns]
    if table.primary_key:
        parts.append(f"PRIMARY KEY ({', '.join(map(_quoted, table.primary_key))})")
    return f"CREATE TABLE {_quoted(table.name)} ({', '.join(parts)})"
