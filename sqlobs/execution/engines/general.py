"""Execute on whatever SQLAlchemy has a driver for: in a transaction that is always rolled back.

What the engines of single systems do beyond that no general interface offers: the time of a
statement is held by killing the worker, and the role must not be able to write.
"""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from sqlobs.dialects.registry import by_sqlalchemy, dialect_of
from sqlobs.execution.engines import TargetLostError, TargetUnavailableError
from sqlobs.execution.engines.fetching import drain
from sqlobs.execution.engines.mysql_grants import GRANTS, require_harmless
from sqlobs.execution.engines.mysql_modes import READ_MODES, USER_VARIABLE, set_modes
from sqlobs.execution.failure import sqlstate_code
from sqlobs.execution.messages import Failed, Finished, Unavailable
from sqlobs.failure_codes import fails_engine_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Cell, Row

_KNOWN_MODULES: Final = frozenset({"builtins", "datetime", "decimal", "uuid"})


class GeneralEngine:
    """A database behind SQLAlchemy."""

    warnings: tuple[str, ...] = ()

    def __init__(self, target: Target) -> None:
        try:
            self._engine = sqlalchemy.create_engine(
                target.url,
                poolclass=sqlalchemy.NullPool,
                hide_parameters=True,
                connect_args=dict(target.access.connect_args),
            )
            self._known = by_sqlalchemy(self._engine.dialect.name) or dialect_of(None)
            self._is_marked = False
            self._connection: sqlalchemy.Connection | None = self._connect()
        except ModuleNotFoundError as error:
            raise TargetUnavailableError(f"the driver is not installed: {error.name}") from error
        except TargetUnavailableError:
            raise
        except Exception as error:  # drivers have errors of many libraries
            raise TargetUnavailableError(_reason(error)) from error

    def backend(self) -> None:
        """Nobody who could outlive us is known: systems of all kinds are asked alike."""

    def begin(self, session: Mapping[str, str]) -> None:
        """Start a transaction, read-only where the system has such."""
        if session:
            raise TargetUnavailableError("the general engine binds no session settings")
        try:
            connection = self._unmarked()
            if connection.in_transaction():
                connection.rollback()
            self._set_read_only(connection)
        except SQLAlchemyError as error:
            self.close()
            raise TargetLostError("the connection is closed") from error

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Unavailable:
        """Run the statement as it is written; rows are streamed where the driver can."""
        started = perf_counter()
        try:
            connection = self._unmarked()
            self._is_marked = USER_VARIABLE in admission.words and self._known.execution.sql_modes
            streamed = connection.execution_options(stream_results=True, no_parameters=True)
            with streamed.exec_driver_sql(admission.text) as found:
                executed_s = perf_counter() - started
                if not found.returns_rows:
                    return Finished((), is_truncated=False, elapsed_s=executed_s)
                columns = tuple(map(str, found.keys()))
                fetch = _Fetch(found)
                is_truncated, fetched_s = drain(fetch, limits=limits, emit=emit)
            return Finished(columns, is_truncated, executed_s + fetched_s)
        except (SQLAlchemyError, MemoryError, ValueError, OverflowError) as error:
            return self._failure(error, elapsed_s=perf_counter() - started)

    def diagnose(self, sql: str) -> Failed | None:  # noqa: ARG002 - the protocol's signature
        """There is no general way to have a text prepared without running it."""
        return None

    def end(self) -> None:
        """Roll back."""
        try:
            if self._connection is not None:
                self._connection.rollback()
        except SQLAlchemyError:
            self.close()

    def close(self) -> None:
        """Hang up."""
        with suppress(SQLAlchemyError):
            if self._connection is not None:
                self._connection.close()
            self._engine.dispose()
        self._connection = None

    def _connect(self) -> sqlalchemy.Connection:
        """Connect, and have the server read strings and names as the gate does."""
        connection = self._engine.connect()
        if self._known.execution.sql_modes:
            modes = connection.exec_driver_sql(READ_MODES).scalar_one()
            connection.exec_driver_sql(set_modes(str(modes)))
            require_harmless(map(str, connection.exec_driver_sql(GRANTS).scalars()))
        elif self._known.execution.connect is not None:
            connection.exec_driver_sql(self._known.execution.connect)
        connection.commit()
        return connection

    def _unmarked(self) -> sqlalchemy.Connection:
        """Return the connection; a new one where a statement may have left variables behind."""
        connection = self._open()
        if self._is_marked:
            connection.close()
            self._connection = connection = self._connect()
            self._set_read_only(connection)
            self._is_marked = False
        return connection

    def _set_read_only(self, connection: sqlalchemy.Connection) -> None:
        statement = self._known.execution.begin
        if statement is not None:
            connection.exec_driver_sql(statement)

    def _open(self) -> sqlalchemy.Connection:
        if self._connection is None or self._connection.closed:
            raise TargetLostError("the connection is closed")
        return self._connection

    def _failure(self, error: Exception, *, elapsed_s: float) -> Failed | Unavailable:
        is_gone = self._connection is None or self._connection.closed
        if is_gone or (isinstance(error, DBAPIError) and error.connection_invalidated):
            return Unavailable("the server closed the connection")
        connection = self._open()
        with suppress(SQLAlchemyError):
            connection.rollback()
        return failure_of(error, elapsed_s=elapsed_s)


class _Fetch:
    """Fetches the next rows as plain tuples."""

    def __init__(self, found: sqlalchemy.CursorResult[Any]) -> None:
        self._found = found

    def __call__(self, count: int) -> list[Row]:
        return [tuple(map(_plain, row)) for row in self._found.fetchmany(count)]


def failure_of(error: Exception, *, elapsed_s: float) -> Failed:
    """Return what an error says about the statement, as far as its SQLSTATE tells."""
    original = getattr(error, "orig", None) or error
    sqlstate = getattr(original, "sqlstate", None) or getattr(original, "pgcode", None)
    state = sqlstate if isinstance(sqlstate, str) else None
    text = "out of memory" if isinstance(error, MemoryError) else str(original)
    return Failed(
        status="error",
        message=text,
        engine_class=state or type(original).__name__,
        sqlstate=state,
        failure_code=sqlstate_code(state) if state else "execution.engine_error",
        is_fault=state is not None and fails_engine_label(state),
        is_exhausted=isinstance(error, MemoryError),
        elapsed_s=elapsed_s,
    )


def _plain(cell: Cell) -> Cell:
    """Return a cell as it is; what only the driver knows becomes its text."""
    return cell if type(cell).__module__ in _KNOWN_MODULES else str(cell)


def _reason(error: Exception) -> str:
    """Return why there is no connection, without host, user or password."""
    original = getattr(error, "orig", None) or error
    return f"the connection failed ({type(original).__name__})"
