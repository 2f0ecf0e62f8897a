"""Lists of requests, a page at a time, newest first; their neighbors; the filters' values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, func, literal_column, or_, select

from sqlobs_collector.store.portable import is_among
from sqlobs_collector.store.rollup import HOUR_NS, LENGTHS, pieces, together, unit_sums
from sqlobs_collector.store.tables import EVALUATION, ROLLUP, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, Connection, Select

    from sqlobs_collector.store.rollup import Piece
    from sqlobs_collector.store.selection import RequestFilter
    from sqlobs_collector.store.snapshots import Connects

COUNTED: Final = 10_000
"""The requests of a filter that no sums are kept by, up to which they are counted."""
_ROWS_AT_ONCE: Final = 500
_NEIGHBORS: Final = 10
_SAME: Final = ("question_key", "conversation")
"""What neighbors of a request have in common."""
CHOICES: Final = (
    *("workflow", "model", "prompt_version", "service_version", "environment", "service_name"),
    *("verdict", "outcome", "failure_code"),
)
"""The columns whose values can be chosen from."""
_MOST_CHOICES: Final = 100
_SEARCHED_HOURS: Final = 6


@dataclass(frozen=True, slots=True)
class Place:
    """The last request of a page: the next page begins behind it."""

    occurred_ns: int
    unit_id: int


@dataclass(frozen=True, slots=True)
class RequestCount:
    """A number of requests."""

    count: int
    is_complete: bool
    """False: there are more."""


class RequestReader:
    """Reads requests; each call is a short transaction of its own."""

    def __init__(self, engine: Connects) -> None:
        self._engine = engine

    def resolved(self, chosen: RequestFilter) -> RequestFilter:
        """Return a filter whose texts and results are looked up: cheaper where it is used twice."""
        with self._engine.connect() as connection:
            return chosen.resolved(connection)

    def page(
        self, chosen: RequestFilter, *, after: Place | None, limit: int
    ) -> list[Mapping[str, Any]]:
        """Return the rows of the next requests, newest first."""
        if after is not None:
            chosen = chosen.of(chosen.since_ns, min(chosen.until_ns, after.occurred_ns + 1))
        with self._engine.connect() as connection:
            return _rows(connection, _ids(connection, chosen, after=after, limit=limit))

    def count(self, chosen: RequestFilter) -> RequestCount:
        """Return the number of requests; where no sums tell, only the first ones are counted."""
        with self._engine.connect() as connection:
            counts = [_count(connection, piece) for piece in pieces(connection, chosen)]
        return RequestCount(
            sum(one.count for one in counts), all(one.is_complete for one in counts)
        )

    def every(self, chosen: RequestFilter) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of all requests, newest first, without holding a transaction open."""
        after = None
        while rows := self.page(chosen, after=after, limit=_ROWS_AT_ONCE):
            yield from rows
            after = Place(rows[-1]["occurred_ns"], rows[-1]["id"])

    def neighbors(self, unit: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
        """Return the latest other requests with the same question, and of the same conversation.

        Args:
            unit: The row of a request.
        """
        with self._engine.connect() as connection:
            ids: dict[str, set[int]] = {name: set() for name in _SAME}
            known = [_with_same(unit, name) for name in _SAME if unit[name] is not None]
            for name, unit_id in connection.execute(together(known)) if known else ():
                ids[name].add(unit_id)
            rows = _rows(connection, sorted(set().union(*ids.values())))
        return {name: [row for row in rows if row["id"] in each] for name, each in ids.items()}

    def values(self, workspace: str) -> dict[str, list[str]]:
        """Return the values that columns have had, sorted, the latest first where many."""
        with self._engine.connect() as connection:
            return {name: _values(connection, workspace, name) for name in CHOICES}

    def results(self, unit_ids: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
        """Return names and labels of the evaluations of units, by unit."""
        query = (
            select(EVALUATION.c.unit_id, EVALUATION.c.metric, EVALUATION.c.label)
            .where(is_among(EVALUATION.c.unit_id, unit_ids), EVALUATION.c.label != "not_evaluated")
            .order_by(EVALUATION.c.unit_id, EVALUATION.c.metric, EVALUATION.c.created_ns)
        )
        found: dict[int, list[tuple[str, str]]] = {}
        with self._engine.connect() as connection:
            for unit_id, metric, label in connection.execute(query):
                found.setdefault(unit_id, []).append((metric, label))
        return found


def _with_same(unit: Mapping[str, Any], column: str) -> Select[Any]:
    """Select the ids of the latest other requests with the same value, beside the column's name."""
    latest = (
        select(UNIT.c.id)
        .where(UNIT.c.workspace == unit["workspace"], UNIT.c[column] == unit[column])
        .where(UNIT.c[column].is_not(None), UNIT.c.id != unit["id"])
        .order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc())
        .limit(_NEIGHBORS)
    ).subquery()
    return select(literal_column(f"'{column}'"), latest.c.id)


def _count(connection: Connection, piece: Piece) -> RequestCount:
    if piece.table is not UNIT:
        query = select(unit_sums(piece.table)[0]).where(piece.is_chosen)
        return RequestCount(connection.execute(query).scalar_one() or 0, True)
    few = select(UNIT.c.id).where(piece.is_chosen).limit(COUNTED + 1).subquery()
    count = connection.execute(select(func.count()).select_from(few)).scalar_one()
    return RequestCount(min(count, COUNTED), count <= COUNTED)


def _values(connection: Connection, workspace: str, name: str) -> list[str]:
    column = ROLLUP.c[name]
    query = (
        select(column)
        .where(ROLLUP.c.workspace == workspace, ROLLUP.c.by_tenant.is_(False))
        .where(ROLLUP.c.hours == LENGTHS[0], column != "")
        .group_by(column)
        .order_by(func.max(ROLLUP.c.hour).desc(), column)
        .limit(_MOST_CHOICES)
    )
    return sorted(connection.execute(query).scalars())


def _ids(
    connection: Connection, chosen: RequestFilter, *, after: Place | None, limit: int
) -> list[int]:
    """Return ids from indexes alone: rows of the table are read for those that are shown."""
    found: list[int] = []
    for part in _parts(connection, chosen):
        query = select(UNIT.c.id).where(part.conditions)
        if after is not None:
            query = query.where(_is_behind(after))
        query = query.order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc())
        found += connection.execute(query.limit(limit - len(found))).scalars()
        if len(found) == limit:
            break
    return found


def _parts(connection: Connection, chosen: RequestFilter) -> Iterator[RequestFilter]:
    """Yield the parts of the period that may hold chosen requests, the latest first.

    Sums tell in which hours rare ones are; without them, all requests would be looked through.
    """
    if not chosen.equal or _has_index(chosen):
        yield chosen
        return
    start_ns = end_ns = chosen.until_ns
    for period_ns in sorted(_filled(connection, chosen), reverse=True):
        if period_ns[1] < start_ns:
            yield chosen.of(start_ns, end_ns)
            end_ns = period_ns[1]
        start_ns = period_ns[0]
    yield chosen.of(start_ns, end_ns)


def _has_index(chosen: RequestFilter) -> bool:
    """Return whether an index of the units leads to the few that are chosen."""
    return (
        chosen.equal.get("verdict") == "failed"
        or bool(chosen.equal.get("failure_code"))
        or bool(chosen.equal.get("tenant"))
    )


def _filled(connection: Connection, chosen: RequestFilter) -> Iterator[tuple[int, int]]:
    """Yield the periods that may hold chosen requests."""
    hour, hours = ROLLUP.c.hour, ROLLUP.c.hours
    for piece in pieces(connection, chosen, within_ns=_SEARCHED_HOURS * HOUR_NS):
        if piece.table is not ROLLUP:
            yield from piece.periods_ns
            continue
        query = select(hour, hours).where(piece.is_chosen).group_by(hour, hours)
        for first, length in connection.execute(query):
            yield first * HOUR_NS, (first + length) * HOUR_NS


def _is_behind(place: Place) -> ColumnElement[bool]:
    return or_(
        UNIT.c.occurred_ns < place.occurred_ns,
        and_(UNIT.c.occurred_ns == place.occurred_ns, UNIT.c.id < place.unit_id),
    )


def _rows(connection: Connection, ids: Sequence[int]) -> list[Mapping[str, Any]]:
    query = select(UNIT).where(is_among(UNIT.c.id, ids))
    query = query.order_by(UNIT.c.occurred_ns.desc(), UNIT.c.id.desc())
    return [dict(row) for row in connection.execute(query).mappings()]
