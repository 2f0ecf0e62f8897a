"""The verdict of a warehouse's engine on this machine, in a process of its own.

    report = check_sql(sql, schema=schema, native=local_engine(schema))

GoogleSQL stands for BigQuery, Spark for Spark, chDB for ClickHouse. The process is started with the
first question and serves all schemas of a dialect. It is sent a query and the tables that the query
names, so that a changed table costs only itself. Nothing is run.
"""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Final

from sqlobs.check.report.model import NativeVerdict
from sqlobs.dialects.registry import dialect_and_version, dialect_of, engine_and_version
from sqlobs.errors import ConfigError
from sqlobs.execution.analyzers.kinds import KINDS
from sqlobs.execution.analyzers.process import EngineGoneError, EngineProcess
from sqlobs.execution.analyzers.questions import DeclaredTable, NoVerdictError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.analyzers.kinds import Kind
    from sqlobs.execution.analyzers.questions import Rejection
    from sqlobs.schema.content import Table
    from sqlobs.schema.model import Schema

_QUERY: Final = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*(?:SELECT|WITH|VALUES|FROM)\b",
    re.IGNORECASE | re.DOTALL,
)
"""How a query begins; nothing else is asked."""
_LONGEST: Final = 20_000
"""Characters of a statement; engines take minutes for thousands of nested parts."""
_SENTENCES: Final = {
    "schema.unknown_table": "Unknown table {}.",
    "schema.unknown_column": "Unknown column {}.",
    "schema.wrong_owner": "Unknown table or alias {}: no relation in scope has this name.",
    "schema.ambiguous_ref": "The column {} is ambiguous.",
    "schema.unknown_type": "Unknown type {}.",
    "schema.type_mismatch": "{} does not accept these types.",
    "schema.grouping": "{} is neither grouped nor aggregated, or is an aggregate in a wrong place.",
    "syntax.dialect_mismatch": "The function {} does not exist, or not with these arguments.",
}


class LocalEngine:
    """The engine of a schema's dialect; starts its process with the first question."""

    is_quick = False

    def __init__(self, schema: Schema, dialect: str) -> None:
        """Take a schema; `local_engine` checks that the engine is installed."""
        self._schema = schema
        self._dialect = dialect
        self._ignores_case = dialect_of(dialect).identifiers.tables_ignore_case
        self._functions = frozenset(name.lower() for name in schema.functions)
        self._by_name: dict[str, list[Table]] = {}
        for table in schema.tables:
            self._by_name.setdefault(self._folded(table.name), []).append(table)

    def verdict(self, sql: str) -> NativeVerdict | None:
        """Return the engine's verdict on one query; None: not a query, or no verdict."""
        if not _QUERY.match(sql) or "\0" in sql or len(sql) > _LONGEST:
            return None
        tables = self._named(sql)
        if any(not _has_all_types(table) for table in tables):
            return None
        service = _SERVICES[self._dialect]
        try:
            engine, found = service.ask(sql, [_declared(table) for table in tables])
        except (NoVerdictError, EngineGoneError):
            return None
        return NativeVerdict(engine) if found is None else self._refused(engine, found)

    def _named(self, sql: str) -> list[Table]:
        """Return the tables whose names occur in a text."""
        text = self._folded(sql)
        return [one for name, tables in self._by_name.items() if name in text for one in tables]

    def _folded(self, text: str) -> str:
        return text.lower() if self._ignores_case else text

    def _refused(self, engine: str, found: Rejection) -> NativeVerdict | None:
        name = found.identifier
        if name is not None and name.lower() in self._functions:
            return None  # a function of the user's own
        if found.code == "schema.unknown_table" and self._folded(name or "") in self._by_name:
            return None  # a table that the text names by another path, or escaped
        return NativeVerdict(engine, found.code, name, _sentence(found), qualifier=found.qualifier)


def local_engine(schema: Schema, *, dialect: str | None = None) -> LocalEngine:
    """Return the engine of a warehouse that runs on this machine, beside this process.

    Args:
        schema: The tables; those without types give no verdict.
        dialect: `bigquery`, `spark` or `clickhouse`; None: the schema's.

    Raises:
        ConfigError: The dialect has no such engine, or Java is missing.
        MissingExtraError: The extra is not installed.
    """
    name = engine_of(dialect or schema.dialect or "")
    require_local_engine(name)
    return LocalEngine(schema, name)


def engine_of(dialect: str) -> str:
    """Return the dialect whose engine decides: Spark in ANSI mode does not in legacy mode.

    >>> engine_of("spark:4"), engine_of("spark_legacy")
    ('spark', 'sparklegacy')
    """
    return engine_and_version(*dialect_and_version(dialect))[0].name


def require_local_engine(dialect: str) -> None:
    """Check that a dialect has an engine that `local_engine` can start.

    Raises:
        ConfigError: The dialect has no such engine, or Java is missing.
        MissingExtraError: The extra is not installed.
    """
    kind = KINDS.get(dialect)
    if kind is None:
        raise ConfigError(
            f"a local engine must be of {', '.join(KINDS)}, not {dialect or 'an unknown dialect'}"
        )
    kind.require()


def has_local_engine(dialect: str | None) -> bool:
    """Return whether a dialect has an engine that `local_engine` can start, if installed."""
    return dialect is not None and engine_of(dialect) in KINDS


class _Service:
    """The process of one dialect, for all schemas; it answers one question at a time."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._lock = threading.Lock()  # guards the process
        self._process: EngineProcess | None = None

    def ask(self, sql: str, tables: Sequence[DeclaredTable]) -> tuple[str, Rejection | None]:
        """Return the engine's name, and its error; None: it accepts the query.

        Raises:
            NoVerdictError: It cannot decide.
            EngineGoneError: It did not start or did not answer in time; the next question starts
                it again.
        """
        with self._lock:
            process = self._process = self._process or EngineProcess(self._kind)
            try:
                return process.engine, process.rejection(sql, tables)
            except EngineGoneError:
                self._process = None
                process.kill()
                raise

    def forget(self) -> None:
        """Have no process, without ending one: in a forked child it is the parent's."""
        self._lock = threading.Lock()
        process, self._process = self._process, None
        if process is not None:
            process.forget()

    def close(self) -> None:
        """End the process; the next question starts another."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()


_SERVICES: Final = {dialect: _Service(kind) for dialect, kind in KINDS.items()}


def close_local_engines() -> None:
    """End the processes of all local engines; the next question starts one again."""
    for service in _SERVICES.values():
        service.close()


def _after_fork() -> None:
    for service in _SERVICES.values():
        service.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _sentence(found: Rejection) -> str:
    sentence = _SENTENCES.get(found.code) if found.identifier else None
    return sentence.format(found.identifier) if sentence else "The engine rejects the statement."


def _has_all_types(table: Table) -> bool:
    return bool(table.columns) and all(column.type for column in table.columns)


def _declared(table: Table) -> DeclaredTable:
    path = tuple(part for part in (table.catalog, table.db, table.name) if part)
    columns = tuple((column.name, column.type or "") for column in table.columns)
    return DeclaredTable(path, columns)
