"""The verdict of the user's own database: a statement is prepared there, never run.

    report = check_sql(sql, schema=schema, native=live_engine("postgresql://reader@db/shop"))

PostgreSQL is sent the Parse message of its protocol, MySQL and MariaDB a PREPARE: both resolve
every name and type. What even that would run (a stored function whose value decides a type, the
check of a domain on a literal) is not prepared, and there is no verdict then.
"""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import parse_qs, unquote, urlsplit
from weakref import WeakSet

from sqlobs.check.report.model import NativeVerdict
from sqlobs.dialects.mariadb import server_name
from sqlobs.dialects.mysql import ERROR_CODES
from sqlobs.dialects.registry import by_scheme
from sqlobs.errors import ConfigError
from sqlobs.failure_codes import SQLSTATE_CODES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

_QUERY: Final = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*(?:SELECT|WITH|VALUES|TABLE)\b",
    re.IGNORECASE | re.DOTALL,
)
"""How a query begins; nothing else is prepared."""
_NAMED: Final = re.compile(
    r"(?:column|relation|type|table|function|reference|alias) [\"']?([\w.$ ]+?)[\"']?"
    r"(?:\(.*?\))? (?:does not|doesn't|is ambiguous|must appear|in field list|in )"
    r"|missing FROM-clause entry for table \"(.+?)\"|'([^']+)'",
    re.IGNORECASE,
)
_CONNECT_S: Final = 5
_ANSWER_S: Final = 5

_REPLICATION_PREFIX: Final = "5.5.5-"
"""What MariaDB puts before its version, so that old replicas of MySQL talk to it."""


class _Server(Protocol):
    """One kind of server."""

    def prepare(self, sql: str) -> NativeVerdict | None:
        """Prepare a query; None if the server does not say."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class LiveEngine:
    """The user's own database: prepares statements off the request path, connects on first use."""

    is_quick = False

    def __init__(self, server: type[_Postgres | _MySql], url: str) -> None:
        """Take the kind of server and its address; `live_engine` finds the kind by itself."""
        self._kind = server
        self._url = url
        self._lock = threading.Lock()  # guards the connection: it answers one question at a time
        self._server: _Server | None = None
        _ENGINES.add(self)

    def verdict(self, sql: str) -> NativeVerdict | None:
        """Return the verdict; None if the server is unreachable or the text is not a query."""
        if not _QUERY.match(sql) or "\0" in sql:
            return None
        with self._lock:
            for _ in range(2):  # the connection may have gone since the last question
                try:
                    self._server = self._server or self._kind(self._url)
                    return self._server.prepare(sql)
                except ConnectionError:
                    self._drop()
        return None

    def forget(self) -> None:
        """Have no connection, without closing one: in a forked child it is the parent's."""
        self._lock = threading.Lock()
        self._server = None

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()


_ENGINES: WeakSet[LiveEngine] = WeakSet()


def _after_fork() -> None:
    for engine in list(_ENGINES):
        engine.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def live_engine(url: str) -> LiveEngine:
    """Return the engine of a database.

    Args:
        url: `postgresql://…` or `mysql://…`; a role that may only read is enough.

    Raises:
        ConfigError: It is the address of neither.
    """
    scheme = urlsplit(url).scheme.partition("+")[0]
    dialect = by_scheme(scheme)
    server = None if dialect is None else _SERVERS.get(dialect.grammar)
    if server is not None:
        return LiveEngine(server, url)
    raise ConfigError(
        "a live engine must be PostgreSQL or MySQL; write postgresql://… or mysql://…"
    )


class _Postgres:
    def __init__(self, url: str) -> None:
        import psycopg

        from sqlobs.execution.engines.postgres_calls import Strangers
        from sqlobs.execution.engines.postgres_catalog import CHECKS

        options = f"-c default_transaction_read_only=on -c statement_timeout={_ANSWER_S}s"
        try:
            self._connection: psycopg.Connection[Any] = psycopg.connect(
                re.sub(r"^postgres(?:ql)?(?:\+\w+)?://", "postgresql://", url),
                autocommit=True,
                connect_timeout=_CONNECT_S,
                options=options,
            )
        except psycopg.Error as error:
            raise ConnectionError("the database cannot be reached") from error
        self._engine = f"postgres {self._connection.info.server_version // 10000}"
        self._checks = Strangers(self._connection, frozenset()).question(CHECKS)

    def prepare(self, sql: str) -> NativeVerdict | None:
        from psycopg import Error
        from psycopg.errors import DivisionByZero
        from psycopg.pq import DiagnosticField, ExecStatus

        try:
            checks = self._connection.pgconn.exec_(self._checks)
            if checks.status != ExecStatus.TUPLES_OK:
                if _text(checks.error_field(DiagnosticField.SQLSTATE)) == DivisionByZero.sqlstate:
                    return None
                raise ConnectionError("the connection is closed")
            # Parse alone: of several statements the protocol refuses all
            result = self._connection.pgconn.prepare(b"", sql.encode())
        except Error as error:
            raise ConnectionError("the connection is closed") from error
        if result.status == ExecStatus.COMMAND_OK:
            return NativeVerdict(self._engine)
        state = _text(result.error_field(DiagnosticField.SQLSTATE))
        message = _text(result.error_field(DiagnosticField.MESSAGE_PRIMARY))
        if not state or state.startswith(("08", "57P")):
            raise ConnectionError("the connection is closed")
        return self._refused(state, message)

    def _refused(self, state: str, message: str) -> NativeVerdict | None:
        code = SQLSTATE_CODES.get(state)
        if code is None or code.startswith("execution."):
            return None
        name = _name_in(message)
        if state == "42883":
            code = self._of_function(name)
        return _refusal(self._engine, code, name)

    def _of_function(self, name: str | None) -> str:
        """A function of this name for other types exists, or none at all; an operator has none."""
        found = self._connection.execute(
            "SELECT 1 FROM pg_catalog.pg_proc WHERE proname = %s LIMIT 1", (name or "",)
        ).fetchone()
        is_known = name is None or found is not None
        return "schema.type_mismatch" if is_known else "syntax.dialect_mismatch"

    def close(self) -> None:
        self._connection.close()


class _MySql:
    def __init__(self, url: str) -> None:
        import pymysql

        from sqlobs.execution.engines.mysql_routines import Routines

        parts = urlsplit(url)
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        try:
            self._connection = pymysql.connect(
                host=parts.hostname or "localhost",
                port=parts.port or 3306,
                user=unquote(parts.username or ""),
                password=unquote(parts.password or ""),
                database=unquote(parts.path.lstrip("/")) or None,
                unix_socket=options.get("unix_socket"),
                charset="utf8mb4",
                autocommit=True,
                connect_timeout=_CONNECT_S,
                read_timeout=_ANSWER_S,
                local_infile=False,
                init_command="SET SESSION TRANSACTION READ ONLY",
            )
        except (pymysql.Error, OSError) as error:
            raise ConnectionError("the database cannot be reached") from error
        version = self._connection.get_server_info()  # type: ignore[no-untyped-call]  # so its stubs
        name = server_name(version)
        self._engine = f"{name} {version.removeprefix(_REPLICATION_PREFIX)}"
        self._routines = Routines(self._ask, frozenset())

    def prepare(self, sql: str) -> NativeVerdict | None:
        import pymysql

        try:
            if self._routines.may_run(sql):
                return None
            with self._connection.cursor() as cursor:
                cursor.execute("PREPARE sqlobs_check FROM %s", (sql,))
                cursor.execute("DEALLOCATE PREPARE sqlobs_check")
        except (pymysql.InterfaceError, OSError) as error:
            raise ConnectionError("the connection is closed") from error
        except pymysql.Error as error:
            number = error.args[0] if error.args else None
            if number in {2006, 2013, 1053, 1927}:
                raise ConnectionError("the connection is closed") from error
            code = ERROR_CODES.get(number) if isinstance(number, int) else None
            return None if code is None else _refusal(self._engine, code, _name_in(error.args[-1]))
        return NativeVerdict(self._engine)

    def _ask(self, question: str, values: Sequence[object]) -> Sequence[Sequence[Any]]:
        with self._connection.cursor() as cursor:
            cursor.execute(question, values)
            rows: Sequence[Sequence[Any]] = cursor.fetchall()
            return rows

    def close(self) -> None:
        import pymysql

        try:
            self._connection.close()
        except pymysql.Error:
            return


_SERVERS: Final[dict[str, type[_Postgres | _MySql]]] = {"postgres": _Postgres, "mysql": _MySql}


def _refusal(engine: str, code: str, name: str | None) -> NativeVerdict:
    """Tell an error in our own words: the server's quote values."""
    about = name if name is not None and code.startswith(("schema.", "syntax.dialect")) else None
    sentence = f"The database rejects {about}." if about else "The database rejects the statement."
    return NativeVerdict(engine, code, about, sentence)


def _name_in(message: str) -> str | None:
    """Return the name that an error is about, without its qualifier."""
    found = _NAMED.search(message)
    if found is None:
        return None
    name = next(part for part in found.groups() if part)
    return name.rpartition(".")[2].strip() or None


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")
