"""What the engines of all warehouses share: a connection of SQLAlchemy's, estimates, and errors.

A statement runs on the driver's own cursor: SQLAlchemy has no way to name a query, which is what a
cancellation from another process needs.
"""

from __future__ import annotations

from contextlib import closing, suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy
from sqlalchemy.exc import NoSuchModuleError

from sqlobs.dialects.registry import by_system
from sqlobs.execution.budget import Usage
from sqlobs.execution.engines import TargetLostError, TargetUnavailableError
from sqlobs.execution.engines.fetching import drain
from sqlobs.execution.messages import Failed, Finished, Stopped, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlobs.dialects.base import Dialect
    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.failure import EngineError
    from sqlobs.execution.messages import Backend
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Cell, Row

_KNOWN_MODULES: Final = frozenset({"builtins", "datetime", "decimal", "uuid"})


class NotReadOnlyError(Exception):
    """The warehouse calls a statement something else than a query."""


class WarehouseEngine:
    """A warehouse behind SQLAlchemy; subclasses define what is special about theirs."""

    warnings: tuple[str, ...] = ()

    def __init__(self, target: Target) -> None:
        self.target = target
        self.session: Mapping[str, str] = {}
        self._estimated_bytes: int | None = None
        try:
            self._engine = engine_of(target)
            self._connection = self._engine.connect()
        except TargetUnavailableError:
            raise
        except ImportError:
            raise
        except NoSuchModuleError as error:
            raise ImportError(str(error)) from error
        except Exception as error:  # drivers have errors of many libraries: HTTP, OAuth, Thrift
            raise TargetUnavailableError(self.obstacle(error)) from error

    # What subclasses define

    def estimate(self, sql: str, limits: Limits) -> int | None:
        """Return the bytes that the statement would read; None: the warehouse does not tell.

        Raises:
            Exception: What the driver raises about the statement.
        """

    def run(self, cursor: Any, sql: str, limits: Limits) -> None:
        """Run the statement with the warehouse's own limits."""
        raise NotImplementedError

    def fetch(self, cursor: Any, count: int) -> Sequence[Row]:
        """Return the next rows of the last statement; fewer than asked for only at the end."""
        rows: Sequence[Row] = cursor.fetchmany(count)
        return rows

    def bytes_read(self, cursor: Any) -> int | None:
        """Return the bytes that the last statement was charged for; None: unknown."""

    def error_of(self, error: Exception) -> EngineError | None:
        """Return what an error says about the statement; None: it is about the connection."""
        raise NotImplementedError

    def prepare(self, sql: str) -> None:
        """Have the warehouse analyze a text without running it, and raise what it says."""

    # The contract of engines

    def backend(self) -> Backend | None:
        """Return who runs the next statement; subclasses name its query."""
        return None

    def begin(self, session: Mapping[str, str]) -> None:
        """Bind the session's settings: warehouses have no snapshots of several statements."""
        if self._connection.closed:
            raise TargetLostError("the connection is closed")
        self.session = session

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Stopped | Unavailable:
        """Estimate the statement, run it if it may cost that much, and emit its rows."""
        started = perf_counter()
        self._estimated_bytes = None
        try:
            self._estimated_bytes = self.estimate(admission.text, limits)
            too_dear = self._too_dear(perf_counter() - started)
            if too_dear is not None:
                return too_dear
            with closing(self.raw.cursor()) as cursor:
                self.run(cursor, admission.text, limits)
                executed_s = perf_counter() - started
                columns = tuple(str(one[0]) for one in cursor.description or ())
                if not columns:
                    return Finished((), is_truncated=False, elapsed_s=executed_s)
                is_cut, fetched_s = drain(self._rows_from(cursor), limits=limits, emit=emit)
                elapsed_s = executed_s + fetched_s
                usage = self._usage(self.bytes_read(cursor), elapsed_s)
            return Finished(columns, is_cut, elapsed_s, usage=usage)
        except NotReadOnlyError as error:
            return Stopped("not_read_only", str(error))
        except Exception as error:  # noqa: BLE001 - a driver raises the errors of many libraries
            return self._failure(error, elapsed_s=perf_counter() - started)

    def diagnose(self, sql: str) -> Failed | None:
        """Have the warehouse analyze a text that the gate does not understand."""
        try:
            self.prepare(sql)
        except Exception as error:  # noqa: BLE001 - as above
            found = self.error_of(error)
            if found is not None and found.is_fault:
                return _failed(found, elapsed_s=0.0, usage=Usage())
        return None

    def end(self) -> None:
        """End a transaction, where the driver has opened one."""
        with suppress(Exception):
            self._connection.rollback()

    def close(self) -> None:
        """Hang up."""
        with suppress(Exception):
            self._connection.close()
            self._engine.dispose()

    # What subclasses use

    @property
    def raw(self) -> Any:
        """The driver's own connection."""
        return self._connection.connection.driver_connection

    def obstacle(self, error: Exception) -> str:
        """Return why there is no connection, without host, user or password."""
        original = getattr(error, "orig", None) or error
        return f"the connection failed ({type(original).__name__})"

    def _rows_from(self, cursor: Any) -> Callable[[int], list[Row]]:
        return lambda count: [tuple(map(_plain, row)) for row in self.fetch(cursor, count)]

    def _usage(self, read: int | None, elapsed_s: float) -> Usage | None:
        known = self._estimated_bytes if read is None else read
        if known is None and self.target.access.cost.max_bytes is not None:
            return None
        return Usage(known or 0, elapsed_s)

    def _too_dear(self, elapsed_s: float) -> Failed | None:
        limit, found = self.target.access.cost.max_bytes, self._estimated_bytes
        if limit is None or found is None or found <= limit:
            return None
        return Failed(
            status="error",
            message=f"the statement would read {found} bytes, more than cost.max_bytes allows",
            engine_class="max_bytes",
            failure_code="efficiency.cost",
            elapsed_s=elapsed_s,
            usage=Usage(),
        )

    def _failure(self, error: Exception, *, elapsed_s: float) -> Failed | Unavailable:
        if isinstance(error, MemoryError):
            return Failed(
                status="error",
                message="out of memory",
                engine_class="MemoryError",
                failure_code="execution.engine_error",
                is_exhausted=True,
                elapsed_s=elapsed_s,
            )
        found = self.error_of(error)
        if found is None:
            return Unavailable(f"the warehouse is unavailable ({type(error).__name__})")
        # The analysis of a faulty statement reads nothing.
        usage = Usage(0, elapsed_s) if found.is_fault else None
        return _failed(found, elapsed_s=elapsed_s, usage=usage)


def engine_of(target: Target) -> sqlalchemy.Engine:
    """Return SQLAlchemy's engine of a target; each use opens a connection."""
    url = sqlalchemy.make_url(target.url)
    known = dialect_of_system(target)
    wanted = known.connections.driver or known.name
    given = url.drivername
    if "+" in given and given != wanted:
        raise TargetUnavailableError(f"the driver {given} is not supported: write {wanted}://")
    return sqlalchemy.create_engine(
        url.set(drivername=wanted),
        poolclass=sqlalchemy.NullPool,
        hide_parameters=True,
        connect_args=dict(target.access.connect_args),
    )


def dialect_of_system(target: Target) -> Dialect:
    """Return what is known about the target's dialect."""
    known = by_system(target.system)
    if known is None:
        raise TargetUnavailableError(f"{target.system} is not a warehouse")
    return known


def survivors_of(
    target: Target, backends: Sequence[Backend], end: Callable[[Any, Backend], None]
) -> tuple[Backend, ...]:
    """Cancel statements over a connection of its own; return those that could not be canceled.

    Args:
        target: The warehouse.
        backends: Names of queries.
        end: Cancels one, on the driver's connection.

    Raises:
        TargetUnavailableError: The warehouse cannot be reached.
    """
    left = []
    try:
        engine = engine_of(target)
        with engine.connect() as connection:
            for backend in backends:
                try:
                    end(connection.connection.driver_connection, backend)
                except Exception:  # noqa: BLE001 - the next one may still be canceled
                    left.append(backend)
    except ImportError:
        raise
    except Exception as error:
        raise TargetUnavailableError("the warehouse cannot be asked to cancel") from error
    return tuple(left)


def _failed(found: EngineError, *, elapsed_s: float, usage: Usage | None) -> Failed:
    return Failed(
        status="timeout" if found.code == "execution.timeout" else "error",
        message=found.message,
        engine_class=found.name,
        failure_code=found.code,
        is_fault=found.is_fault,
        elapsed_s=elapsed_s,
        usage=usage,
    )


def _plain(cell: Cell) -> Cell:
    """Return a cell as it is; what only the driver knows becomes its text."""
    return cell if type(cell).__module__ in _KNOWN_MODULES else str(cell)
