"""Words of the dialects: functions that statements may call, keywords, and what is volatile."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.execution.gate import Volatility

_DIALECTS: Final = {"postgres", "sqlite"}
_CLOCK: Final = {
    *("age", "clock_timestamp", "now", "statement_timestamp", "timeofday", "transaction_timestamp"),
    *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"),
}
_CLOCK_WITHOUT_ARGUMENTS: Final = {"date", "datetime", "julianday", "time", "unixepoch"}
"""SQLite's date functions give the present moment where nothing else is asked."""

_RANDOM: Final = {"gen_random_uuid", "normal_rand", "random", "random_normal", "uuid_generate_v4"}
_SESSION: Final = {
    *("current_catalog", "current_database", "current_schema", "current_schemas"),
    *("current_role", "current_user", "session_user", "user"),
}


def allowed_functions(dialect: str) -> frozenset[str]:
    """Return the names a dialect's statements may call; no name for a dialect without a list."""
    return listed(dialect) if dialect in _DIALECTS else frozenset()


@cache
def listed(name: str) -> frozenset[str]:
    """Return the words of one of the lists that lie beside this module."""
    source = files("sqlobs.execution.vocabulary") / f"{name}.txt"
    lines = (line.partition("#")[0] for line in source.read_text("utf-8").splitlines())
    return frozenset(word for line in lines for word in line.split())


def volatility_of(name: str, dialect: str, *, has_arguments: bool) -> tuple[Volatility, ...]:
    """Return what a function's value depends on besides the data; empty for most.

    `age` counts only with one argument in truth; it is taken for volatile in both forms.
    """
    if name in _CLOCK:
        return ("clock",)
    if name in _CLOCK_WITHOUT_ARGUMENTS and dialect == "sqlite" and not has_arguments:
        return ("clock",)
    if name in _RANDOM:
        return ("random",)
    return ("session",) if name in _SESSION else ()
