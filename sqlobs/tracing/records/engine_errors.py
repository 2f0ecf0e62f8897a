"""What a driver's exception says about the SQL: its SQLSTATE, a timeout, the engine's verdict."""

from __future__ import annotations

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
    3024: "57014",
}
"""MySQL's error numbers, whose drivers give no SQLSTATE, as the state PostgreSQL has for it."""

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
"""How the messages of SQLite start that come from preparing a statement, not from running it."""

_DUCKDB_PREPARE: Final = frozenset(
    {"ParserException", "SyntaxException", "BinderException", "CatalogException"}
)
_TIMEOUTS: Final = frozenset({"57014"})


def sqlstate_of(error: BaseException) -> str | None:
    """Return the SQLSTATE an exception carries, looked for in the exceptions it wraps, too."""
    for link in _chain(error):
        for name in ("sqlstate", "pgcode"):
            state = getattr(link, name, None)
            if isinstance(state, str) and len(state) == 5:  # noqa: PLR2004 - SQL's own length
                return state
        state = _MYSQL_STATES.get(_number_of(link))
        if state is not None:
            return state
    return None


def status_of(error: BaseException) -> ExecutionStatus:
    """Return `timeout` where time ran out, else `error`."""
    links = _chain(error)
    timed_out = any(isinstance(link, TimeoutError) for link in links)
    interrupted = any(_is_sqlite(link) and str(link) == "interrupted" for link in links)
    if timed_out or interrupted or sqlstate_of(error) in _TIMEOUTS:
        return "timeout"
    return "error"


def engine_label_of(error: BaseException | None) -> Label:
    """Return what the engine says of the SQL: pass = ran, fail = refused it, else no verdict."""
    if error is None:
        return "pass"
    state = sqlstate_of(error)
    if state is not None:
        return "fail" if fails_engine_label(state) else "not_evaluated"
    return "fail" if any(map(_is_prepare_error, _chain(error))) else "not_evaluated"


def _chain(error: BaseException) -> list[BaseException]:
    """Return an exception and those it wraps: SQLAlchemy's `orig`, and causes."""
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        inner = getattr(link, "orig", None)
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
    return kind.__module__.startswith(("duckdb", "_duckdb")) and kind.__name__ in _DUCKDB_PREPARE
