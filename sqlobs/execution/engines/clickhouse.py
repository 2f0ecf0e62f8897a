"""ClickHouse over HTTP: limits as settings of each query, which has an id to cancel it by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import sqlglot
from sqlglot import exp

from sqlobs.execution.engines.warehouse import (
    WarehouseEngine,
    dialect_of_system,
    survivors_of,
)
from sqlobs.execution.failure import EngineError
from sqlobs.execution.target import ANALYSIS_S

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.execution.messages import Backend
    from sqlobs.execution.target import Limits, Target

_KNOWN_FUNCTION: Final = """
SELECT count() FROM (
  SELECT name, case_insensitive, is_aggregate FROM system.functions
  UNION ALL SELECT name, 1, 0 FROM system.table_functions
) WHERE name = {name:String}
  OR case_insensitive AND lower(name) = lower({name:String})
  OR is_aggregate AND startsWith({name:String}, name)
    AND match(substring({name:String}, length(name) + 1), concat('^(', (
      SELECT arrayStringConcat(groupArray(name), '|') FROM system.aggregate_function_combinators
    ), ')+$'))
"""
"""An aggregate function may have combinators, as in `sumIfOrNull`."""
_UNKNOWN_TO_PARSER: Final = (exp.Anonymous, exp.AnonymousAggFunc)
_OPERATIONAL: Final = {
    158: "efficiency.cost",  # TOO_MANY_ROWS
    307: "efficiency.cost",  # TOO_MANY_BYTES
    159: "execution.timeout",  # TIMEOUT_EXCEEDED
    160: "execution.timeout",  # TOO_SLOW
    241: "execution.timeout",  # MEMORY_LIMIT_EXCEEDED
    394: "execution.timeout",  # QUERY_WAS_CANCELLED
    497: "execution.permission",  # ACCESS_DENIED
}
_UNAVAILABLE: Final = frozenset({202, 209, 210, 279, 516})
"""TOO_MANY_SIMULTANEOUS_QUERIES, SOCKET_TIMEOUT, NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED,
AUTHENTICATION_FAILED."""
_TRAILER: Final = re.compile(r" \((?:version|for url) .*", re.DOTALL)
"""As in `Unknown table 'x'. (UNKNOWN_TABLE) (version 26.9.2.1) (for url http://…)`."""
_LONGEST_S: Final = 5


class _UnknownFunctionError(Exception):
    """A function that the server does not list."""


class ClickHouseEngine(WarehouseEngine):
    """ClickHouse. Settings of the session are sent with each query: HTTP has no transactions."""

    def backend(self) -> str:
        """Return the id of the next query."""
        self._query_id = f"sqlobs-{uuid4().hex}"
        return self._query_id

    def run(self, cursor: Any, sql: str, limits: Limits) -> None:
        """Run it with the server's limits of time, rows and bytes."""
        cursor.execute(sql, settings=self._settings(limits), pyformat_encoded=False)

    def bytes_read(self, cursor: Any) -> int | None:
        """Return the bytes that the server has read, uncompressed."""
        read = (cursor.summary[-1] if cursor.summary else {}).get("read_bytes")
        return None if read is None else int(read)

    def prepare(self, sql: str) -> None:
        """Have the server parse the text, and look up its functions.

        Only that: other kinds of EXPLAIN run scalar subqueries: `(SELECT * FROM url(…))`.
        """
        limits = {"max_execution_time": ANALYSIS_S}
        ask = self.raw.client.query
        ask(f"EXPLAIN AST {sql}", settings=limits)
        tree = sqlglot.parse_one(sql, read=self.target.dialect)
        for name in dict.fromkeys(call.name for call in tree.find_all(*_UNKNOWN_TO_PARSER)):
            found = ask(_KNOWN_FUNCTION, parameters={"name": name}, settings=limits)
            if not found.result_rows[0][0]:
                raise _UnknownFunctionError(name)

    def error_of(self, error: Exception) -> EngineError | None:
        """Return the error by its number; None without one: it is the network's."""
        if isinstance(error, _UnknownFunctionError):
            message = f"Function with name `{error}` does not exist"
            return EngineError(name="46", code="syntax.dialect_mismatch", message=message)
        code: int | None = getattr(error, "code", None)
        if code is None or code in _UNAVAILABLE:
            return None
        message = _TRAILER.sub("", str(error).rpartition("DB::Exception: ")[2])
        meanings = {**dialect_of_system(self.target).error_codes, **_OPERATIONAL}
        return EngineError(
            name=str(code), code=meanings.get(code, "execution.engine_error"), message=message
        )

    def _settings(self, limits: Limits) -> dict[str, object]:
        """Return the settings of one query; our limits are the last word."""
        found: dict[str, object] = {**self.target.access.settings, **self.session}
        found |= {
            "query_id": self._query_id,
            "max_execution_time": limits.timeout_s,
            "cancel_http_readonly_queries_on_client_close": 1,
            "readonly": 2,
            "max_result_rows": limits.max_rows + 1,
            "result_overflow_mode": "break",
        }
        if self.target.access.cost.max_bytes is not None:
            found["max_bytes_to_read"] = self.target.access.cost.max_bytes
            found["read_overflow_mode"] = "throw"
        return found


def surviving_backends(target: Target, backends: Sequence[Backend]) -> tuple[Backend, ...]:
    """Kill queries by their ids; return those that the server still runs.

    Raises:
        TargetUnavailableError: The server cannot be asked.
    """
    return survivors_of(target, backends, _kill)


def _kill(connection: Any, query_id: Backend) -> None:
    parameters: Mapping[str, object] = {"id": str(query_id)}
    ask = connection.client.query
    ask(
        "KILL QUERY WHERE query_id = {id:String} SYNC",
        parameters,
        {"max_execution_time": _LONGEST_S},
    )
    count = "SELECT count() FROM system.processes WHERE query_id = {id:String}"
    if ask(count, parameters).result_rows[0][0]:
        raise TimeoutError(query_id)
