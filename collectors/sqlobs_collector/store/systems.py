"""The statements that SQLite and PostgreSQL have in forms of their own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from sqlalchemy import func, insert, select, text
from sqlalchemy.exc import DBAPIError

from sqlobs_collector.store.portable import word_vector
from sqlobs_collector.store.rows import UnitKey, UnitRow
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Dialect

T = TypeVar("T")

FROM_UNIT: Final = (
    "FROM unit WHERE workspace = :workspace AND trace_id = :trace_id AND span_id = :span_id"
)
"""The unit of a `UnitKey`."""
_HOUR_LOCKS: Final = 0x5901
"""The class of advisory locks on hours, which migration 0019 names, too."""
_ERASURE_LOCK: Final = 0x5902
_SILENCE_S: Final = 5
_INSERT_TEXT: Final = (
    f"INSERT INTO request_text (rowid, question, sql) SELECT id, :question, :sql {FROM_UNIT}"
)
_UNIT_COLUMNS: Final = ", ".join(UnitRow._fields)
_MAKE_INCOMING: Final = (
    f"CREATE TEMPORARY TABLE incoming ON COMMIT DROP AS SELECT {_UNIT_COLUMNS} FROM unit"  # noqa: S608 - no input
    " LIMIT 0"
)
_TAKE_INCOMING: Final = (
    f"INSERT INTO unit ({_UNIT_COLUMNS}) SELECT {_UNIT_COLUMNS} FROM incoming"  # noqa: S608 - no input
    " ON CONFLICT (workspace, trace_id, span_id) DO NOTHING"
    " RETURNING workspace, trace_id, span_id"
)
_INSERT_WORDS: Final = text(
    f"INSERT INTO request_text (rowid, words) SELECT id, CAST(:words AS tsvector) {FROM_UNIT}"
)


class System(Protocol):
    """A database system, on the connection of a transaction."""

    def either(self, *, sqlite: T, postgresql: T) -> T:
        """Return what is meant for this system."""

    def limit_silence(self, connection: Connection) -> None:
        """End the transaction of a process that does not respond, which would keep its locks."""

    def insert_units(self, connection: Connection, rows: Sequence[UnitRow]) -> set[UnitKey]:
        """Insert units; return the keys of those that nobody inserted meanwhile."""

    def insert_texts(self, connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert question and SQL of units, each by the parts of its `UnitKey`."""

    def lock_hour(self, connection: Connection, workspace: str, hour: int) -> None:
        """Wait for the writers of requests of an hour, and let new ones wait."""

    def share_erasures(self, connection: Connection) -> None:
        """Let those who erase wait until the transaction, which stores records, ends."""

    def begin_erasure(self, connection: Connection) -> None:
        """Wait for the transactions that store records, and let new ones wait."""


class _Sqlite:
    """Has one writer at a time; its driver is called directly, which halves the time."""

    def either(self, *, sqlite: T, postgresql: T) -> T:  # noqa: ARG002
        return sqlite

    def limit_silence(self, connection: Connection) -> None:
        """Nothing to do: nobody else waits for its locks."""

    def insert_units(self, connection: Connection, rows: Sequence[UnitRow]) -> set[UnitKey]:
        connection.exec_driver_sql(_insert_unit(connection.dialect), list(rows))
        return {row.key for row in rows}

    def insert_texts(self, connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
        connection.exec_driver_sql(_INSERT_TEXT, rows)

    def lock_hour(self, connection: Connection, workspace: str, hour: int) -> None:
        """Nothing to do: there is one writer."""

    def share_erasures(self, connection: Connection) -> None:
        """Nothing to do: there is one writer."""

    def begin_erasure(self, connection: Connection) -> None:
        """Nothing to do: there is one writer."""


class _PostgreSql:
    """Several processes may write; rows come by COPY."""

    def either(self, *, sqlite: T, postgresql: T) -> T:  # noqa: ARG002
        return postgresql

    def limit_silence(self, connection: Connection) -> None:
        """Set a timeout for this transaction alone, as poolers of connections need it."""
        connection.exec_driver_sql(
            f"SET LOCAL idle_in_transaction_session_timeout = '{_SILENCE_S}s'"
        )

    def insert_units(self, connection: Connection, rows: Sequence[UnitRow]) -> set[UnitKey]:
        connection.exec_driver_sql(_MAKE_INCOMING)
        copy_rows(connection, f"incoming ({_UNIT_COLUMNS})", rows)
        added = connection.exec_driver_sql(_TAKE_INCOMING).all()
        connection.exec_driver_sql("DROP TABLE incoming")
        return {UnitKey(*row) for row in added}

    def insert_texts(self, connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
        connection.execute(
            _INSERT_WORDS,
            [{**row, "words": word_vector(str(row["question"]), str(row["sql"]))} for row in rows],
        )

    def lock_hour(self, connection: Connection, workspace: str, hour: int) -> None:
        """Lock what the triggers of migration 0019 share until their transactions end."""
        key = func.hashtext(f"{workspace} {hour}")
        connection.execute(select(func.pg_advisory_xact_lock(_HOUR_LOCKS, key)))

    def share_erasures(self, connection: Connection) -> None:
        connection.execute(select(func.pg_advisory_xact_lock_shared(_ERASURE_LOCK)))

    def begin_erasure(self, connection: Connection) -> None:
        connection.execute(select(func.pg_advisory_xact_lock(_ERASURE_LOCK)))


def system_of(connection: Connection) -> System:
    """Return the database system of a connection."""
    return _SYSTEMS[connection.dialect.name]


_SYSTEMS: Final[dict[str, System]] = {"sqlite": _Sqlite(), "postgresql": _PostgreSql()}


@cache
def _insert_unit(dialect: Dialect) -> str:
    return str(insert(UNIT).compile(dialect=dialect, column_keys=UnitRow._fields))


def copy_rows(connection: Connection, into: str, rows: Iterable[Sequence[object]]) -> None:
    """Write rows into PostgreSQL by COPY.

    Args:
        connection: To PostgreSQL.
        into: The table with its columns, as in `unit (id, workspace)`.
        rows: Their values.

    Raises:
        DBAPIError: As other statements do.
    """
    statement = f"COPY {into} FROM STDIN"
    driver: Any = connection.connection.driver_connection
    error_type = connection.dialect.loaded_dbapi.Error
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except error_type as error:
        raise DBAPIError.instance(statement, None, error, error_type) from error


def copy_texts(connection: Connection, rows: Iterable[tuple[int, str, str]]) -> None:
    """Write the texts of units, by their ids, into PostgreSQL."""
    words = ((unit_id, word_vector(question, sql)) for unit_id, question, sql in rows)
    copy_rows(connection, "request_text (rowid, words)", words)
