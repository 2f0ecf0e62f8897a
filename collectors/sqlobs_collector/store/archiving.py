"""The store's side of the archive: what has become cold, and how it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, delete, exists, func, select, tuple_

from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.rollup_writing import RollupWriter
from sqlobs_collector.store.tables import (
    EVALUATION,
    INQUIRY,
    REPORT,
    REVIEW_ITEM,
    SAME_SPAN,
    UNIT,
    WRONG_FINDING,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, RowMapping

DAY_NS: Final = 24 * HOUR_NS
_PRIME: Final = 1_000_000_007
_SETTLED: Final = (
    *("done", "error", "truncated", "nondeterministic", "refused", "expired", "canceled"),
    "sampled_out",
)


class Version(NamedTuple):
    """What changes with a request."""

    state_ns: int
    evaluations: int
    times: int | None
    """A checksum of when they were made: one that is made again replaces the one before."""


class ColdRows:
    """Reads and deletes on the connection of a transaction.

    Cold are requests that were received before a time, whose texts have expired, and which nobody
    works on: no evaluation, judge, emission or person. A report is cold without its request.

    Args:
        connection: To the store.
        before_ns: The time.
    """

    def __init__(self, connection: Connection, *, before_ns: int) -> None:
        self._connection = connection
        self._before_ns = before_ns

    def unit_days(self) -> list[tuple[str, int]]:
        """Return workspaces and days since 1970 with cold requests."""
        day = UNIT.c.occurred_ns // DAY_NS
        query = select(UNIT.c.workspace, day).where(self._is_cold()).distinct()
        return sorted((workspace, day) for workspace, day in self._connection.execute(query))

    def report_days(self) -> list[tuple[str, int]]:
        """Return the same of cold reports."""
        day = REPORT.c.occurred_ns // DAY_NS
        query = select(REPORT.c.workspace, day).where(self._is_cold_report()).distinct()
        return sorted((workspace, day) for workspace, day in self._connection.execute(query))

    def units(self, workspace: str, day: int, *, after: int, limit: int) -> list[RowMapping]:
        """Return the next cold requests of a day behind an id."""
        query = select(UNIT).where(
            self._is_cold(), UNIT.c.workspace == workspace, UNIT.c.id > after, _is_of(UNIT, day)
        )
        found = self._connection.execute(query.order_by(UNIT.c.id).limit(limit))
        return list(found.mappings())

    def evaluations(self, ids: Sequence[int]) -> list[RowMapping]:
        """Return the evaluations of requests, with what requests are found by."""
        of_unit = (UNIT.c[name] for name in ("workspace", "trace_id", "span_id", "occurred_ns"))
        of_evaluation = (one for one in EVALUATION.c if one.name != "unit_id")
        query = select(*of_unit, *of_evaluation).join_from(UNIT, EVALUATION)
        query = query.where(UNIT.c.id.in_(ids))
        order = (UNIT.c.id, EVALUATION.c.metric, EVALUATION.c.version)
        return list(self._connection.execute(query.order_by(*order)).mappings())

    def reports(self, workspace: str, day: int) -> list[RowMapping]:
        """Return the cold reports of a day."""
        columns = (one for one in REPORT.c if one.name != "payload")
        query = select(*columns).where(
            self._is_cold_report(), REPORT.c.workspace == workspace, _is_of(REPORT, day)
        )
        return list(self._connection.execute(query).mappings())

    def versions(self, ids: Sequence[int]) -> dict[int, Version]:
        """Return the versions of requests that are still cold, and keep them until the end."""
        locked = select(UNIT.c.id).where(UNIT.c.id.in_(ids), self._is_cold()).with_for_update()
        cold = list(self._connection.execute(locked).scalars())
        query = (
            select(
                *(UNIT.c.id, UNIT.c.state_ns),
                *(func.count(EVALUATION.c.metric), func.sum(EVALUATION.c.created_ns % _PRIME)),
            )
            .outerjoin_from(UNIT, EVALUATION)
            .where(UNIT.c.id.in_(cold))
            .group_by(UNIT.c.id, UNIT.c.state_ns)
        )
        return {row[0]: Version(*row[1:]) for row in self._connection.execute(query)}

    def delete_units(self, workspace: str, ids: Sequence[int], *, counted: Sequence[int]) -> int:
        """Delete requests; return how many.

        Args:
            workspace: Whose.
            ids: The requests.
            counted: Those of them that stay in the sums by hour.
        """
        hour = UNIT.c.occurred_ns // HOUR_NS
        query = select(hour).where(UNIT.c.id.in_(ids)).distinct()
        hours = sorted(self._connection.execute(query).scalars())
        sums = RollupWriter(self._connection)
        for one in hours:
            sums.freeze(workspace, one, counted)
        deleted = self._connection.execute(delete(UNIT).where(UNIT.c.id.in_(ids))).rowcount
        for one in hours:
            sums.add_up(workspace, one)
        return deleted

    def delete_reports(self, record_ids: Sequence[str]) -> int:
        """Delete reports; return how many."""
        chosen = delete(REPORT).where(REPORT.c.record_id.in_(record_ids))
        return self._connection.execute(chosen).rowcount

    def _is_cold(self) -> ColumnElement[bool]:
        unemitted = and_(EVALUATION.c.unit_id == UNIT.c.id, EVALUATION.c.emitted_ns.is_(None))
        return and_(
            UNIT.c.received_ns < self._before_ns,
            UNIT.c.payload.is_(None),
            UNIT.c.state.in_(_SETTLED),
            ~exists().where(unemitted),
            *(
                ~exists().where(table.c.unit_id == UNIT.c.id)
                for table in (INQUIRY, REVIEW_ITEM, WRONG_FINDING)
            ),
        )

    def _is_cold_report(self) -> ColumnElement[bool]:
        return and_(
            REPORT.c.received_ns < self._before_ns,
            REPORT.c.payload.is_(None),
            ~exists().where(SAME_SPAN).correlate(REPORT),
        )


def stored_among(
    connection: Connection, workspace: str, spans: Sequence[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return which of some requests, by trace and span, the store has."""
    columns = (UNIT.c.trace_id, UNIT.c.span_id)
    query = select(*columns).where(UNIT.c.workspace == workspace, tuple_(*columns).in_(spans))
    return {(trace_id, span_id) for trace_id, span_id in connection.execute(query)}


def _is_of(table: Any, day: int) -> ColumnElement[bool]:  # noqa: ANN401 - a table with that column
    return and_(table.c.occurred_ns >= day * DAY_NS, table.c.occurred_ns < (day + 1) * DAY_NS)
