"""What an error of PostgreSQL means: a failure of the statement, or trouble of the server."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from sqlobs.execution.failure import sqlstate_code
from sqlobs.execution.messages import Failed
from sqlobs.failure_codes import fails_engine_label

_NO_ANSWER: Final = ("08", "26000", "55P03", "57P", "25P0", "58", "XX")
"""SQLSTATEs by their beginning that speak of the server, not of the statement."""

_RAISED: Final = "P0"
"""The class of errors that PL/pgSQL raises, with texts of the function's own."""

_NAME: Final = re.compile(r'(?:\w+\s*\.\s*)?(?P<name>[A-Za-z_]\w*|"[^"]+")\s*\(')


def is_trouble(sqlstate: str | None) -> bool:
    """Return whether an error is the server's or the connection's, not the statement's."""
    return sqlstate is not None and sqlstate.startswith(_NO_ANSWER)


def failure_of(error: Exception, *, elapsed_s: float) -> Failed:
    """Return what an error says about the statement."""
    sqlstate = getattr(error, "sqlstate", None)
    if isinstance(error, MemoryError) or "out of memory" in str(error):
        return _exhausted(sqlstate, elapsed_s=elapsed_s)
    if sqlstate is None:
        return _unreadable(elapsed_s=elapsed_s)
    return Failed(
        status="timeout" if sqlstate == "57014" else "error",
        message=_message(sqlstate, _primary(error)),
        engine_class=sqlstate,
        sqlstate=sqlstate,
        failure_code=sqlstate_code(sqlstate),
        is_fault=fails_engine_label(sqlstate),
        elapsed_s=elapsed_s,
    )


def _message(sqlstate: str, message: str) -> str:
    """Return the server's message; one that a user's function made may be all values."""
    return "raised by a function" if sqlstate.startswith(_RAISED) else message


def about_rows(failure: Failed) -> Failed:
    """Return a failure as one that a row caused, not the statement's names: `note::regtype`."""
    return replace(failure, failure_code="execution.engine_error", is_fault=False)


def missing_function(error: Exception, sql: str, *, offset: int) -> str:
    """Return the name of the function that an error 42883 is about; "" for an operator.

    Args:
        error: The server's error.
        sql: The statement as written.
        offset: What was sent before the statement, in characters.
    """
    position = _position(error)
    for start in (position - offset, position):
        found = _NAME.match(sql, start) if start >= 0 else None
        if found:
            name = found["name"].strip('"').lower()
            return "" if name == "operator" else name
    return ""


def _exhausted(sqlstate: str | None, *, elapsed_s: float) -> Failed:
    return Failed(
        status="error",
        message="out of memory",
        engine_class=sqlstate or "53200",
        sqlstate=sqlstate,
        failure_code="execution.timeout",
        is_exhausted=sqlstate is None,
        elapsed_s=elapsed_s,
    )


def _unreadable(*, elapsed_s: float) -> Failed:
    return Failed(
        status="error",
        message="a value of the result cannot be read",
        engine_class="client",
        failure_code="execution.engine_error",
        elapsed_s=elapsed_s,
    )


def _primary(error: Exception) -> str:
    diagnostic: Any = getattr(error, "diag", None)
    return str(getattr(diagnostic, "message_primary", None) or error)


def _position(error: Exception) -> int:
    """Return where in the statement the error is, from 0; -1 where it is not said."""
    diagnostic: Any = getattr(error, "diag", None)
    position = getattr(diagnostic, "statement_position", None)
    return int(position) - 1 if position else -1
