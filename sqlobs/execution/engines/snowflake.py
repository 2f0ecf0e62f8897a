"""Snowflake: limits as parameters of the session, whose queries another session can cancel."""

from __future__ import annotations

import json
import math
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from sqlobs.execution.engines.warehouse import WarehouseEngine, dialect_of_system, survivors_of
from sqlobs.execution.failure import EngineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.messages import Backend
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Row

_OPERATIONAL: Final = {
    604: "execution.timeout",  # SQL execution canceled
    630: "execution.timeout",  # Statement reached its statement or warehouse timeout
    3001: "execution.permission",  # Insufficient privileges to operate on table 'ORDERS'
}
_NO_WAREHOUSE: Final = frozenset({603, 606, 90073})
"""Internal errors, no active warehouse, and the quota of a resource monitor."""
_CLIENT: Final = 200_000
"""Numbers from here on are the driver's, or about logging in: 250001, 390114."""
_AT_COMPILATION: Final = re.compile(r"SYSTEM\$", re.IGNORECASE)
"""Compilation may call `SYSTEM$CANCEL_QUERY('…')`, as its arguments are constants."""
_PLAIN: Final = re.compile(r"\d+|true|false", re.IGNORECASE)


class SnowflakeEngine(WarehouseEngine):
    """Snowflake. It has no read-only transactions: the role must have `SELECT` only."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._timeout_s = 0
        parameters = {
            "QUERY_TAG": "sqlobs",
            **target.access.settings,
            "ABORT_DETACHED_QUERY": "TRUE",
            "MULTI_STATEMENT_COUNT": "1",
        }
        self._set(**parameters)

    def backend(self) -> int:
        """Return the session: it runs one query at a time."""
        return int(self.raw.session_id)

    def estimate(self, sql: str, limits: Limits) -> int | None:  # noqa: ARG002 - the signature
        """Return the bytes of the partitions that the plan reads, where bytes are limited."""
        costs = self.target.access.cost
        if costs.max_bytes is None and costs.daily_bytes is None:
            return None
        [[plan]] = self._ask(f"EXPLAIN USING JSON {sql}")
        return int(json.loads(str(plan))["GlobalStats"]["bytesAssigned"])

    def run(self, cursor: Any, sql: str, limits: Limits) -> None:
        """Run it in the time allowed, which Snowflake counts in whole seconds."""
        timeout_s = math.ceil(limits.timeout_s)
        if timeout_s != self._timeout_s:
            self._set(STATEMENT_TIMEOUT_IN_SECONDS=str(timeout_s))
            self._timeout_s = timeout_s
        cursor.execute(sql)

    def prepare(self, sql: str) -> None:
        """Have Snowflake compile a text; no warehouse runs for that."""
        if not _AT_COMPILATION.search(sql):
            self._ask(f"EXPLAIN USING JSON {sql}")

    def error_of(self, error: Exception) -> EngineError | None:
        """Return the error by its number; None for those of the driver, and of the account."""
        number: int | None = getattr(error, "errno", None)
        if number is None or not 0 <= number < _CLIENT or number in _NO_WAREHOUSE:
            return None
        meanings = {**dialect_of_system(self.target).error_codes, **_OPERATIONAL}
        return EngineError(
            name=f"{number:06}",
            code=meanings.get(number, "execution.engine_error"),
            message=str(getattr(error, "raw_msg", None) or error),
        )

    def _set(self, **parameters: str) -> None:
        pairs = " ".join(f"{name} = {_literal(value)}" for name, value in parameters.items())
        self._ask(f"ALTER SESSION SET {pairs}")

    def _ask(self, sql: str) -> Sequence[Row]:
        return _ask(self.raw, sql)


def surviving_backends(target: Target, backends: Sequence[Backend]) -> tuple[Backend, ...]:
    """Cancel the queries of sessions; return those that Snowflake does not accept to cancel.

    Raises:
        TargetUnavailableError: Snowflake cannot be reached.
    """
    return survivors_of(target, backends, _cancel)


def _cancel(connection: Any, session: Backend) -> None:
    _ask(connection, f"SELECT SYSTEM$CANCEL_ALL_QUERIES({int(session)})")


def _ask(connection: Any, sql: str) -> Sequence[Row]:
    with closing(connection.cursor()) as cursor:
        cursor.execute(sql)
        rows: Sequence[Row] = cursor.fetchall()
        return rows


def _literal(value: str) -> str:
    """Return a parameter's value as Snowflake reads it: `30`, `TRUE`, `'Europe/Oslo'`."""
    if _PLAIN.fullmatch(value):
        return value
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
