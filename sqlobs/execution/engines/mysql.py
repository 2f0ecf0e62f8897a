"""Execute on MySQL or MariaDB: a read-only snapshot, the server's own clock, rows as they come."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pymysql
from pymysql.cursors import SSCursor

from sqlobs.dialects.mariadb import DIALECT as MARIADB
from sqlobs.dialects.mariadb import server_name
from sqlobs.execution.engines import TargetLostError, TargetUnavailableError
from sqlobs.execution.engines.fetching import drain
from sqlobs.execution.engines.mysql_failure import failure_of, is_trouble
from sqlobs.execution.engines.mysql_grants import GRANTS, require_harmless
from sqlobs.execution.engines.mysql_modes import READ_MODES, USER_VARIABLE, set_modes
from sqlobs.execution.engines.mysql_routines import Routines
from sqlobs.execution.engines.mysql_session import arguments_of, warnings_of
from sqlobs.execution.messages import Failed, Finished, Stopped, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Row


class MySqlEngine:
    """A MySQL or MariaDB database, connected with a role that may do little."""

    def __init__(self, target: Target) -> None:
        self._arguments = arguments_of(target.url)
        self._is_marked = False
        self._routines = Routines(self._ask, frozenset(target.policy.allowed_functions or ()))
        self.warnings: tuple[str, ...] = ()
        try:
            self._connection = pymysql.connect(**self._arguments)
        except (pymysql.Error, OSError, ValueError, RuntimeError) as error:
            raise TargetUnavailableError(_connect_message(error)) from error
        try:
            self._set_modes()
            version = str(self._connection.get_server_info())  # type: ignore[no-untyped-call]  # so its stubs
            self._clock = _clock_of(version)
            with self._connection.cursor() as cursor:
                cursor.execute(GRANTS)
                require_harmless(str(row[0]) for row in cursor.fetchall())
                self.warnings = warnings_of(cursor)
        except pymysql.Error as error:
            self.close()
            raise TargetUnavailableError(
                "the server does not respond to catalog queries"
            ) from error
        except TargetUnavailableError:
            self.close()
            raise

    def backend(self) -> int | None:
        """Return the number of our thread; a new one where a statement left variables behind."""
        with suppress(pymysql.Error, OSError):
            self._renew_marked()
        return int(self._connection.thread_id())  # type: ignore[no-untyped-call]  # so its stubs

    def begin(self, session: Mapping[str, str]) -> None:
        """Start a read-only transaction whose statements all see the same data."""
        if session:
            raise TargetUnavailableError("MySQL has no session settings to bind")
        try:
            self._renew_marked()
            self._simple("ROLLBACK")
            self._open_snapshot()
        except (pymysql.Error, OSError) as error:
            raise TargetLostError("the connection is closed") from error

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Stopped | Unavailable:
        """Run the statement; the server stops it in time, rows are not held here."""
        started = perf_counter()
        try:
            self._renew_marked()
            self._is_marked = USER_VARIABLE in admission.words
            self._simple(self._clock.format(seconds=limits.timeout_s, ms=_ms(limits)))
            stranger = self._routines.first(admission.text)
            if stranger is not None:
                return Stopped("function_not_allowed", stranger)
            with self._connection.cursor(SSCursor) as cursor:
                cursor.execute(admission.text)
                executed_s = perf_counter() - started
                columns = tuple(column[0] for column in cursor.description or ())
                is_truncated, fetched_s = drain(_fetch(cursor), limits=limits, emit=emit)
                if is_truncated:
                    self._stop(cursor)
            return Finished(columns, is_truncated, executed_s + fetched_s)
        except (pymysql.Error, OSError, MemoryError, ValueError, OverflowError) as error:
            return self._failure(error, elapsed_s=perf_counter() - started)

    def diagnose(self, sql: str) -> Failed | None:
        """Have the server prepare the text, unless even that would call functions of users."""
        try:
            if self._routines.may_run(sql):
                return None
            literal = self._connection.escape(sql)
            self._simple(f"PREPARE sqlobs FROM {literal}")
            self._simple("DEALLOCATE PREPARE sqlobs")
        except pymysql.Error as error:
            failure = self._failure(error, elapsed_s=0.0)
            return failure if isinstance(failure, Failed) and failure.is_fault else None
        except (OSError, ValueError):
            return None
        return None

    def end(self) -> None:
        """Roll back."""
        try:
            self._simple("ROLLBACK")
        except (pymysql.Error, OSError):
            self.close()

    def close(self) -> None:
        """Hang up."""
        with suppress(pymysql.Error, OSError):
            self._connection.close()

    def _set_modes(self) -> None:
        """Have the server read strings and names as the gate does, whatever its own modes."""
        with self._connection.cursor() as cursor:
            cursor.execute(READ_MODES)
            found = cursor.fetchone()
        self._simple(set_modes(str(found[0]) if found else ""))

    def _renew_marked(self) -> None:
        """Connect again where a statement may have left variables behind."""
        if self._is_marked:
            self.close()
            self._connection = pymysql.connect(**self._arguments)
            self._set_modes()
            self._open_snapshot()
            self._is_marked = False

    def _open_snapshot(self) -> None:
        self._simple("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        self._simple("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    def _ask(self, question: str, values: Sequence[object]) -> Sequence[Sequence[Any]]:
        with self._connection.cursor() as cursor:
            cursor.execute(question, values)
            rows: Sequence[Sequence[Any]] = cursor.fetchall()
            return rows

    def _simple(self, statement: str) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)

    def _stop(self, cursor: SSCursor) -> None:
        """Have the server end a statement whose further rows nobody wants."""
        thread = self._connection.thread_id()  # type: ignore[no-untyped-call]  # so its stubs
        with suppress(pymysql.Error, OSError):
            helper = pymysql.connect(**self._arguments)
            with helper, helper.cursor() as killing:
                killing.execute(f"KILL QUERY {int(thread)}")
        with suppress(pymysql.Error, OSError):
            cursor.close()

    def _failure(self, error: Exception, *, elapsed_s: float) -> Failed | Unavailable:
        if isinstance(error, OSError) or is_trouble(error) or not self._connection.open:
            return Unavailable("the server closed the connection")
        return failure_of(error, elapsed_s=elapsed_s)


class _fetch:  # noqa: N801 - a function with the driver's rows as tuples
    def __init__(self, cursor: SSCursor) -> None:
        self._cursor = cursor

    def __call__(self, count: int) -> list[Row]:
        return [tuple(row) for row in self._cursor.fetchmany(count)]


def _clock_of(version: str) -> str:
    """Return the statement that starts the server's clock; MariaDB counts in seconds."""
    if server_name(version) == MARIADB.name:
        return "SET SESSION max_statement_time = {seconds:.3f}"
    return "SET SESSION max_execution_time = {ms}"


def _ms(limits: Limits) -> int:
    return max(1, round(limits.timeout_s * 1000))


def _connect_message(error: Exception) -> str:
    """Return why there is no connection, without host, user or password."""
    number = error.args[0] if error.args and isinstance(error.args[0], int) else None
    if number in {1044, 1045, 1049, 1698}:
        return f"the server rejects the login or has no such database ({number})"
    return f"the server cannot be reached ({number or type(error).__name__})"
