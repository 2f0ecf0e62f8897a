"""Backends of PostgreSQL that a killed worker left behind: ended where that is possible."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, LiteralString

import psycopg

from sqlobs.execution.engines import TargetUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.target import Target

_CONNECT_S: Final = 5
_PATIENCE_S: Final = 1.5
"""A backend that can be interrupted is gone within milliseconds."""
_PAUSE_S: Final = 0.05
_OURS: Final[LiteralString] = """
    FROM pg_catalog.pg_stat_activity
    WHERE pid = ANY(%s) AND usename = session_user AND application_name = 'sqlobs'
"""
"""Process numbers are reused: backends of other sessions must not be terminated."""
_END: Final[LiteralString] = f"SELECT pg_catalog.pg_terminate_backend(pid) {_OURS}"
_LEFT: Final[LiteralString] = f"SELECT pid {_OURS}"


def surviving_backends(target: Target, backends: Sequence[int]) -> tuple[int, ...]:
    """End backends of the target's role; return those that continue anyway.

    Raises:
        TargetUnavailableError: The server cannot be asked.
    """
    numbers = list(backends)
    deadline = monotonic() + _PATIENCE_S
    try:
        with psycopg.connect(
            target.dsn, autocommit=True, connect_timeout=_CONNECT_S, application_name="sqlobs"
        ) as connection:
            connection.execute(_END, (numbers,))
            while left := connection.execute(_LEFT, (numbers,)).fetchall():
                if monotonic() > deadline:
                    break
                sleep(_PAUSE_S)
    except (psycopg.Error, ValueError) as error:
        raise TargetUnavailableError("the server does not list its backends") from error
    return tuple(int(row[0]) for row in left)
