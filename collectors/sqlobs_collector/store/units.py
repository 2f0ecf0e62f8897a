"""Units as they come in: each stored once, their part of a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, select, update

from sqlobs_collector.store.portable import is_among
from sqlobs_collector.store.reports import ReportWriter
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.rows import Dropped, Stored, UnitKey, UnitRow
from sqlobs_collector.store.systems import system_of
from sqlobs_collector.store.tables import INTAKE, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection

_KEYS_PER_QUERY: Final = 500


class UnitWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, rows: Iterable[UnitRow]) -> Stored:
        """Store units that are unknown yet; a unit replaces what a span told, never otherwise.

        Returns:
            The rows that were stored; all others are repeats.
        """
        unique: dict[UnitKey, UnitRow] = {}
        for row in rows:
            if row.key not in unique or _replaces(row, unique[row.key].source):
                unique[row.key] = row
        known = dict(self._known(list(unique)))
        new = [row for key, row in unique.items() if key not in known]
        better = [row for key, row in unique.items() if key in known and _replaces(row, known[key])]
        added = self._insert(new)
        late = [row for row in new if row.key not in added]  # another process was faster
        met = dict(self._known([row.key for row in late]))
        better += [row for row in late if row.key in met and _replaces(row, met[row.key])]
        replaced = {row.key for row in better if self._replace(row)}
        # Of the others, another process has stored the unit, or has dropped the span.
        again = self._insert([row for row in better if row.key not in replaced])
        return Stored(
            [row for row in new if row.key in added] + [row for row in better if row.key in again],
            [row for row in better if row.key in replaced],
        )

    def drop_beyond_quota(self, ids: Sequence[int], *, apart_ns: int) -> list[Dropped]:
        """Delete requests that only a span told of where a quota may have rejected their unit.

        Args:
            ids: Of the requests.
            apart_ns: How far apart a span and its unit are received at most.
        """
        if not ids:
            return []
        start_ns = INTAKE.c.hour * HOUR_NS
        is_spent = (
            select(INTAKE.c.hour)
            .where(INTAKE.c.workspace == UNIT.c.workspace, INTAKE.c.refused > 0)
            .where(start_ns <= UNIT.c.received_ns + apart_ns)
            .where(start_ns + HOUR_NS > UNIT.c.received_ns - apart_ns)
            .exists()
        )
        deleted = delete(UNIT).where(is_among(UNIT.c.id, ids), UNIT.c.source == "span", is_spent)
        columns = (UNIT.c.id, UNIT.c.workspace, UNIT.c.received_ns)
        return [Dropped(*row) for row in self._connection.execute(deleted.returning(*columns))]

    def _insert(self, rows: Sequence[UnitRow]) -> set[UnitKey]:
        """Insert units; return the keys of those that nobody inserted meanwhile."""
        return system_of(self._connection).insert_units(self._connection, rows) if rows else set()

    def _replace(self, row: UnitRow) -> bool:
        """Put a unit in the place of what a span told; return whether nobody did before."""
        said = row._asdict()
        del said["provenance"]  # a replay takes nothing out of the figures of today
        is_of_span = and_(_is(row.key), UNIT.c.source == "span")
        statement = update(UNIT).where(is_of_span).values(**said, worker=None)
        if self._connection.execute(statement).rowcount == 0:
            return False
        ReportWriter(self._connection).open_again(row.key)
        return True

    def _known(self, keys: Sequence[UnitKey]) -> Iterator[tuple[UnitKey, str]]:
        """Yield the units stored already, with their sources; asked by trace, which is indexed."""
        by_workspace: dict[str, list[str]] = {}
        for key in keys:
            by_workspace.setdefault(key.workspace, []).append(key.trace_id)
        columns = (UNIT.c.workspace, UNIT.c.trace_id, UNIT.c.span_id, UNIT.c.source)
        for workspace, traces in by_workspace.items():
            for start in range(0, len(traces), _KEYS_PER_QUERY):
                query = select(*columns).where(
                    UNIT.c.workspace == workspace,
                    UNIT.c.trace_id.in_(traces[start : start + _KEYS_PER_QUERY]),
                )
                for row in self._connection.execute(query):
                    yield UnitKey(row.workspace, row.trace_id, row.span_id), row.source


def _replaces(row: UnitRow, source: str) -> bool:
    return row.source == "unit" and source == "span"


def _is(key: UnitKey) -> ColumnElement[bool]:
    return and_(
        UNIT.c.workspace == key.workspace,
        UNIT.c.trace_id == key.trace_id,
        UNIT.c.span_id == key.span_id,
    )
