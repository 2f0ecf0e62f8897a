"""Redshift: a read-only transaction, rows through a cursor, and sessions that are terminated."""

from __future__ import annotations

import re
from contextlib import closing, suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from sqlobs.execution.engines import TargetLostError
from sqlobs.execution.engines.postgres_failure import is_trouble
from sqlobs.execution.engines.warehouse import WarehouseEngine, survivors_of
from sqlobs.execution.failure import EngineError, sqlstate_code
from sqlobs.execution.messages import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.messages import Backend, Finished, Stopped, Unavailable
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Row

_MILLISECONDS: Final = 1000
_QUERY: Final = re.compile(r"[\s(]*(?:SELECT|WITH)\b", re.IGNORECASE)
"""What a cursor may be declared for."""
_FIRST_ROWS: Final = 64
_NO_OPERATOR: Final = "operator does not exist: "
"""`operator does not exist: character varying + date` has the SQLSTATE of unknown functions."""
_TYPE_MISMATCH: Final = "schema.type_mismatch"
_NO_LOGIN: Final = ("28", "53300")
_SESSIONS: Final = "SELECT process, CAST(starttime AS VARCHAR(40)) FROM stv_sessions"
"""Process numbers are reused: with its start, one is that of a single session."""
_UNSEEN: Final = (
    "its role does not see its session in stv_sessions: the statement of a killed worker ends by"
    " statement_timeout only"
)
_PATIENCE_S: Final = 3.0
_PAUSE_S: Final = 0.1


class RedshiftEngine(WarehouseEngine):
    """Redshift, through Amazon's driver. The statements of one request share a snapshot."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._timeout_ms: int | None = None
        self._has_cursor = False
        raw = self.raw
        raw.autocommit = True  # by itself, the driver begins transactions that may write
        for name, value in target.access.settings.items():
            _ask(raw, "SELECT set_config(%s, %s, false)", (name, value))
        self._backend = _own_session(raw)
        if self._backend is None:
            self.warnings = (_UNSEEN,)

    def backend(self) -> str | None:
        """Return the session: the number of its process, and its start."""
        return self._backend

    def begin(self, session: Mapping[str, str]) -> None:
        """Begin a read-only transaction, with the settings bound in it.

        Raises:
            TargetLostError: The connection is no more.
        """
        super().begin(session)
        try:
            self._begin()
        except Exception as error:  # a lost connection raises errors of sockets, too
            raise TargetLostError("the connection is closed") from error

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Stopped | Unavailable:
        """Run it; after an error, the next statement gets another transaction."""
        ending = super().execute(admission, limits, emit)
        if isinstance(ending, Failed):
            try:
                self._begin()
            except Exception:  # noqa: BLE001 - as in `begin`
                self.close()  # nothing runs outside a read-only transaction
        return ending

    def run(self, cursor: Any, sql: str, limits: Limits) -> None:
        """Run it through a cursor of the server's: the driver keeps all rows that it receives."""
        timeout_ms = round(limits.timeout_s * _MILLISECONDS)
        if timeout_ms != self._timeout_ms:
            cursor.execute(f"SET statement_timeout TO {timeout_ms}")
            self._timeout_ms = timeout_ms
        if self._has_cursor:  # there may be one at a time
            cursor.execute("CLOSE sqlobs")
        self._has_cursor = _QUERY.match(sql) is not None
        if self._has_cursor:
            cursor.execute(f"DECLARE sqlobs CURSOR FOR {sql}")
            cursor.execute(f"FETCH FORWARD {_FIRST_ROWS} FROM sqlobs")
        else:
            cursor.execute(sql)

    def fetch(self, cursor: Any, count: int) -> Sequence[Row]:
        """Return the next rows: those that came with the description, then as many as asked for."""
        rows: Sequence[Row] = cursor.fetchmany(count)
        if rows or not self._has_cursor:
            return rows
        cursor.execute(f"FETCH FORWARD {count} FROM sqlobs")
        return cursor.fetchmany(count)  # type: ignore[no-any-return]  # the driver has no types

    def prepare(self, sql: str) -> None:
        """Have the server analyze a text without planning it: planning computes constants."""
        try:
            _ask(self.raw, f"PREPARE sqlobs AS {sql}")
        finally:
            self._begin()

    def error_of(self, error: Exception) -> EngineError | None:
        """Return the error by its SQLSTATE; None without one: it is the network's."""
        fields = error.args[0] if error.args else None
        if not isinstance(fields, dict):
            return None
        state, message = str(fields.get("C")), str(fields.get("M"))
        if state.startswith(_NO_LOGIN) or (is_trouble(state) and not state.startswith("XX")):
            return None
        code = _TYPE_MISMATCH if message.startswith(_NO_OPERATOR) else sqlstate_code(state)
        return EngineError(name=state, code=code, message=message)

    def end(self) -> None:
        """Roll back; what the session has bound ends with the transaction."""
        with suppress(Exception):
            self.raw.rollback()

    def _begin(self) -> None:
        raw = self.raw
        raw.rollback()
        self._has_cursor = False
        self._timeout_ms = None
        _ask(raw, "BEGIN READ ONLY")
        for name, value in self.session.items():
            _ask(raw, "SELECT set_config(%s, %s, true)", (name, value))


def surviving_backends(target: Target, backends: Sequence[Backend]) -> tuple[Backend, ...]:
    """Terminate sessions; return those that continue.

    Raises:
        TargetUnavailableError: Redshift cannot be asked.
    """
    return survivors_of(target, backends, _terminate)


def _terminate(connection: Any, backend: Backend) -> None:
    connection.autocommit = True
    deadline = monotonic() + _PATIENCE_S
    process = int(str(backend).partition(" ")[0])
    while str(backend) in _sessions(connection, process):
        if monotonic() > deadline:
            raise TimeoutError(backend)
        _ask(connection, f"SELECT pg_terminate_backend({process})")
        sleep(_PAUSE_S)


def _own_session(connection: Any) -> str | None:
    """Return the session of a connection; None: the role does not see it."""
    [[process]] = _ask(connection, "SELECT pg_backend_pid()")
    with suppress(Exception):  # such as a missing right
        return next(iter(_sessions(connection, int(str(process)))), None)
    return None


def _sessions(connection: Any, process: int) -> list[str]:
    found = _ask(connection, f"{_SESSIONS} WHERE process = {process}")
    return [f"{number} {start}" for number, start in found]


def _ask(connection: Any, sql: str, values: tuple[str, ...] | None = None) -> Sequence[Row]:
    with closing(connection.cursor()) as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else ()
