"""DuckDB's own verdict: it binds the statement on an empty in-memory copy of the schema.

Nothing is executed and nothing outside is opened: one statement that DuckDB parses as a query,
under `EXPLAIN`, with external access, extensions and replacement scans off.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from sqlobs.check.parsing.stack import on_big_stack
from sqlobs.check.report.model import NativeVerdict
from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.content import Table
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    import duckdb


_SETTINGS: Final = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "threads": "1",
    "memory_limit": "256MB",
    "max_expression_depth": "64",  # planning 600 powers, 4 KB of text, takes half a minute
}

_LONGEST: Final = 4096
"""Characters; DuckDB's time to plan grows with the square of a chain's length, and more."""
_LIMIT_S: Final = 0.5
"""Seconds; while DuckDB plans, nothing interrupts it."""
_PART: Final = re.compile(r"\b(?:select|join)\b", re.IGNORECASE)
_MOST_PARTS: Final = 30
_MOST_COMMAS: Final = 120
"""Queries and joins, and commas, which join in FROM: the time to plan grows with their cube."""

_quoted: Final = dialect_of("duckdb").quoted
_MISSING: Final = re.compile(r"Table with name (\S+?) does not exist")
_CALL: Final = re.compile(r"types? '(\w+)\((.*)\)'")
_CANDIDATE: Final = re.compile(r"^\s*\w+\((.*?)\)", re.MULTILINE)

_ERRORS: Final = tuple(
    (re.compile(pattern, re.DOTALL), code, sentence)
    for pattern, code, sentence in (
        (
            r"Table with name (?:\w+\.)*(.+?) does not exist",
            "schema.unknown_table",
            "Unknown table {}.",
        ),
        (
            r"Referenced column \"(.+?)\" (?:not found|was not found)",
            "schema.unknown_column",
            "Unknown column {}.",
        ),
        (r"does not have a column named \"(.+?)\"", "schema.unknown_column", "Unknown column {}."),
        (
            r"Referenced table \"(.+?)\" not found",
            "schema.wrong_owner",
            "Unknown table or alias {}: no relation in scope has this name.",
        ),
        (
            r"Ambiguous reference to (?:column name|table) \"(.+?)\"",
            "schema.ambiguous_ref",
            "The name {} is ambiguous.",
        ),
        (r"Type with name (\S+) does not exist", "schema.unknown_type", "Unknown type {}."),
        (
            r"(?:Function|Macro) with name (\S+) does not exist",
            "syntax.dialect_mismatch",
            "Unknown function {}.",
        ),
        (
            r"column \"(.+?)\" must appear in the GROUP BY clause",
            "schema.grouping",
            "The column {} is neither grouped nor aggregated.",
        ),
        (
            r"cannot contain (?:aggregates|window)|cannot be nested|aggregate function",
            "schema.grouping",
            "An aggregate or window function is not allowed here.",
        ),
        (
            (
                r"Cannot (?:compare|mix|cast|extract)|Could not (?:choose a best candidate|convert)"
                r"|Conversion Error|Mismatch Type|explicit (?:type )?cast"
            ),
            "schema.type_mismatch",
            "DuckDB does not combine these types.",
        ),
        (r"^(?:Parser|Syntax) Error", "syntax.parse_error", "DuckDB cannot parse the statement."),
        (r"^Binder Error", "syntax.parse_error", "DuckDB rejects the statement."),
    )
)
_UNDECIDED: Final = re.compile(
    r"^(?:Permission|IO|HTTP|Missing Extension|Out of Memory|Not implemented|INTERNAL|Interrupt"
    r"|Invalid Configuration|Dependency|FATAL|Serialization)|Max expression depth|extension"
    r"|Catalog \"|not allowed by configuration|stack",
    re.IGNORECASE,
)


@cache
def installed_version() -> str | None:
    """Return the version of the installed DuckDB; None: not installed."""
    return version("duckdb") if find_spec("duckdb") is not None else None


class DuckdbNative:
    """An in-memory DuckDB; a table of the schema is created when a statement first needs it."""

    is_quick = False

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._lock = threading.Lock()  # guards the connection and the tables that do not exist yet
        self._waiting = {
            table.name.lower(): table for table in schema.tables if has_all_types(table)
        }
        self._open = {table.name.lower() for table in schema.tables if not has_all_types(table)}
        self._functions = {name.lower() for name in schema.functions}
        self._made: duckdb.DuckDBPyConnection | None = None

    def verdict(self, sql: str) -> NativeVerdict | None:
        """Return DuckDB's verdict on one query; None: not a query, too expensive, or no verdict."""
        if len(sql) > _LONGEST or sql.count(",") > _MOST_COMMAS:
            return None
        if len(_PART.findall(sql)) > _MOST_PARTS:
            return None
        with self._lock:
            watch = threading.Timer(_LIMIT_S, self._interrupt)
            watch.daemon = True
            watch.start()
            try:
                # DuckDB's recursion has no check against a small stack of the caller's thread
                return on_big_stack(lambda: self._bind(sql))
            finally:
                watch.cancel()
                watch.join()  # alive at the end of the process, it would keep DuckDB's objects

    def _interrupt(self) -> None:
        if self._made is not None:
            self._made.interrupt()

    def _bind(self, sql: str) -> NativeVerdict | None:
        # EXPLAIN of several statements would run all but the first one
        import duckdb

        self._made = connection = self._made or _connected(self._schema)
        try:
            statements = connection.extract_statements(sql)
        except duckdb.Error as error:
            return classify(str(error))
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            return None
        while True:
            try:
                connection.execute(f"EXPLAIN {statements[0].query}")
            except duckdb.Error as error:
                if not self._makes(connection, str(error)):
                    return self._classified(str(error))
            else:
                return NativeVerdict(_engine())

    def _makes(self, connection: duckdb.DuckDBPyConnection, message: str) -> bool:
        """Create the table that a message reports as missing, if the schema has it."""
        import duckdb

        missing = _MISSING.search(message)
        name = missing[1].strip('"').rpartition(".")[2].lower() if missing else ""
        table = self._waiting.pop(name, None)
        if table is None:
            return False
        try:
            connection.execute(_ddl(table))
        except duckdb.Error:
            self._open.add(name)  # an undeclared type
            return False
        return True

    def _classified(self, message: str) -> NativeVerdict | None:
        verdict = classify(message)
        if verdict is None or verdict.identifier is None:
            return verdict
        name = verdict.identifier.lower()
        is_known = name in self._open if verdict.code == "schema.unknown_table" else False
        return None if is_known or name in self._functions else verdict


def _connected(schema: Schema) -> duckdb.DuckDBPyConnection:
    """Return an isolated empty database with the schema's namespaces."""
    import duckdb

    connection = duckdb.connect(":memory:", config=dict(_SETTINGS))
    for namespace in _namespaces(schema):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_quoted(namespace)}")
    if path := schema.search_path or tuple(_namespaces(schema)):
        names = ",".join(name.replace("'", "''") for name in dict.fromkeys(path))
        connection.execute(f"SET search_path = '{names}'")
    return connection


def classify(message: str) -> NativeVerdict | None:
    """Return the verdict of an error message of DuckDB; None: the message decides nothing."""
    first = message.partition("\n")[0]
    if _UNDECIDED.search(first):
        return None
    if "No function matches" in first:
        return _of_call(message)
    for pattern, code, sentence in _ERRORS:
        if found := pattern.search(first):
            name = found[1].strip('"').rpartition(".")[2] if found.groups() else None
            return NativeVerdict(_engine(), code, name, sentence.format(name))
    return None


def _of_call(message: str) -> NativeVerdict:
    """Return the verdict on a call: wrong number of arguments, or wrong types."""
    call = _CALL.search(message)
    if call is None:
        return NativeVerdict(
            _engine(),
            "schema.type_mismatch",
            None,
            "No overload of the function accepts these argument types.",
        )
    candidates = message.partition("Candidate functions:")[2]
    counts = {_count(found[1]) for found in _CANDIDATE.finditer(candidates)}
    if counts and _count(call[2]) not in counts and "..." not in candidates:
        sentence = f"The function {call[1]} does not accept this number of arguments."
        return NativeVerdict(_engine(), "syntax.dialect_mismatch", call[1], sentence)
    sentence = f"The function {call[1]} does not accept these argument types."
    return NativeVerdict(_engine(), "schema.type_mismatch", call[1], sentence)


def _count(arguments: str) -> int:
    """Return the number of types in a list: 2 for `DECIMAL(9, 2), VARCHAR`."""
    depth, commas = 0, 0
    for mark in arguments:
        depth += (mark in "([") - (mark in ")]")
        commas += mark == "," and depth == 0
    return commas + 1 if arguments.strip() else 0


def _engine() -> str:
    return f"duckdb {installed_version()}"


def has_all_types(table: Table) -> bool:
    """Return whether the types of all columns are known, so that the table can be created."""
    return bool(table.columns) and all(column.type for column in table.columns)


def _namespaces(schema: Schema) -> Iterator[str]:
    yield from dict.fromkeys(
        table.db for table in schema.tables if table.db is not None and table.db != "main"
    )


def _ddl(table: Table) -> str:
    name = _quoted(table.name) if table.db is None else f"{_quoted(table.db)}.{_quoted(table.name)}"
    columns = ", ".join(f"{_quoted(column.name)} {column.type}" for column in table.columns)
    return f"CREATE TABLE {name} ({columns})"
