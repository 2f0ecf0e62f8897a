"""DB-API connections (PEP 249): records the generated statements that their cursors run."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from sqlobs.errors import InputError
from sqlobs.integrations.statements import Statements, columns_of, has_result, rows_of
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.worker.task import Errand
from sqlobs.tracing.wrapping.standin import Proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlobs.integrations.statements import Recorded
    from sqlobs.tracing.instance import Sqlobs
    from sqlobs.tracing.stages.execution import Execution, SpanKindOption

__all__ = ["trace_connection"]

Connection = TypeVar("Connection")


def trace_connection(
    connection: Connection,
    *,
    target: str | None = None,
    records: Recorded = "generated",
    kind: SpanKindOption = "internal",
    instance: Sqlobs | None = None,
) -> Connection:
    """Return a connection that records the generated statements its cursors run.

    Generated is what is run inside a generation, and the answer of one in the same `context` or
    trace. The execution ends where `execute` returns and the driver has counted the rows, or
    where there are none; else when the rows are read or the cursor is closed, let go or used again.

    Args:
        connection: A connection of any driver that follows PEP 249; it is not changed.
        target: Alias of the database.
        records: `all` records every statement of the connection.
        kind: `client` makes it a database client span, for drivers without instrumentation.
        instance: The instance that records; the default one if None.

    Raises:
        InputError: The connection is an asynchronous one.
    """
    if inspect.iscoroutinefunction(getattr(type(connection), "commit", None)):
        raise InputError(
            f"{type(connection).__name__} is asynchronous: decorate the function that runs the SQL"
            " with trace_execution"
        )
    statements = Statements(target=target, records=records, kind=kind, instance=instance)
    return cast("Connection", Traced(connection, statements))


class Reading:
    """One execution whose rows are still read."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._rows = 0
        self._is_over = False

    def read(self, rows: int, *, is_end: bool) -> None:
        """Note rows that were read; at the end of the result the execution ends."""
        self._rows += rows
        if is_end and self._ends():
            self._execution.set(rows=self._rows)
            self._execution.returned(None)

    def failed(self, error: BaseException) -> None:
        """End the execution with an exception that reading raised."""
        if self._ends():
            self._execution.raised(error)

    def stop(self) -> None:
        """End the execution where its reader stops: what was not read is unknown."""
        if self._ends():
            _stop(self._execution, self._rows)

    def _ends(self) -> bool:
        is_over, self._is_over = self._is_over, True
        return not is_over

    def __del__(self) -> None:
        # A finalizer may run anywhere, so it only hands over.
        if self._ends():
            execution = self._execution
            errand = Errand(partial(_stop, execution, self._rows))
            execution.runtime.worker.hand_over(errand)


def _stop(execution: Execution, rows: int) -> None:
    if rows:
        execution.set(rows=rows)
        execution.closed()
    else:
        execution.returned(None)


class Following:
    """What is done around the methods of one connection or cursor, under the names of those."""

    def __init__(self, wrapped: object, statements: Statements) -> None:
        self._wrapped = wrapped
        self._statements = statements
        self._reading: Reading | None = None

    def cursor(self, make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return a cursor that is followed."""
        return Traced(make(*args, **kwargs), self._statements)

    def execute(self, run: Callable[..., Any], sql: Any, *args: Any, **kwargs: Any) -> Any:
        """Run a statement, and record it if it is a generated one."""
        self.stop()
        execution = self._statements.begin(sql)
        if execution is None:
            return self._followed(run(sql, *args, **kwargs))[0]
        try:
            result = run(sql, *args, **kwargs)
        except BaseException as error:
            execution.raised(error)
            raise
        traced, following = self._followed(result)
        following.ran(execution)
        return traced

    executemany = execute

    def ran(self, execution: Execution) -> None:
        """End an execution, or follow how its rows are read."""
        cursor = self._wrapped
        with INTERNAL_ERRORS.contained("execution.result"):
            rows = rows_of(cursor)
            execution.set(rows=rows, columns=columns_of(cursor))
            if rows is None and has_result(cursor):
                execution.runtime.worker.ensure_started()
                self._reading = Reading(execution)
                return
        execution.returned(None)

    def _followed(self, result: Any) -> tuple[Any, Following]:
        """Return what the caller gets, and what follows its rows.

        A driver's `execute` returns the cursor itself, a new one where the connection has run the
        statement, or something else altogether.
        """
        if result is not self._wrapped and hasattr(type(result), "fetchall"):
            traced = Traced(result, self._statements)
            return traced, traced.following
        return result, self

    def fetchone(self, fetch: Callable[[], Any]) -> Any:
        """Read the next row."""
        reading = self._reading
        if reading is None:
            return fetch()
        try:
            row = fetch()
        except StopIteration:
            reading.read(0, is_end=True)
            raise
        except BaseException as error:
            reading.failed(error)
            raise
        reading.read(int(row is not None), is_end=row is None)
        return row

    def fetchmany(self, fetch: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Read the next rows."""
        return self._fetch(partial(fetch, *args, **kwargs), is_last=False)

    def fetchall(self, fetch: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Read the rows that are left."""
        return self._fetch(partial(fetch, *args, **kwargs), is_last=True)

    def _fetch(self, fetch: Callable[[], Any], *, is_last: bool) -> Any:
        reading = self._reading
        if reading is None:
            return fetch()
        try:
            fetched = fetch()
        except BaseException as error:
            reading.failed(error)
            raise
        rows = fetched if isinstance(fetched, list | tuple) else ()
        reading.read(len(rows), is_end=is_last or not rows)
        return fetched

    def close(self, close: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Close it; what was not read never will be."""
        self.stop()
        return close(*args, **kwargs)

    def stop(self) -> None:
        """End the execution whose rows are still read."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.stop()


_FOLLOWED: Final = frozenset(
    {"close", "cursor", "execute", "executemany", "fetchall", "fetchmany", "fetchone"}
)


class Traced(Proxy):
    """A connection or a cursor whose statements are recorded; with some drivers it is both."""

    def __init__(self, wrapped: object, statements: Statements) -> None:
        super().__init__(wrapped)
        self._self_following = Following(wrapped, statements)

    @property
    def following(self) -> Following:
        """What follows its methods."""
        following: Following = self._self_following
        return following

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if name not in _FOLLOWED:
            return value
        return partial(self._self_run, getattr(self._self_following, name), value)

    def _self_run(self, follow: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._self_or(follow(*args, **kwargs))

    def _self_or(self, result: Any) -> Any:
        """Return this proxy in the place of what it stands for."""
        return self if result is self.__wrapped__ else result

    def __iter__(self) -> Iterator[Any]:
        rows = iter(self.__wrapped__)
        return cast("Iterator[Any]", self) if rows is self.__wrapped__ else rows

    def __next__(self) -> Any:
        return self._self_following.fetchone(self.__wrapped__.__next__)

    def __enter__(self) -> Any:
        return self._self_or(self.__wrapped__.__enter__())

    def __exit__(self, *exception: object) -> Any:
        self._self_following.stop()
        return self.__wrapped__.__exit__(*exception)
