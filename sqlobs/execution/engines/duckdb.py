"""Execute on a DuckDB file: read-only, without any way out of it, interrupted in time."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

import duckdb

from sqlobs.check.report.message_masking import mask_engine_message
from sqlobs.execution.engines import TargetLostError, TargetUnavailableError
from sqlobs.execution.engines.duckdb_macros import Macros
from sqlobs.execution.engines.fetching import drain
from sqlobs.execution.messages import Failed, Finished, Stopped, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Cell, Row

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "allow_community_extensions": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_access": False,
    "memory_limit": "256MB",
    "python_enable_replacements": False,
    "temp_directory": "",
    "threads": 1,
}
_WORD: Final = re.compile(r"\w+")
_LOCK: Final = "SET lock_configuration = true"
_CODES: Final = {
    "ParserException": "syntax.parse_error",
    "SyntaxException": "syntax.parse_error",
}
_ABOUT_NAMES: Final = frozenset({"BinderException", "CatalogException"})
"""Errors of statements; in those of conversions the words may be a row's."""

_BY_WORDS: Final = (
    ("table with name", "schema.unknown_table"),
    ("referenced table", "schema.unknown_table"),
    ("function with name", "syntax.dialect_mismatch"),
    ("type with name", "schema.unknown_type"),
    ("referenced column", "schema.unknown_column"),
    ("does not have a column", "schema.unknown_column"),
    ("ambiguous reference", "schema.ambiguous_ref"),
    ("must appear in the group by", "schema.grouping"),
    ("cannot contain aggregates", "schema.grouping"),
    ("no function matches", "schema.type_mismatch"),
    ("cannot compare values", "schema.type_mismatch"),
)
"""Errors in which the engine says that the statement is wrong, by words of their first line."""


class DuckDbEngine:
    """A DuckDB file, open for reading."""

    warnings: tuple[str, ...] = ()

    def __init__(self, target: Target) -> None:
        self._path = Path(target.path).absolute()
        try:
            self._identity = _identity(self._path)
            self._connection = duckdb.connect(str(self._path), read_only=True, config=_CONFIG)
            self._connection.execute(_LOCK)
            allowed = frozenset(target.policy.allowed_functions or ())
            self._macros = Macros(self._connection.cursor(), allowed)
        except (duckdb.Error, OSError) as error:
            raise TargetUnavailableError(f"cannot open the file: {_reason(error)}") from error

    def backend(self) -> None:
        """Nobody who could outlive us is known: it runs in this process."""

    def begin(self, session: Mapping[str, str]) -> None:
        """Start a transaction; a file that was replaced or removed is lost."""
        if session:
            raise TargetUnavailableError("DuckDB has no session settings to bind")
        try:
            if _identity(self._path) != self._identity:
                raise TargetLostError("the file was replaced")
        except OSError as error:
            raise TargetLostError("the file was removed") from error
        self._begin()

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Stopped | Unavailable:
        """Run the statement; a clock beside it interrupts the engine."""
        started = perf_counter()
        macro = self._macros.first(admission.text, admission.words)
        if macro is not None:
            return Stopped("function_not_allowed", macro)
        try:
            with self._interrupted_after(limits.timeout_s):
                cursor = self._connection.execute(admission.text)
                executed_s = perf_counter() - started
                columns = tuple(str(column[0]) for column in cursor.description or ())
                fetch = _Fetch(self._connection)
                is_truncated, fetched_s = drain(fetch, limits=limits, emit=emit)
        except (duckdb.Error, MemoryError, ValueError, OverflowError, RuntimeError) as error:
            failure = _failure(error, elapsed_s=perf_counter() - started)
            self._begin()  # an error ends the transaction
            return failure
        return Finished(columns, is_truncated, executed_s + fetched_s)

    def diagnose(self, sql: str) -> Failed | None:
        """Have the engine prepare the text, which computes what is constant in it."""
        if self._macros.first(sql, frozenset(_WORD.findall(sql.lower()))) is not None:
            return None
        try:
            if len(self._connection.extract_statements(sql)) == 1:
                self._connection.execute(f"PREPARE sqlobs AS {sql}")
                self._connection.execute("DEALLOCATE sqlobs")
        except (duckdb.Error, RuntimeError, ValueError) as error:
            failure = _failure(error, elapsed_s=0.0)
            self._begin()
            return failure if failure.is_fault else None
        return None

    def end(self) -> None:
        """Give up the transaction."""
        with suppress(duckdb.Error):
            self._connection.rollback()

    def close(self) -> None:
        """Close the file."""
        self._macros.close()
        self._connection.close()

    def _begin(self) -> None:
        self.end()
        self._connection.begin()

    @contextmanager
    def _interrupted_after(self, seconds: float) -> Iterator[None]:
        clock = threading.Timer(seconds, self._connection.interrupt)
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()


class _Fetch:
    """Fetches the next rows, with nested values as they can be sent."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def __call__(self, count: int) -> list[Row]:
        return [tuple(map(_plain, row)) for row in self._connection.fetchmany(count)]


def _plain(cell: Cell) -> Cell:
    """Return a cell as it is; what only the driver knows becomes its text."""
    module = type(cell).__module__
    return cell if module in _KNOWN_MODULES else str(cell)


_KNOWN_MODULES: Final = frozenset({"builtins", "datetime", "decimal", "uuid"})


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _reason(error: Exception) -> str:
    """Return an error's text without the path, which telemetry must not carry."""
    if isinstance(error, OSError):
        return (error.strerror or "error").lower()
    return mask_engine_message(str(error))


def _failure(error: Exception, *, elapsed_s: float) -> Failed:
    name = type(error).__name__
    is_timeout = isinstance(error, duckdb.InterruptException)
    is_exhausted = isinstance(error, MemoryError | duckdb.OutOfMemoryException)
    line = str(error).partition("\n")[0]
    code = None if is_timeout or is_exhausted else _fault_code(name, line)
    message = line.partition(": ")[2] or line
    return Failed(
        status="timeout" if is_timeout else "error",
        message=message,
        engine_class=name,
        failure_code=code or _other_code(error, is_late=is_timeout or is_exhausted),
        is_fault=code is not None,
        is_exhausted=isinstance(error, MemoryError),
        elapsed_s=elapsed_s,
    )


def _fault_code(name: str, line: str) -> str | None:
    if name in _CODES:
        return _CODES[name]
    if name not in _ABOUT_NAMES:
        return None
    folded = line.lower()
    return next((code for words, code in _BY_WORDS if words in folded), None)


def _other_code(error: Exception, *, is_late: bool) -> str:
    if is_late:
        return "execution.timeout"
    is_denied = isinstance(error, duckdb.PermissionException)
    return "execution.permission" if is_denied else "execution.engine_error"
