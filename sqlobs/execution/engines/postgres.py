"""Execute on PostgreSQL: a read-only snapshot, a cursor, the server's own limits, a harmless role.

`DECLARE … CURSOR` over the extended protocol takes one query and nothing else: no second statement,
no utility command, no data-modifying WITH. Whatever a function may have left is rolled back.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import errors, pq
from psycopg.adapt import Transformer

from sqlobs.execution.engines import TargetLostError, TargetUnavailableError
from sqlobs.execution.engines import postgres_catalog as catalog
from sqlobs.execution.engines.fetching import drain, first_count
from sqlobs.execution.engines.postgres_calls import Strangers, UnclearError, array_of, searched
from sqlobs.execution.engines.postgres_cells import register_loaders
from sqlobs.execution.engines.postgres_failure import (
    about_rows,
    failure_of,
    is_trouble,
    missing_function,
)
from sqlobs.execution.engines.postgres_session import login_of, opening_of
from sqlobs.execution.messages import Failed, Finished, Stopped, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Row

_CONNECT_S: Final = 5
_ENDINGS: Final = 2
"""A statement's clock may run out on the rollback, too; what then does not end is hung up."""
_LEAST_MS: Final = 20
_SAVE: Final = "SAVEPOINT sqlobs"
_UNDO: Final = "ROLLBACK TO SAVEPOINT sqlobs"
_DECLARE: Final = b"DECLARE sqlobs NO SCROLL CURSOR FOR "
_SUSPECTS: Final = b"sqlobs_suspects"
_CHECKS: Final = b"sqlobs_checks"
_OLDEST: Final = 140_000
"""The first version with all that the questions about code of users ask for."""

_NAMED: Final = "SELECT FROM pg_catalog.pg_proc WHERE proname = %s LIMIT 1"


_LIMIT_EXCEEDED: Final = "53400"
"""Temporary files beyond the limit: the backend counts some of them on, so it is given up."""


class PostgresEngine:
    """A PostgreSQL database, connected with a role that may do little."""

    def __init__(self, target: Target) -> None:
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
            _require_known(self._connection)
            register_loaders(self._connection)
            allowed = frozenset(target.policy.allowed_functions or ())
            self._strangers = Strangers(self._connection, allowed)
            for name, question in ((_SUSPECTS, catalog.SUSPECTS), (_CHECKS, catalog.CHECKS)):
                text = self._strangers.question(question)
                _checked(self._connection.pgconn.prepare(name, text))
            login = login_of(self._connection, binds_session=bool(target.session))
            self.warnings = login.warnings
            self._opening = f"{opening_of(self._connection, login)}; {_SAVE}"
            self._snapshot = _Snapshot()
            self._backend = _backend_of(self._connection)
            self._transformer = Transformer.from_context(self._connection)
            self.encoding = self._connection.info.encoding
        except psycopg.Error as error:
            self._connection.close()
            raise TargetUnavailableError(
                "the server does not respond to catalog queries"
            ) from error
        except TargetUnavailableError:
            self._connection.close()
            raise

    def backend(self) -> int | None:
        """Return the number of our process, as the server itself calls it behind any pooler."""
        return self._backend

    def begin(self, session: Mapping[str, str]) -> None:
        """Start a repeatable-read, read-only transaction and bind the session's settings."""
        self._snapshot = _Snapshot()
        try:
            self._simple(self._opening)
            for name, value in session.items():
                self._connection.execute(
                    "SELECT pg_catalog.set_config(%s, %s, true)", (name, value)
                )
            if session:
                self._simple(f"RELEASE SAVEPOINT sqlobs; {_SAVE}")
        except psycopg.Error as error:
            if self._connection.closed:
                raise TargetLostError("the connection is closed") from error
            raise TargetUnavailableError("the snapshot cannot begin") from error

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Stopped | Unavailable:
        """Run the statement behind a cursor, in a savepoint of its own."""
        started = perf_counter()
        fetch = _Fetch(self, first_count(limits), monotonic() + limits.timeout_s)
        try:
            name = self._declare(admission, limits.timeout_s, fetch)
            if name is not None:
                return Stopped("function_not_allowed", name)
            declared_s = perf_counter() - started
            is_truncated, fetched_s = drain(fetch, limits=limits, emit=emit)
            return Finished(fetch.columns(), is_truncated, declared_s + fetched_s)
        except (psycopg.Error, MemoryError, RecursionError, ValueError) as error:
            failure = self._failure(error, admission.text, elapsed_s=perf_counter() - started)
            if fetch.has_begun and isinstance(failure, Failed) and failure.is_fault:
                return about_rows(failure)
            return failure

    def diagnose(self, sql: str) -> Failed | None:
        """Have the server parse and analyze the text as a prepared statement; nothing runs.

        Not where analysis would: a literal of a type whose check calls code of users.
        """
        try:
            self._simple(f"{_UNDO}; {_clock(_CONNECT_S)}")
            _checked(self._connection.pgconn.exec_prepared(_CHECKS, None))
            _checked(self._connection.pgconn.prepare(b"", sql.encode()))
        except psycopg.Error as error:
            failure = self._failure(error, sql, elapsed_s=0.0)
            return failure if isinstance(failure, Failed) and failure.is_fault else None
        except UnicodeEncodeError:
            return None
        return None

    def end(self) -> None:
        """Roll back, and give up locks: all else that a query may do ends with its transaction."""
        for _ in range(_ENDINGS):
            with suppress(psycopg.Error):
                self._simple("ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()")
                return
        self._connection.close()

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def allow_until(self, deadline: float) -> None:
        """Limit the following statements to the time until the deadline."""
        self._simple(_clock(max(deadline - monotonic(), 0.001)))

    def rows_of(self, fetched: pq.abc.PGresult) -> list[Row]:
        """Return the rows of an answer, as a cursor of the driver would."""
        self._transformer.set_pgresult(fetched)
        return self._transformer.load_rows(0, fetched.ntuples, tuple)

    def fetched(self, command: bytes) -> pq.abc.PGresult:
        """Return the answer to a FETCH."""
        return _checked(self._connection.pgconn.exec_params(command, None))

    def _declare(self, admission: Admission, seconds: float, fetch: _Fetch) -> str | None:
        """Undo what came before, start the clock, declare the cursor and fetch, all in one trip.

        Returns:
            The code of users that the statement would run; there is no cursor then.
        """
        declaration = _DECLARE + admission.text.encode()
        words = _searched(admission.words) - self._snapshot.harmless
        try:
            self._send(declaration, seconds, words=words, fetch=fetch)
        except errors.DivisionByZero:
            if fetch.has_begun:  # the statement's own division
                raise
            self._simple(f"{_UNDO}; {_clock(seconds)}")
            try:
                name = self._strangers.first(admission.text, admission.words)
            except UnclearError as error:
                name = str(error)
            if name is None:
                self._send(declaration, seconds, words=frozenset(), fetch=fetch)
            return name
        self._snapshot.harmless |= words
        return None

    def _send(
        self, declaration: bytes, seconds: float, *, words: frozenset[str], fetch: _Fetch
    ) -> None:
        """Send statements together, each by itself in the extended protocol, which takes but one.

        What follows an error is skipped; the error is raised.

        Args:
            declaration: Of the cursor.
            seconds: What each statement may take.
            words: Those that the catalog is asked about first.
            fetch: Takes the answer with the first rows.
        """
        connection = self._connection.pgconn
        before = [_UNDO]
        if seconds != self._snapshot.clock_s:  # a new savepoint: undoing keeps the clock
            before += _clock(seconds), _SAVE
        expected = len(before) + bool(words) + 1
        """Answers before that of FETCH."""
        connection.enter_pipeline_mode()
        try:
            for statement in before:
                connection.send_query_params(statement.encode(), None)
            if words:
                connection.send_query_prepared(_SUSPECTS, [array_of(words).encode()])
            connection.send_query_params(declaration, None)
            connection.send_query_params(fetch.command(fetch.first), None)
            connection.pipeline_sync()
            answers = list(_answers(connection))
        finally:
            if connection.status == pq.ConnStatus.OK:
                connection.exit_pipeline_mode()
        for position, answer in enumerate(answers[:expected], 1):
            _checked(answer)
            if position == len(before):
                self._snapshot.clock_s = seconds
        if len(answers) <= expected:
            raise psycopg.OperationalError("the server closed the connection")
        fetch.begin(answers[expected])

    def _simple(self, statements: str) -> pq.abc.PGresult:
        return _checked(self._connection.pgconn.exec_(statements.encode()))

    def _failure(self, error: Exception, sql: str, *, elapsed_s: float) -> Failed | Unavailable:
        sqlstate = getattr(error, "sqlstate", None)
        if self._connection.closed or is_trouble(sqlstate):
            return Unavailable(f"the server closed the connection ({sqlstate or 'closed'})")
        failure = failure_of(error, elapsed_s=elapsed_s)
        if sqlstate == _LIMIT_EXCEEDED:
            return replace(failure, is_exhausted=True)
        if sqlstate == "42883":  # a function of that name for other types, or none at all
            name = missing_function(error, sql, offset=len(_DECLARE))
            code = "schema.type_mismatch" if self._knows(name) else "syntax.dialect_mismatch"
            return replace(failure, failure_code=code)
        return failure

    def _knows(self, name: str) -> bool:
        """Return whether a function of that name exists; operators always do, for some types."""
        if not name:
            return True
        with suppress(psycopg.Error):
            self._simple(_UNDO)
            return self._connection.execute(_NAMED, (name,)).fetchone() is not None
        return False


@dataclass(slots=True)
class _Snapshot:
    """What holds for all statements of a transaction."""

    clock_s: float | None = None
    """What a statement may take; undoing one keeps it."""
    harmless: set[str] = field(default_factory=set)
    """Words that lead to no code of users: the catalog's answer is the snapshot's, so that it is
    asked once."""


class _Fetch:
    """Fetches the next rows of the cursor; all fetches together end at the deadline."""

    def __init__(self, engine: PostgresEngine, first: int, deadline: float) -> None:
        self.first = first
        """How many rows come with the declaration of the cursor."""
        self.has_begun = False
        """The cursor was declared: what fails now is the statement as it runs."""
        self._engine, self._deadline = engine, deadline
        self._ready: pq.abc.PGresult | None = None
        self._last: pq.abc.PGresult | None = None

    def __call__(self, count: int) -> list[Row]:
        if self._ready is None:
            self._engine.allow_until(self._deadline)
            self._last = self._engine.fetched(self.command(count))
        else:
            self._last, self._ready = self._ready, None
        return self._engine.rows_of(self._last)

    def begin(self, answer: pq.abc.PGresult) -> None:
        """Take the answer with the first rows."""
        self.has_begun = True
        self._ready = _checked(answer)

    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that were fetched."""
        answer = self._last
        if answer is None:
            return ()
        names = (answer.fname(place) for place in range(answer.nfields))
        return tuple((name or b"").decode(self._engine.encoding) for name in names)

    def command(self, count: int) -> bytes:
        """Return the command that fetches so many rows."""
        return f"FETCH FORWARD {count} FROM sqlobs".encode()


@lru_cache
def _searched(words: frozenset[str]) -> frozenset[str]:
    return searched(words)


def _answers(connection: pq.abc.PGconn) -> Iterator[pq.abc.PGresult]:
    """Yield the answers of a pipeline, one for each statement, up to its end."""
    while connection.flush():
        pass
    while True:
        answer = connection.get_result()
        if answer is None:
            if connection.status == pq.ConnStatus.BAD:
                return
            continue  # the end of one statement's answers
        if answer.status == pq.ExecStatus.PIPELINE_SYNC:
            return
        yield answer


def _clock(seconds: float) -> str:
    return f"SET LOCAL statement_timeout = {max(_LEAST_MS, round(seconds * 1000))}"


def _backend_of(connection: psycopg.Connection[Row]) -> int | None:
    row = connection.execute("SELECT pg_catalog.pg_backend_pid()").fetchone()
    return None if row is None else int(str(row[0]))


def _checked(answer: pq.abc.PGresult) -> pq.abc.PGresult:
    if answer.status not in {pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK}:
        raise errors.error_from_result(answer, "utf-8")
    return answer


def _require_known(connection: psycopg.Connection[Any]) -> None:
    """Refuse a server whose catalog cannot answer.

    Raises:
        TargetUnavailableError: It is too old.
    """
    if connection.info.server_version < _OLDEST:
        raise TargetUnavailableError("PostgreSQL before 14 is not supported as a target")


def _connect_message(error: Exception) -> str:
    """Return why there is no connection, without host, user or password."""
    sqlstate = getattr(error, "sqlstate", None)
    if isinstance(error, psycopg.OperationalError) and not sqlstate:
        return "the server cannot be reached or rejects the login"
    return f"the connection failed ({sqlstate or type(error).__name__})"
