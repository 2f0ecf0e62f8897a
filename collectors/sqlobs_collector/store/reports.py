"""What comes later about units: their part of a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, bindparam, delete, select, update

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.rows import Joinable, Undecided
from sqlobs_collector.store.tables import REPORT, SAME_SPAN, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from sqlobs_collector.store.rows import ReportRow, UnitKey

FACTS: Final = (
    UNIT.c.id,
    UNIT.c.workspace,
    UNIT.c.trace_id,
    UNIT.c.verdict,
    UNIT.c.outcome,
    UNIT.c.head_probability,
    UNIT.c.randomness,
    UNIT.c.service_name,
    UNIT.c.environment,
)
"""What sampling decides by: the columns of `Undecided`."""


class ReportWriter:
    """Writes on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, rows: Sequence[ReportRow]) -> None:
        """Store reports; a repeated one changes nothing."""
        if rows:
            statement = upsert(REPORT).on_conflict_do_nothing(index_elements=[REPORT.c.record_id])
            self._connection.execute(
                statement, [row.values for row in sorted(rows, key=lambda row: row.record_id)]
            )

    def joinable(self, *, limit: int) -> list[Joinable]:
        """Return reports not joined yet whose unit was sampled or not, and is not evaluated now."""
        report = (
            *(REPORT.c.record_id, REPORT.c.kind, REPORT.c.is_negative, REPORT.c.payload),
            *(REPORT.c.occurred_ns, UNIT.c.state, UNIT.c.reason, UNIT.c.payload.is_not(None)),
        )
        query = (
            select(*FACTS, *report)
            .join(UNIT, SAME_SPAN)
            .where(REPORT.c.is_joined.is_(False), UNIT.c.rule.is_not(None))
            .where(UNIT.c.state != "running")
            .order_by(REPORT.c.occurred_ns, REPORT.c.record_id)
            .limit(limit)
        )
        facts = len(FACTS)
        return [
            Joinable(Undecided(*row[:facts]), *row[facts:])
            for row in self._connection.execute(query)
        ]

    def close(self, reports: Sequence[Joinable]) -> None:
        """Remember that reports have had their effect."""
        if reports:
            statement = update(REPORT).where(REPORT.c.record_id == bindparam("of_record"))
            self._connection.execute(
                statement.values(is_joined=True), [{"of_record": one.record_id} for one in reports]
            )

    def open_again(self, key: UnitKey) -> None:
        """Let the reports about a unit have their effect again: there is another unit now."""
        self._connection.execute(update(REPORT).where(_about(key)).values(is_joined=False))

    def delete(self, keys: Iterable[UnitKey]) -> int:
        """Delete the reports about units; returns how many."""
        return sum(
            self._connection.execute(delete(REPORT).where(_about(key))).rowcount for key in keys
        )


def _about(key: UnitKey) -> ColumnElement[bool]:
    return and_(
        REPORT.c.workspace == key.workspace,
        REPORT.c.trace_id == key.trace_id,
        REPORT.c.span_id == key.span_id,
    )
