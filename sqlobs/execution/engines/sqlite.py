"""Executes on a SQLite file: read-only, behind an authorizer, limited, interrupted on timeout."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from sqlobs.check.native.sqlite import classify
from sqlobs.execution.engines import TargetLostError, TargetUnavailableError
from sqlobs.execution.engines.fetching import drain
from sqlobs.execution.messages import Failed, Finished, Unavailable
from sqlobs.vocabulary import allowed_functions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Row

_STEPS_BETWEEN_LOOKS: Final = 10_000
"""Virtual-machine steps between two looks at the clock: well below a millisecond."""

_HEAP_BYTES: Final = 256 * 1024 * 1024
_BUSY_S: Final = 1.0
"""How long to wait for a writer that holds the file."""

_PRAGMAS: Final = (
    "PRAGMA query_only = 1",
    "PRAGMA trusted_schema = 0",
    "PRAGMA cell_size_check = 1",
    "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = memory",
    f"PRAGMA hard_heap_limit = {_HEAP_BYTES}",
)
_LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 1_000_000),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
_OPERATORS: Final = frozenset(
    {"->", "->>", "match", "regexp", "current_date", "current_time", "current_timestamp"}
)
"""Functions behind operators and keywords, which the authorizer sees by name."""

_OWN_RELATIONS: Final = ("sqlite_", "pragma_", "dbstat")
_TARGET_TROUBLE: Final = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_SCHEMA,
)
_NO_UTF8: Final = "Could not decode to UTF-8"
"""How the driver's error about such a text begins; it has no code."""
_DENIED: Final = ("unsafe use of", "not authorized")
"""How errors begin with which the engine keeps a view from calling what statements must not."""

_EXHAUSTED: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_TOOBIG)


class SqliteEngine:
    """A SQLite file, open for reading."""

    warnings: tuple[str, ...] = ()

    def __init__(self, target: Target) -> None:
        self._path = Path(target.path).absolute()
        allowed = target.policy.allowed_functions or frozenset()
        self._functions = allowed_functions("sqlite") | allowed | _OPERATORS
        self._is_ours = True
        self._deadline = float("inf")
        try:
            self._file = _identity(self._path)
            self._connection = self._connect()
        except (OSError, sqlite3.Error) as error:
            raise TargetUnavailableError(f"cannot open the file: {_reason(error)}") from error
        self._is_ours = False

    def backend(self) -> None:
        """Nobody who could outlive us is known: it runs in this process."""

    def begin(self, session: Mapping[str, str]) -> None:
        """Start a read transaction; a file that was replaced or removed is lost."""
        if session:
            raise TargetUnavailableError("SQLite has no session settings to bind")
        try:
            if _identity(self._path) != self._file:
                raise TargetLostError("the file was replaced")
        except OSError as error:
            raise TargetLostError("the file was removed") from error
        self._own("BEGIN")

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Unavailable:
        """Run the statement; the clock is looked at between steps of the virtual machine."""
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.max_cell_bytes)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.max_sql_bytes)
        self._connection.text_factory = str
        self._deadline = monotonic() + limits.timeout_s
        started = perf_counter()
        try:
            cursor = self._connection.execute(admission.text)
            prepared_s = perf_counter() - started
            is_truncated, fetched_s = drain(
                lambda count: _fetched(cursor, count), limits=limits, emit=emit
            )
            columns = tuple(column[0] for column in cursor.description or ())
            cursor.close()
        except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError) as error:
            elapsed_s = perf_counter() - started
            return self._failure(error, admission.text, elapsed_s=elapsed_s)
        finally:
            self._deadline = float("inf")
        return Finished(columns, is_truncated, prepared_s + fetched_s)

    def diagnose(self, sql: str) -> Failed | None:
        """Compile the text behind EXPLAIN, which lists the program and runs none of it."""
        try:
            self._connection.execute(f"EXPLAIN {sql}").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
                return _fault(str(error))
        except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError):
            return None  # forbidden, several statements, or parameters: no verdict
        return None

    def end(self) -> None:
        """Give up the snapshot."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._own("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(str(self._path))}?mode=ro",
            uri=True,
            timeout=_BUSY_S,
            isolation_level=None,
            cached_statements=0,  # untrusted text must not hit a cached statement of sqlobs
        )
        for pragma in _PRAGMAS:
            connection.execute(pragma).close()
        for limit, value in _LIMITS:
            connection.setlimit(limit, value)
        connection.execute("SELECT count(*) FROM sqlite_master").close()  # reads the header
        connection.set_authorizer(self._authorise)
        connection.set_progress_handler(self._is_late, _STEPS_BETWEEN_LOOKS)
        return connection

    def _own(self, sql: str) -> None:
        self._is_ours = True
        try:
            self._connection.execute(sql).close()
        finally:
            self._is_ours = False

    def _is_late(self) -> bool:
        return monotonic() > self._deadline

    def _authorise(
        self, action: int, first: str | None, second: str | None, _db: str | None, _by: str | None
    ) -> int:
        if self._is_ours or action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}:
            return sqlite3.SQLITE_OK
        name = (first or "").lower()
        is_allowed = (
            (action == sqlite3.SQLITE_READ and not name.startswith(_OWN_RELATIONS))
            or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in self._functions)
            or (action, name) == (sqlite3.SQLITE_PRAGMA, "data_version")  # full-text tables ask it
            or _declares_virtual_table(action, name, second)
        )
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    def _failure(self, error: Exception, sql: str, *, elapsed_s: float) -> Failed | Unavailable:
        result_code = getattr(error, "sqlite_errorcode", None)
        primary = result_code & 0xFF if result_code is not None else None
        if isinstance(error, MemoryError) or primary in _EXHAUSTED:
            return _exhausted(error, elapsed_s=elapsed_s)
        if primary in _TARGET_TROUBLE:
            return Unavailable(f"the database cannot be read: {_reason(error)}")
        if primary == sqlite3.SQLITE_INTERRUPT:
            return _failed(error, "execution.timeout", status="timeout", elapsed_s=elapsed_s)
        if primary == sqlite3.SQLITE_AUTH:
            return _failed(error, "execution.permission", elapsed_s=elapsed_s)
        if str(error).startswith(_DENIED):
            return _failed(error, "execution.permission", elapsed_s=elapsed_s)
        fault = self.diagnose(sql)
        if fault is not None:
            return replace(fault, elapsed_s=elapsed_s)
        return _failed(error, "execution.engine_error", elapsed_s=elapsed_s)


def _failed(
    error: Exception, code: str, *, elapsed_s: float, status: str = "error", exhausted: bool = False
) -> Failed:
    return Failed(
        status="timeout" if status == "timeout" else "error",
        message=str(error),
        engine_class=getattr(error, "sqlite_errorname", "SQLITE_MISUSE"),
        failure_code=code,
        is_exhausted=exhausted,
        elapsed_s=elapsed_s,
    )


def _exhausted(error: Exception, *, elapsed_s: float) -> Failed:
    is_memory = isinstance(error, MemoryError)
    return Failed(
        status="error",
        message="out of memory" if is_memory else str(error),
        engine_class="SQLITE_NOMEM" if is_memory else getattr(error, "sqlite_errorname", ""),
        failure_code="execution.timeout",
        is_exhausted=is_memory,
        elapsed_s=elapsed_s,
    )


def _fault(message: str) -> Failed | None:
    if message.startswith(_DENIED):  # by a view, or a column that is computed
        return None
    verdict = classify(message)
    if verdict is None or verdict.code is None:
        return None
    return Failed(
        status="error",
        message=message,
        engine_class="SQLITE_ERROR",
        failure_code=verdict.code,
        is_fault=True,
    )


def _declares_virtual_table(action: int, table: str, column: str | None) -> bool:
    """Return whether an action belongs to a table function, such as json_each.

    Nothing is lost where it does not: the connection cannot write, and a ROWID tells nothing.
    """
    if table != "sqlite_master":
        return False
    return action == sqlite3.SQLITE_UPDATE or (action == sqlite3.SQLITE_READ and column == "ROWID")


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _reason(error: Exception) -> str:
    """Return an error's text without the path, which telemetry must not carry."""
    return (error.strerror or "error").lower() if isinstance(error, OSError) else str(error)


def _fetched(cursor: sqlite3.Cursor, count: int) -> list[Row]:
    """Return the next rows; text that is no UTF-8 is the bytes that it is, which equal no text.

    The driver's own decoder is the fastest. At a row with other bytes it raises, but stays at that
    row: it and those that follow are read by `_text_or_bytes`.
    """
    rows: list[Row] = []
    try:
        rows.extend(islice(cursor, count))
    except sqlite3.OperationalError as error:
        if not str(error).startswith(_NO_UTF8):
            raise
        cursor.connection.text_factory = _text_or_bytes
        rows.extend(islice(cursor, count - len(rows)))
    return rows


def _text_or_bytes(stored: bytes) -> str | bytes:
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return stored
