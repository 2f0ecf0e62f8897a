"""Requests of the last days, by workflow: how many, how long, how dear, how unsafe."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, func, select

from sqlobs_collector.store.portable import each_value
from sqlobs_collector.store.rollup import Piece, pieces, together, unit_sums
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import FAILURE, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, Engine, Select

    from sqlobs_collector.store.alert_counts import Place

_WORKFLOW: Final = ("workspace", "service_name", "environment", "workflow")
_UNSAFE: Final = "safety.unsafe_statement"


class UsageReader:
    """Adds up live requests; each call is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def requests(self, since_ns: int, until_ns: int) -> Mapping[Place, int]:
        """Return how many requests there were."""
        found: Counter[Place] = Counter()
        for place, requests, _ in self._sums(since_ns, until_ns):
            found[place] += requests
        return found

    def costs(self, since_ns: int, until_ns: int) -> Mapping[Place, float]:
        """Return what the model calls of requests cost, in USD, where it is known."""
        found: dict[Place, float] = {}
        for place, _, usd in self._sums(since_ns, until_ns):
            if usd is not None:
                found[place] = found.get(place, 0.0) + usd
        return found

    def durations(self, since_ns: int, until_ns: int) -> Mapping[Place, Sequence[float]]:
        """Return the seconds that requests took, in ascending order."""
        query = (
            select(*_columns(), UNIT.c.duration_s)
            .where(_within(since_ns, until_ns), UNIT.c.duration_s.is_not(None))
            .order_by(UNIT.c.duration_s)
        )
        found: dict[Place, list[float]] = defaultdict(list)
        with self._engine.connect() as connection:
            for *place, seconds in connection.execute(query):
                found[tuple(place)].append(seconds)
        return found

    def quantiles(
        self, since_ns: int, until_ns: int, *, percent: int, part_ns: int
    ) -> list[tuple[int, Place, float]]:
        """Return a quantile of the seconds of each part of a period that has requests.

        The first part has the number 0.
        """
        part = ((UNIT.c.occurred_ns - since_ns) // part_ns).label("part")
        same = [*_columns(), part]
        ranked = (
            select(
                *same,
                UNIT.c.duration_s,
                func.row_number().over(partition_by=same, order_by=UNIT.c.duration_s).label("rank"),
                func.count().over(partition_by=same).label("of"),
            )
            .where(_within(since_ns, until_ns), UNIT.c.duration_s.is_not(None))
            .subquery()
        )
        above = ranked.c.rank * 100 >= percent * ranked.c.of
        place = [ranked.c[name] for name in _WORKFLOW]
        query = select(ranked.c.part, *place, ranked.c.duration_s).where(
            above, (ranked.c.rank - 1) * 100 < percent * ranked.c.of
        )
        with self._engine.connect() as connection:
            return [
                (number, tuple(place), seconds)
                for number, *place, seconds in connection.execute(query)
            ]

    def unsafe(self, since_ns: int, until_ns: int) -> Mapping[Place, int]:
        """Return how many requests had a statement that is not safe."""
        columns = [FAILURE.c[name] for name in _WORKFLOW]
        query = (
            select(*columns, func.count(FAILURE.c.unit_id.distinct()))
            .where(
                FAILURE.c.failure_code == _UNSAFE,
                FAILURE.c.occurred_ns >= since_ns,
                FAILURE.c.occurred_ns < until_ns,
            )
            .group_by(*columns)
        )
        with self._engine.connect() as connection:
            return {tuple(place): int(count) for *place, count in connection.execute(query)}

    def _sums(self, since_ns: int, until_ns: int) -> Iterator[tuple[Place, int, float | None]]:
        """Yield requests and costs by place; a place may come several times."""
        with self._engine.connect() as connection:
            for workspace in connection.execute(each_value(UNIT.c.workspace)).scalars().all():
                chosen = RequestFilter(
                    workspace=workspace,
                    since_ns=since_ns,
                    until_ns=until_ns,
                    equal={"provenance": "live"},
                )
                read = pieces(connection, chosen, by=_WORKFLOW[1:])
                for *workflow, requests, usd in connection.execute(together(map(_summed, read))):
                    yield (workspace, *workflow), requests, usd


def _summed(piece: Piece) -> Select[Any]:
    columns = [piece.table.c[name] for name in _WORKFLOW[1:]]
    requests, *_, cost_usd = unit_sums(piece.table)
    query: Select[Any] = select(*columns, requests, cost_usd)
    return query.where(piece.is_chosen).group_by(*columns)


def _columns() -> list[ColumnElement[str]]:
    return [UNIT.c[name] for name in _WORKFLOW]


def _within(since_ns: int, until_ns: int) -> ColumnElement[bool]:
    return and_(
        UNIT.c.occurred_ns >= since_ns,
        UNIT.c.occurred_ns < until_ns,
        UNIT.c.provenance == "live",
    )
