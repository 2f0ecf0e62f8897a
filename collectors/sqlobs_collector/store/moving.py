"""Moves an embedded store into PostgreSQL: table by table in the order of keys, a batch a commit.

An interrupted move continues behind the last row that arrived. What is derived is not moved: the
sums by hour are added up again from the requests, whose hours the triggers note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select, text, tuple_

from sqlobs.errors import ConfigError
from sqlobs_collector.store.systems import copy_rows, copy_texts
from sqlobs_collector.store.tables import (
    COMPATIBILITY,
    DETAILED_HOUR,
    EVALUATION_ROLLUP,
    FROZEN,
    LEASE,
    METADATA,
    MINUTE_ROLLUP,
    REQUEST_TEXT,
    ROLLUP,
    SDK_SERIES,
    STALE_HOUR,
    STALE_MINUTE,
    UNIT,
    WORKER,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Engine, Select, Table, TableClause, Tuple

BATCH_ROWS: Final = 1000
_LEFT: Final = frozenset(
    {
        *(ROLLUP, MINUTE_ROLLUP, EVALUATION_ROLLUP, STALE_HOUR, STALE_MINUTE, DETAILED_HOUR),
        *(WORKER, LEASE, SDK_SERIES, COMPATIBILITY),
    }
)
TABLES: Final = tuple(table for table in METADATA.sorted_tables if table not in _LEFT)
"""Those that are moved, each behind the ones that it refers to; then the texts of requests."""
_TEXTS: Final = text(
    "SELECT rowid, question, sql FROM request_text WHERE rowid > :last ORDER BY rowid LIMIT :most"
)


@dataclass(frozen=True, slots=True)
class Moved:
    """What is in the target."""

    units: int
    rows: int
    """Of all tables."""
    was_there: int
    """Of them, rows that an earlier, interrupted move had brought."""


def move(source: Engine, target: Engine, *, names: tuple[str, str]) -> Moved:
    """Copy what the target does not have yet.

    Args:
        source: The embedded store, at the newest version, without a collector.
        target: PostgreSQL, at the same version.
        names: What messages call source and target.

    Raises:
        ConfigError: The target has rows of another store, or the counts differ at the end.
    """
    with source.connect() as reading:
        frozen = select(func.count()).select_from(ROLLUP).where(ROLLUP.c.hours == FROZEN)
        if reading.execute(frozen).scalar_one():
            raise ConfigError(
                f"{names[0]} has sums of archived requests, which cannot be moved: create a new"
                " store, and keep this one for earlier periods"
            )
    was_there = 0
    for table in (*TABLES, REQUEST_TEXT):
        with source.connect() as reading, target.connect() as writing:
            was_there += _check(table, reading, writing, names)
    for table in TABLES:
        _move_table(table, source, target)
    _move_texts(source, target)
    with source.connect() as reading, target.begin() as writing:
        _continue_ids(writing)
        counts = {
            table.name: (_count(reading, table), _count(writing, table))
            for table in (*TABLES, REQUEST_TEXT)
        }
    for name, (here, there) in counts.items():
        if here != there:
            raise ConfigError(
                f"{names[1]} has {there} rows in {name}, {names[0]} has {here}: move into an empty"
                " database, with no collector running on either"
            )
    rows = sum(there for _, there in counts.values())
    return Moved(units=counts[UNIT.name][1], rows=rows, was_there=was_there)


def _check(
    table: TableClause, reading: Connection, writing: Connection, names: tuple[str, str]
) -> int:
    """Return how many rows have arrived; they must be the first ones of the source."""
    last = _last(table, writing)
    if last is None:
        return 0
    arrived = _count(writing, table)
    first = select(func.count()).select_from(table).where(_key(table) <= tuple_(*last))
    if reading.execute(first).scalar_one() != arrived:
        raise ConfigError(
            f"{names[1]} has rows in {table.name} that {names[0]} does not have: move into an empty"
            " database"
        )
    return arrived


def _move_table(table: Table, source: Engine, target: Engine) -> None:
    columns = ", ".join(column.name for column in table.c)
    with target.connect() as writing:
        last = _last(table, writing)
    while True:
        with source.connect() as reading:
            rows = reading.execute(_next(table, last)).all()
        if not rows:
            return
        with target.begin() as writing:
            copy_rows(writing, f'"{table.name}" ({columns})', rows)
        last = tuple(getattr(rows[-1], column.name) for column in _columns(table))


def _move_texts(source: Engine, target: Engine) -> None:
    with target.connect() as writing:
        last, *_ = _last(REQUEST_TEXT, writing) or (0,)
    while True:
        with source.connect() as reading:
            rows = reading.execute(_TEXTS, {"last": last, "most": BATCH_ROWS}).all()
        if not rows:
            return
        with target.begin() as writing:
            copy_texts(writing, rows)
        last = rows[-1].rowid


def _next(table: Table, last: Sequence[object] | None) -> Select[Any]:
    query = select(table).order_by(*_columns(table)).limit(BATCH_ROWS)
    return query if last is None else query.where(_key(table) > tuple_(*last))


def _last(table: TableClause, connection: Connection) -> Sequence[object] | None:
    columns = _columns(table)
    query = select(*columns).order_by(*(column.desc() for column in columns)).limit(1)
    row = connection.execute(query).one_or_none()
    return None if row is None else tuple(row)


def _columns(table: TableClause) -> Sequence[Any]:
    return list(table.primary_key) or list(table.c)


def _key(table: TableClause) -> Tuple:
    return tuple_(*_columns(table))


def _count(connection: Connection, table: TableClause) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _continue_ids(connection: Connection) -> None:
    """Let new rows have ids behind those that came."""
    for table in TABLES:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            highest = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
            connection.execute(select(func.setval(sequence, highest, False)))
