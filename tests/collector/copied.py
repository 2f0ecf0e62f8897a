"""Millions of units from some: the rows of either store are copied in the order of time.

Each row becomes several that follow each other closely, with keys of their own, so that the tables are
as they are after as many requests: their rows lie in the order in which they would have come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from sqlobs_collector.store.systems import system_of
from sqlobs_collector.store.tables import EVALUATION, FAILURE, REPORT, UNIT

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

WORKSPACES = ("default", "sales", "support")
_HOUR_NS = 3600 * 10**9
_ROWS_AT_ONCE = 50_000
_ID = "(seed - 1) * :copies + copy"
_COPIED = {
    "id": _ID,
    "unit_id": _ID,
    "rowid": _ID,
    "trace_id": "prefix || substr(trace_id, 9)",
    "record_id": "prefix || substr(record_id, 9)",
    **{name: f"{name} + (copy - 1) * :step" for name in ("occurred_ns", "received_ns")},
}
"""What differs between the copies of a row."""


def copy_all(engine: Engine, *, copies: int, spread_ns: int) -> None:
    """Put copies in the place of each unit and of all that is known of it.

    Args:
        engine: Of the store, whose units have the ids from 1 on.
        copies: Of each.
        spread_ns: The time in which the copies of one follow each other.
    """
    given = {"copies": copies, "step": spread_ns // copies}
    with engine.begin() as connection:
        tables = _set_aside(connection, copies)
        restored = _without_indexes(connection)
        most = connection.exec_driver_sql("SELECT max(id) FROM unit_seed").scalar_one()
    at_once = max(1, _ROWS_AT_ONCE // copies)
    for low in range(0, most, at_once):
        with engine.begin() as connection:
            _quiet(connection)
            for statement in tables:
                connection.execute(text(statement), {**given, "low": low, "high": low + at_once})
    for statement in restored:
        with engine.begin() as connection:
            connection.exec_driver_sql(statement)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            f"INSERT INTO stale_hour SELECT DISTINCT workspace, occurred_ns / {_HOUR_NS} FROM unit"
            " WHERE true ON CONFLICT DO NOTHING"
        )
        system_of(connection).either(
            sqlite=lambda: None,
            postgresql=lambda: connection.exec_driver_sql(
                "SELECT setval(pg_get_serial_sequence('unit', 'id'), max(id)) FROM unit"
            ),
        )()


def _set_aside(connection: Connection, copies: int) -> list[str]:
    """Move the rows into tables of their own; return the statements that copy them."""
    connection.exec_driver_sql("CREATE TABLE copies (copy BIGINT, prefix TEXT)")
    connection.execute(
        text("INSERT INTO copies VALUES (:copy, :prefix)"),
        [{"copy": one, "prefix": f"{one:08x}"} for one in range(1, copies + 1)],
    )
    system = system_of(connection)
    texts = system.either(sqlite=("question", "sql"), postgresql=("words",))
    columns = {one.name: [column.name for column in one.c] for one in (UNIT, EVALUATION, FAILURE)}
    columns |= {"request_text": ["rowid", *texts], "report": [one.name for one in REPORT.c]}
    keys = {"unit": "id", "request_text": "rowid", "report": "(SELECT id FROM unit WHERE"
            " unit.workspace = report.workspace AND unit.trace_id = report.trace_id)"}  # fmt: skip
    for name, listed in columns.items():
        key = keys.get(name, "unit_id")
        values = ", ".join(_split(column, key) for column in listed)
        made = f"CREATE TABLE {name}_seed AS SELECT {key} AS seed, {values} FROM {name}"
        connection.execute(text(made))
        connection.exec_driver_sql(f"CREATE INDEX ix_{name}_seed ON {name}_seed (seed)")
    for name in reversed(columns):
        connection.exec_driver_sql(f"DELETE FROM {name}")
    return [_copying(name, listed) for name, listed in columns.items()]


def _split(column: str, key: str) -> str:
    """Spread the units of one workspace over several."""
    if column != "workspace":
        return column
    cases = " ".join(f"WHEN {number} THEN '{name}'" for number, name in enumerate(WORKSPACES))
    return f"CASE {key} % {len(WORKSPACES)} {cases} END AS workspace"


def _copying(table: str, columns: list[str]) -> str:
    values = ", ".join(_COPIED.get(name, name) for name in columns)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table}_seed"
        " CROSS JOIN copies WHERE seed > :low AND seed <= :high ORDER BY seed, copy"
    )


def _without_indexes(connection: Connection) -> list[str]:
    """Drop indexes, and SQLite's triggers; return the statements that make them again."""
    listed = system_of(connection).either(
        sqlite="SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')"
        " AND sql IS NOT NULL AND name NOT LIKE '%_seed'",
        postgresql="SELECT 'index', indexname, indexdef FROM pg_indexes WHERE indexname LIKE 'ix_%'"
        " AND tablename IN ('unit', 'evaluation', 'failure', 'report', 'request_text')",
    )
    found = connection.exec_driver_sql(listed.replace("%", "%%")).all()
    for kind, name, _ in found:
        connection.exec_driver_sql(f"DROP {kind} {name}")
    return [statement for _, _, statement in found]


def _quiet(connection: Connection) -> None:
    """Note nothing row by row, and look no key up: PostgreSQL's triggers and foreign keys."""
    system_of(connection).either(
        sqlite=lambda: None,
        postgresql=lambda: connection.exec_driver_sql(
            "SET LOCAL session_replication_role = replica"
        ),
    )()
