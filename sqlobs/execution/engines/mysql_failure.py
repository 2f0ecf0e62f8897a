"""What an error of MySQL or MariaDB means: a failure of the statement, or trouble of the server."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.mysql import ERROR_CODES
from sqlobs.execution.messages import Failed

_TIMEOUTS: Final = (1317, 1969, 3024)
_DENIED: Final = (1044, 1142, 1143, 1227, 1290, 1370, 1792)
_RAISED: Final = 1644
"""SIGNAL, with a text of the function's own."""
_EXHAUSTED: Final = (1037, 1038, 1041, 1114, 1205)
_TROUBLE: Final = (
    *(1040, 1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1927),
    *(2006, 2013, 2055),  # the client's own: the server is gone
)


def is_trouble(error: Exception) -> bool:
    """Return whether an error is the server's or the connection's, not the statement's."""
    return _number(error) in _TROUBLE


def failure_of(error: Exception, *, elapsed_s: float) -> Failed:
    """Return what an error says about the statement."""
    number = _number(error)
    code = ERROR_CODES.get(number) if number is not None else None
    if isinstance(error, MemoryError):
        return Failed(
            status="error",
            message="out of memory",
            engine_class="client",
            failure_code="execution.timeout",
            is_exhausted=True,
            elapsed_s=elapsed_s,
        )
    return Failed(
        status="timeout" if number in _TIMEOUTS else "error",
        message=_message(error),
        engine_class=str(number) if number is not None else "client",
        failure_code=code or _other(number),
        is_fault=code is not None,
        elapsed_s=elapsed_s,
    )


def _other(number: int | None) -> str:
    if number in _TIMEOUTS or number in _EXHAUSTED:
        return "execution.timeout"
    return "execution.permission" if number in _DENIED else "execution.engine_error"


def _message(error: Exception) -> str:
    text = str(error.args[1]) if len(error.args) > 1 else str(error)
    return "raised by a function" if _number(error) == _RAISED else text


def _number(error: Exception) -> int | None:
    first = error.args[0] if error.args else None
    return first if isinstance(first, int) else None
