"""The copy of a database as a task's process uses it: run a statement, in time, with its rows."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Final, Protocol

from sqlobs.types import ResultTable

if TYPE_CHECKING:
    import psycopg

_STEPS: Final = 10_000
"""Steps of SQLite's machine between two looks at the clock."""


class OvertimeError(Exception):
    """A statement reached its time limit."""


class CopiedDatabase(Protocol):
    """A connection to a copy."""

    dialect: str

    @property
    def connection(self) -> object:
        """What test cases get as `conn`."""
        ...

    def run(self, sql: str) -> ResultTable | None:
        """Run a statement and commit; None if it returns no rows.

        Raises:
            OvertimeError: it took too long.
        """
        ...

    def cost(self, sql: str) -> float:
        """Return the planner's estimate of a statement's cost, without running it."""
        ...


class SqliteCopy:
    """A copied SQLite file; no other file can be attached."""

    dialect = "sqlite"

    def __init__(self, path: str, *, timeout_s: float, max_rows: int) -> None:
        self.connection = sqlite3.connect(path)
        self.connection.set_authorizer(_without_attaching)
        self._timeout_s = timeout_s
        self._max_rows = max_rows

    def run(self, sql: str) -> ResultTable | None:
        """Run one or several statements; the last one's rows are returned."""
        end = time.monotonic() + self._timeout_s
        self.connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        try:
            found = None
            for statement in _statements(sql):
                found = self._rows(statement)
            self.connection.commit()
        except sqlite3.OperationalError as error:
            self.connection.rollback()
            if "interrupted" in str(error):
                raise OvertimeError from None
            raise
        except sqlite3.Error:
            self.connection.rollback()
            raise
        return found

    def cost(self, sql: str) -> float:
        """Return 1: SQLite tells no costs, so that the number of statements counts."""
        self.connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
        return 1.0

    def _rows(self, sql: str) -> ResultTable | None:
        cursor = self.connection.execute(sql)
        if cursor.description is None:
            return None
        names = tuple(column[0] for column in cursor.description)
        return ResultTable(names, tuple(cursor.fetchmany(self._max_rows)))


class PostgresCopy:
    """A copied PostgreSQL database."""

    dialect = "postgres"

    def __init__(self, dsn: str, *, timeout_s: float, max_rows: int) -> None:
        import psycopg

        limit = f"-c statement_timeout={int(timeout_s * 1000)}"
        self.connection: psycopg.Connection = psycopg.connect(dsn, options=limit)
        self._max_rows = max_rows

    def run(self, sql: str) -> ResultTable | None:
        """Run one or several statements; the first one's rows are returned."""
        import psycopg

        try:
            cursor = self.connection.execute(sql.encode())
            rows = cursor.fetchmany(self._max_rows) if cursor.description else None
            self.connection.commit()
        except psycopg.errors.QueryCanceled:
            self.connection.rollback()
            raise OvertimeError from None
        except psycopg.Error:
            self.connection.rollback()
            raise
        names = tuple(column.name for column in cursor.description or ())
        return None if rows is None else ResultTable(names, tuple(rows))

    def cost(self, sql: str) -> float:
        """Return the total cost of the plan."""
        plan = self.connection.execute(f"EXPLAIN (FORMAT JSON) {sql}".encode()).fetchone()
        return float(plan[0][0]["Plan"]["Total Cost"]) if plan else 0.0


def _statements(text: str) -> list[str]:
    """Part a text at the semicolons that end a statement; those of a trigger's body do not."""
    found, held = [], ""
    for part in text.split(";"):
        held += f"{part};"
        if sqlite3.complete_statement(held):
            found.append(held)
            held = ""
    return [sql for sql in [*found, held] if sql.strip("; \n\t")]


def _without_attaching(action: int, *_: object) -> int:
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK
