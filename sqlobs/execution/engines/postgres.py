"""Execute on PostgreSQL: a read-only snapshot, a cursor, the server's own limits, a harmless role.

`DECLARE … CURSOR` over the extended protocol takes one query and nothing else: no second statement,
no utility command, no data-modifying WITH. Whatever a function may have left is rolled back.
"""

from __future__ import annotations

import re
from contextlib import suppress
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Final, LiteralString

import psycopg
from psycopg import errors, pq
from psycopg import sql as composed

from sqlobs.execution.engines import TargetLostError, TargetUnavailableError
from sqlobs.execution.engines.fetching import drain
from sqlobs.execution.engines.postgres_cells import register_loaders
from sqlobs.execution.failure import sqlstate_code, without_values
from sqlobs.execution.messages import Failed, Finished, Stopped, Unavailable
from sqlobs.failure_codes import fails_engine_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.execution.engines import Emit
    from sqlobs.execution.gate import Admission
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Row

_CONNECT_S: Final = 5
_DECLARE: Final = b"DECLARE sqlobs NO SCROLL CURSOR FOR "
_DANGEROUS_ROLES: Final = [
    "pg_execute_server_program",
    "pg_read_server_files",
    "pg_signal_backend",
    "pg_write_all_data",
    "pg_write_server_files",
]
_READER: Final = "pg_read_all_data"
_READER_SINCE: Final = 140_000

_ROLE: Final[LiteralString] = """
    SELECT rolsuper, rolsuper OR rolcreaterole OR rolreplication,
           ARRAY(SELECT rolname FROM pg_catalog.pg_roles
                 WHERE rolname = ANY(%s) AND pg_catalog.pg_has_role(oid, 'USAGE')),
           pg_catalog.current_schemas(false)
    FROM pg_catalog.pg_roles WHERE rolname = current_user
"""
_USER_FUNCTIONS: Final[LiteralString] = """
    SELECT o.oprname
    FROM pg_catalog.pg_operator o
    WHERE o.oprname = ANY(%(words)s)
      AND o.oprnamespace <> 'pg_catalog'::pg_catalog.regnamespace
      AND pg_catalog.pg_operator_is_visible(o.oid)
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                      WHERE d.classid = 'pg_catalog.pg_operator'::pg_catalog.regclass
                        AND d.objid = o.oid AND d.deptype = 'e')
    UNION ALL
    SELECT p.proname
    FROM pg_catalog.pg_proc p
    WHERE (p.proname = ANY(%(calls)s)
           OR p.proname = ANY(%(words)s) AND p.pronargs = 1
              AND EXISTS (SELECT FROM pg_catalog.pg_type t
                          WHERE t.oid = p.proargtypes[0] AND t.typtype = 'c'))
      AND p.pronamespace <> 'pg_catalog'::pg_catalog.regnamespace
      AND pg_catalog.pg_function_is_visible(p.oid)
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                      WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
                        AND d.objid = p.oid AND d.deptype = 'e')
    LIMIT 1
"""
"""Functions of the database's users that a statement would call: named like an allowed one, or
called as if they were a column (`orders.purge`), or as an operator."""

_SETTINGS: Final = {
    "client_min_messages": "error",
    "cursor_tuple_fraction": "1.0",
    "idle_in_transaction_session_timeout": "5min",
    "intervalstyle": "postgres",
    "jit": "off",
    "lock_timeout": "1s",
    "max_parallel_workers_per_gather": "0",
    "standard_conforming_strings": "on",
    "work_mem": "16MB",
}
_TEMP_FILE_LIMIT: Final = "256MB"
_NO_ANSWER: Final = ("08", "55P03", "57P", "25P0", "58", "XX")
"""SQLSTATEs by their beginning that speak of the server, not of the statement."""


_NAME: Final = re.compile(r'(?:\w+\s*\.\s*)?(?P<name>[A-Za-z_]\w*|"[^"]+")\s*\(')


class PostgresEngine:
    """A PostgreSQL database, connected with a role that may do little."""

    def __init__(self, target: Target) -> None:
        self._allowed = target.policy.functions
        try:
            self._connection = psycopg.connect(
                target.dsn,
                autocommit=True,
                connect_timeout=_CONNECT_S,
                application_name="sqlobs",
                prepare_threshold=None,
            )
        except (psycopg.Error, ValueError) as error:
            raise TargetUnavailableError(_connect_message(error)) from error
        try:
            self._opening = self._prepare_opening()
        except psycopg.Error as error:
            self._connection.close()
            raise TargetUnavailableError("the server does not answer our questions") from error
        except TargetUnavailableError:
            self._connection.close()
            raise

    def begin(self, session: Mapping[str, str]) -> None:
        """Start a repeatable-read, read-only transaction and bind the session's settings."""
        try:
            self._connection.execute(self._opening)
            for name, value in session.items():
                self._connection.execute(
                    "SELECT pg_catalog.set_config(%s, %s, true)", (name, value)
                )
        except psycopg.Error as error:
            if self._connection.closed:
                raise TargetLostError("the connection is closed") from error
            raise TargetUnavailableError("a session setting cannot be bound") from error

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Stopped | Unavailable:
        """Run the statement behind a cursor, in a savepoint of its own."""
        started, deadline = perf_counter(), monotonic() + limits.timeout_s
        try:
            self._allow(limits.timeout_s, savepoint=True)
            name = self._user_function(admission)
            if name is not None:
                return Stopped("function_not_allowed", name)
            started = perf_counter()
            self._declare(admission.text)
            declared_s = perf_counter() - started
            with self._connection.cursor() as cursor:
                fetch = _Fetch(self, cursor, deadline)
                is_truncated, fetched_s = drain(fetch, limits=limits, emit=emit)
                columns = tuple(column.name for column in cursor.description or ())
            return Finished(columns, is_truncated, declared_s + fetched_s)
        except (psycopg.Error, MemoryError, ValueError) as error:
            return self._failure(error, admission.text, elapsed_s=perf_counter() - started)
        finally:
            self._undo()

    def diagnose(self, sql: str) -> Failed | None:
        """Have the server parse and analyse the text as a prepared statement; nothing runs."""
        try:
            text = sql.encode()
            self._allow(_CONNECT_S, savepoint=True)
            self._checked(self._connection.pgconn.prepare(b"", text))
        except psycopg.Error as error:
            failure = self._failure(error, sql, elapsed_s=0.0)
            return failure if isinstance(failure, Failed) and failure.is_fault else None
        except UnicodeEncodeError:
            return None
        finally:
            self._undo()
        return None

    def end(self) -> None:
        """Roll back, and forget locks, settings and temporary objects of the session."""
        with suppress(psycopg.Error):
            self._connection.execute("ROLLBACK")
            self._connection.execute("DISCARD ALL")

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def allow_until(self, deadline: float) -> None:
        """Let what follows take no longer than until the deadline."""
        self._allow(max(deadline - monotonic(), 0.001))

    def _prepare_opening(self) -> str:
        """Return the statements that begin a transaction; refuse a role that may do too much."""
        register_loaders(self._connection)
        row = self._connection.execute(_ROLE, (_DANGEROUS_ROLES,)).fetchone()
        if row is None:
            raise TargetUnavailableError("the role is not in pg_roles")
        is_superuser, is_mighty, dangerous, schemas = row
        settings = self._settings(is_superuser=is_superuser)
        path = ["pg_catalog", *(name for name in schemas if name != "pg_catalog"), "pg_temp"]
        settings["search_path"] = path
        return self._opening_of(settings, role=self._role(is_superuser, is_mighty, dangerous))

    def _settings(self, *, is_superuser: bool) -> dict[str, str | list[str]]:
        settings: dict[str, str | list[str]] = dict(_SETTINGS)
        if self._connection.info.server_version >= _READER_SINCE:
            settings["client_connection_check_interval"] = "1s"
        if is_superuser:
            settings["temp_file_limit"] = _TEMP_FILE_LIMIT
        return settings

    def _role(self, is_superuser: bool, is_mighty: bool, dangerous: list[str]) -> str | None:  # noqa: FBT001 - a row
        """Return the role to step down to; a superuser may become any."""
        if is_superuser and self._connection.info.server_version >= _READER_SINCE:
            return _READER
        if is_mighty or dangerous:
            excess = ", ".join(dangerous) or "SUPERUSER, CREATEROLE or REPLICATION"
            raise TargetUnavailableError(
                f"the role may do too much ({excess}); give the target a role with SELECT only"
            )
        return None

    def _opening_of(self, settings: Mapping[str, str | list[str]], *, role: str | None) -> str:
        statements: list[composed.Composable] = [
            composed.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        ]
        for name, value in settings.items():
            values = [value] if isinstance(value, str) else value
            listed = composed.SQL(", ").join(map(composed.Literal, values))
            statements.append(
                composed.SQL("SET LOCAL {} = {}").format(composed.Identifier(name), listed)
            )
        if role is not None:
            statements.append(composed.SQL("SET LOCAL ROLE {}").format(composed.Identifier(role)))
        return composed.SQL("; ").join(statements).as_string(self._connection)

    def _allow(self, seconds: float, *, savepoint: bool = False) -> None:
        milliseconds = max(1, round(seconds * 1000))
        prefix = "SAVEPOINT sqlobs; " if savepoint else ""
        self._simple(f"{prefix}SET LOCAL statement_timeout = {milliseconds}")

    def _simple(self, statements: str) -> None:
        self._checked(self._connection.pgconn.exec_(statements.encode()))

    def _undo(self) -> None:
        with suppress(psycopg.Error):
            self._simple("ROLLBACK TO SAVEPOINT sqlobs")

    def _declare(self, text: str) -> None:
        self._checked(self._connection.pgconn.exec_params(_DECLARE + text.encode(), None))

    def _checked(self, answer: pq.abc.PGresult) -> None:
        if answer.status not in {pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK}:
            raise errors.error_from_result(answer, "utf-8")

    def _user_function(self, admission: Admission) -> str | None:
        names = {
            "calls": list(admission.calls - self._allowed),
            "words": list(admission.words - self._allowed),
        }
        row = self._connection.execute(_USER_FUNCTIONS, names).fetchone()
        return None if row is None else str(row[0])

    def _failure(self, error: Exception, sql: str, *, elapsed_s: float) -> Failed | Unavailable:
        sqlstate = getattr(error, "sqlstate", None)
        if isinstance(error, MemoryError) or "out of memory" in str(error):
            return _exhausted(sqlstate, elapsed_s=elapsed_s)
        if self._connection.closed or (sqlstate and sqlstate.startswith(_NO_ANSWER)):
            return Unavailable(f"the server ended the conversation ({sqlstate or 'closed'})")
        if sqlstate is None:
            return _unreadable(elapsed_s=elapsed_s)
        return Failed(
            status="timeout" if sqlstate == "57014" else "error",
            message=without_values(_primary(error)),
            engine_class=sqlstate,
            sqlstate=sqlstate,
            failure_code=self._code(sqlstate, error, sql),
            is_fault=fails_engine_label(sqlstate),
            elapsed_s=elapsed_s,
        )

    def _code(self, sqlstate: str, error: Exception, sql: str) -> str:
        """Return the code; 42883 is a wrong type where a function of that name exists."""
        if sqlstate != "42883":
            return sqlstate_code(sqlstate)
        name = _name_at(_position(error), sql)
        if not name:  # an operator
            return "schema.type_mismatch"
        self._undo()
        row = None
        with suppress(psycopg.Error):
            row = self._connection.execute(
                "SELECT FROM pg_catalog.pg_proc WHERE proname = %s LIMIT 1", (name,)
            ).fetchone()
        return "syntax.dialect_mismatch" if row is None else "schema.type_mismatch"


class _Fetch:
    """Fetches the next rows of the cursor; all fetches together end at the deadline."""

    def __init__(
        self, engine: PostgresEngine, cursor: psycopg.Cursor[Row], deadline: float
    ) -> None:
        self._engine, self._cursor, self._deadline = engine, cursor, deadline
        self._is_first = True

    def __call__(self, count: int) -> list[Row]:
        if not self._is_first:
            self._engine.allow_until(self._deadline)
        self._is_first = False
        self._cursor.execute(f"FETCH FORWARD {count} FROM sqlobs".encode())
        return self._cursor.fetchall()


def _exhausted(sqlstate: str | None, *, elapsed_s: float) -> Failed:
    return Failed(
        status="error",
        message="out of memory",
        engine_class=sqlstate or "53200",
        sqlstate=sqlstate,
        failure_code="execution.timeout",
        is_exhausted=sqlstate is None,
        elapsed_s=elapsed_s,
    )


def _unreadable(*, elapsed_s: float) -> Failed:
    return Failed(
        status="error",
        message="a value of the result cannot be read",
        engine_class="client",
        failure_code="execution.engine_error",
        elapsed_s=elapsed_s,
    )


def _primary(error: Exception) -> str:
    diagnostic: Any = getattr(error, "diag", None)
    return str(getattr(diagnostic, "message_primary", None) or error)


def _position(error: Exception) -> int:
    """Return where in the statement the error is, from 0; -1 where it is not said."""
    diagnostic: Any = getattr(error, "diag", None)
    position = getattr(diagnostic, "statement_position", None)
    return int(position) - 1 if position else -1


def _name_at(position: int, sql: str) -> str:
    """Return the last part of the name that starts at a position, lower case; "" for no name."""
    for offset in (position - len(_DECLARE), position):
        found = _NAME.match(sql, offset) if offset >= 0 else None
        if found:
            name = found["name"].strip('"').lower()
            return "" if name == "operator" else name
    return ""


def _connect_message(error: Exception) -> str:
    """Say why there is no connection, without host, user or password."""
    sqlstate = getattr(error, "sqlstate", None)
    if isinstance(error, psycopg.OperationalError) and not sqlstate:
        return "the server cannot be reached or refuses the login"
    return f"the connection failed ({sqlstate or type(error).__name__})"
