"""Threads of MySQL and MariaDB that a killed worker left behind: ended where that is possible."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

import pymysql

from sqlobs.execution.engines import TargetUnavailableError
from sqlobs.execution.engines.mysql_session import arguments_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pymysql.cursors import Cursor

    from sqlobs.execution.target import Target

_PATIENCE_S: Final = 1.5
"""A thread that can be interrupted is gone within milliseconds."""
_PAUSE_S: Final = 0.05


def surviving_backends(target: Target, backends: Sequence[int]) -> tuple[int, ...]:
    """End threads of the target's role; return those that continue anyway.

    Raises:
        TargetUnavailableError: The server cannot be asked.
    """
    deadline = monotonic() + _PATIENCE_S
    try:
        connection = pymysql.connect(**arguments_of(target.url))
        with connection, connection.cursor() as cursor:
            for number in _left(cursor, backends):
                with suppress(pymysql.Error):  # it may have ended meanwhile
                    cursor.execute(f"KILL CONNECTION {number:d}")
            while (left := _left(cursor, backends)) and monotonic() < deadline:
                sleep(_PAUSE_S)
    except (pymysql.Error, OSError, ValueError, RuntimeError) as error:
        raise TargetUnavailableError("the server does not list its threads") from error
    return left


def _left(cursor: Cursor, backends: Sequence[int]) -> tuple[int, ...]:
    """Return which threads are there; a role sees its own without the right to see all."""
    cursor.execute("SHOW PROCESSLIST")
    return tuple(int(row[0]) for row in cursor.fetchall() if row[0] in backends)
