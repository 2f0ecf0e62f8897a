"""Lists of requests, a page at a time, newest first; their neighbors; the filters' values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, func, or_, select

from sqlobs_collector.store.tables import EVALUATION, REPORT, UNIT, UNIT_DAY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, Connection, Engine

    from sqlobs_collector.store.selection import RequestFilter

COUNTED: Final = 10_000
"""The number of requests up to which counts are exact; above it, the count is a lower bound."""
_ROWS_AT_ONCE: Final = 500
_NEIGHBORS: Final = 10
CHOICES: Final = (
    *("workflow", "model", "prompt_version", "service_version", "environment", "service_name"),
    *("verdict", "outcome", "failure_code"),
)
"""The columns whose values can be chosen from."""
_MOST_CHOICES: Final = 100


@dataclass(frozen=True, slots=True)
class Place:
    """The last request of a page: the next page begins behind it."""

    occurred_ns: int
    unit_id: int


class RequestReader:
    """Reads requests; each call is a short transaction of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def page(
        self, chosen: RequestFilter, *, after: Place | None, limit: int
    ) -> list[Mapping[str, Any]]:
        """Return the rows of the next requests, newest first."""
        with self._engine.connect() as connection:
            return _rows(connection, _ids(connection, chosen, after=after, limit=limit))

    def count(self, chosen: RequestFilter) -> int:
        """Return the number of requests; more than `COUNTED` are not counted."""
        few = select(UNIT.c.id).where(chosen.conditions).limit(COUNTED + 1).subquery()
        with self._engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(few)).scalar_one()

    def every(self, chosen: RequestFilter) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of all requests, newest first, without holding a transaction open."""
        after = None
        while rows := self.page(chosen, after=after, limit=_ROWS_AT_ONCE):
            yield from rows
            after = Place(rows[-1]["occurred_ns"], rows[-1]["id"])

    def neighbors(self, unit: Mapping[str, Any], column: str) -> list[Mapping[str, Any]]:
        """Return the latest other requests with the same question or conversation.

        Args:
            unit: The row of a request.
            column: `question_key` or `conversation`.
        """
        if unit[column] is None:
            return []
        query = (
            select(UNIT.c.id)
            .where(UNIT.c.workspace == unit["workspace"], UNIT.c[column] == unit[column])
            .where(UNIT.c[column].is_not(None), UNIT.c.id != unit["id"])
            .order_by(UNIT.c.occurred_ns.desc())
            .limit(_NEIGHBORS)
        )
        with self._engine.connect() as connection:
            return _rows(connection, connection.execute(query).scalars().all())

    def values(self, workspace: str) -> dict[str, list[str]]:
        """Return the values that columns have had, sorted, the latest first where many."""
        with self._engine.connect() as connection:
            return {name: _values(connection, workspace, name) for name in CHOICES}

    def results(self, unit_ids: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
        """Return names and labels of the evaluations of units, by unit."""
        query = (
            select(EVALUATION.c.unit_id, EVALUATION.c.metric, EVALUATION.c.label)
            .where(EVALUATION.c.unit_id.in_(unit_ids), EVALUATION.c.label != "not_evaluated")
            .order_by(EVALUATION.c.unit_id, EVALUATION.c.metric, EVALUATION.c.created_ns)
        )
        found: dict[int, list[tuple[str, str]]] = {}
        with self._engine.connect() as connection:
            for unit_id, metric, label in connection.execute(query):
                found.setdefault(unit_id, []).append((metric, label))
        return found

    def reports(self, unit: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return what came later about a unit, oldest first."""
        query = (
            select(REPORT)
            .where(REPORT.c.workspace == unit["workspace"])
            .where(REPORT.c.trace_id == unit["trace_id"], REPORT.c.span_id == unit["span_id"])
            .order_by(REPORT.c.occurred_ns)
        )
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def _values(connection: Connection, workspace: str, name: str) -> list[str]:
    column = UNIT_DAY.c[name]
    query = (
        select(column)
        .where(UNIT_DAY.c.workspace == workspace, column != "")
        .group_by(column)
        .order_by(func.max(UNIT_DAY.c.day).desc(), column)
        .limit(_MOST_CHOICES)
    )
    return sorted(connection.execute(query).scalars())


def _ids(
    connection: Connection, chosen: RequestFilter, *, after: Place | None, limit: int
) -> Sequence[int]:
    """Return ids from indexes alone: rows of the table are read for those that are shown."""
    query = select(UNIT.c.id).where(chosen.conditions)
    if after is not None:
        query = query.where(UNIT.c.occurred_ns <= after.occurred_ns, _is_behind(after))
    query = query.order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc()).limit(limit)
    return connection.execute(query).scalars().all()


def _is_behind(place: Place) -> ColumnElement[bool]:
    return or_(
        UNIT.c.occurred_ns < place.occurred_ns,
        and_(UNIT.c.occurred_ns == place.occurred_ns, UNIT.c.id < place.unit_id),
    )


def _rows(connection: Connection, ids: Sequence[int]) -> list[Mapping[str, Any]]:
    query = select(UNIT).where(UNIT.c.id.in_(ids))
    query = query.order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc())
    return [dict(row) for row in connection.execute(query).mappings()]
