"""Classifies a driver's exception: SQLSTATE, timeout, the engine's verdict on the SQL.

Tests: `tests/tracing/test_executions.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlobs.failure_codes import fails_engine_label

if TYPE_CHECKING:
    from sqlobs.tracing.records.record import ExecutionStatus
    from sqlobs.types import Label

_MYSQL_STATES: Final = {
    1052: "42702",
    1054: "42703",
    1055: "42803",
    1064: "42601",
    1140: "42803",
    1146: "42P01",
    1149: "42601",
    1305: "42883",
    1142: "42501",
    1143: "42501",
    1370: "42501",
    1969: "57014",
    3024: "57014",
}
"""Error numbers of MySQL and MariaDB as the state PostgreSQL has for it: their drivers give none,
or 42000 for refusals of every kind."""

_DENIED_NUMBERS: Final = re.compile(r"\((?:229|230|262|300)\)")
"""How SQL Server says in a message of ODBC, with state 42000, that a permission is missing."""
_STATE: Final = re.compile(r"[0-9A-Z]{5}")

_SQLITE_PREPARE: Final = (
    "no such ",
    "near ",
    "incomplete input",
    "unrecognized token",
    "ambiguous column",
    "misuse of ",
    "wrong number of arguments",
    "a GROUP BY clause is required",
    "aggregate functions are not allowed",
    "sub-select returns",
    "row value misused",
    "SELECTs to the left and right",
    "circular reference",
    "duplicate WITH table name",
    "table ",
)
"""Prefixes of SQLite's messages from preparing a statement, as opposed to running it."""

_DUCKDB_MODULE: Final = re.compile(r"_?duckdb\b")
"""The module of its exceptions, by version: `duckdb`, `_duckdb`."""
_DUCKDB_PREPARE: Final = frozenset(
    {"ParserException", "SyntaxException", "BinderException", "CatalogException"}
)
_RAISED_BY_SQL: Final = frozenset({"P0001", "45000"})
"""`RAISE` of PostgreSQL and `SIGNAL` of MySQL: their messages may contain values anywhere."""
_TIMEOUTS: Final = frozenset({"57014", "HYT00", "HYT01"})
"""PostgreSQL's state, and ODBC's two."""


def sqlstate_of(error: BaseException) -> str | None:
    """Return the SQLSTATE of an exception, or of one that it wraps."""
    for link in _chain(error):
        state = _MYSQL_STATES.get(_number_of(link)) or _told_state(link)
        if state is not None:
            return state
    return None


def _told_state(error: BaseException) -> str | None:
    """Return the SQLSTATE of one exception: a field, or the arguments of ODBC and pg8000."""
    first = error.args[0] if error.args else None
    module = type(error).__module__
    if module.startswith("pg8000") and isinstance(first, dict):
        first = first.get("C")
    elif not module.startswith(("pyodbc", "aioodbc")):
        first = None
    elif _DENIED_NUMBERS.search(str(error)):
        return "42501"
    for state in (_field(error, "sqlstate"), _field(error, "pgcode"), first):
        if isinstance(state, str) and _STATE.fullmatch(state):
            return state
    return None


def _field(error: BaseException, name: str) -> object:
    try:
        return getattr(error, name, None)
    except Exception:  # noqa: BLE001 - a driver's own property may raise
        return None


def status_of(error: BaseException) -> ExecutionStatus:
    """Return `timeout` for a timeout, else `error`."""
    links = _chain(error)
    timed_out = any(isinstance(link, TimeoutError) for link in links)
    interrupted = any(_is_sqlite(link) and str(link) == "interrupted" for link in links)
    if timed_out or interrupted or sqlstate_of(error) in _TIMEOUTS:
        return "timeout"
    return "error"


def engine_label_of(error: BaseException | None) -> Label:
    """Return the engine's verdict: `pass` if it ran, `fail` if the SQL was rejected."""
    if error is None:
        return "pass"
    state = sqlstate_of(error)
    if state is not None:
        return "fail" if fails_engine_label(state) else "not_evaluated"
    return "fail" if any(map(_is_prepare_error, _chain(error))) else "not_evaluated"


def error_type_of(error: BaseException) -> str:
    """Return `error.type`: the qualified class, never the message, which may quote values."""
    kind = type(error)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def is_of_engine(error: BaseException) -> bool:
    """Return whether an engine wrote the message: a driver's exception, not raised by user SQL."""
    if sqlstate_of(error) in _RAISED_BY_SQL:
        return False
    is_driver = any(base.__name__ == "DatabaseError" for base in type(innermost(error)).__mro__)
    return is_driver or sqlstate_of(error) is not None


def innermost(error: BaseException) -> BaseException:
    """Return the driver's own exception, which SQLAlchemy and others wrap."""
    link = error
    while isinstance(inner := link.__dict__.get("orig"), BaseException):
        link = inner
    return link


def _chain(error: BaseException) -> list[BaseException]:
    """Return an exception and those it wraps: SQLAlchemy's `orig`, and causes."""
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        inner = link.__dict__.get("orig")
        link = inner if isinstance(inner, BaseException) else link.__cause__
    return links


def _number_of(error: BaseException) -> int:
    module = type(error).__module__
    is_mysql = module.startswith(("pymysql", "MySQLdb", "mysql.", "aiomysql", "asyncmy"))
    number = error.args[0] if is_mysql and error.args else None
    return number if isinstance(number, int) else 0


def _is_sqlite(error: BaseException) -> bool:
    return type(error).__module__ == "sqlite3"


def _is_prepare_error(error: BaseException) -> bool:
    kind = type(error)
    if _is_sqlite(error):
        return str(error).startswith(_SQLITE_PREPARE)
    return _DUCKDB_MODULE.match(kind.__module__) is not None and kind.__name__ in _DUCKDB_PREPARE
