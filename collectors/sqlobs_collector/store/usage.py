"""Requests of the last days, by workflow: how many, how long, how dear, how unsafe."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, func, select

from sqlobs_collector.store.tables import FAILURE, UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Engine

    from sqlobs_collector.store.alert_counts import Place

_WORKFLOW: Final = ("workspace", "service_name", "environment", "workflow")
_UNSAFE: Final = "safety.unsafe_statement"


class UsageReader:
    """Adds up live requests; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def requests(self, since_ns: int, until_ns: int) -> Mapping[Place, int]:
        """Return how many requests there were."""
        count = func.count(UNIT.c.id)
        return {place: int(found) for place, found in self._sums(count, since_ns, until_ns)}

    def costs(self, since_ns: int, until_ns: int) -> Mapping[Place, float]:
        """Return what the model calls of requests cost, in USD, where it is known."""
        cost = func.sum(UNIT.c.cost_usd)
        found = self._sums(cost, since_ns, until_ns, UNIT.c.cost_usd.is_not(None))
        return {place: float(usd) for place, usd in found}

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
    ) -> Mapping[Place, Sequence[float]]:
        """Return a quantile of the seconds of each part of a period that has requests."""
        part = (UNIT.c.occurred_ns - since_ns) // part_ns
        same = [*_columns(), part]
        ranked = (
            select(
                *_columns(),
                UNIT.c.duration_s,
                func.row_number().over(partition_by=same, order_by=UNIT.c.duration_s).label("rank"),
                func.count().over(partition_by=same).label("of"),
            )
            .where(_within(since_ns, until_ns), UNIT.c.duration_s.is_not(None))
            .subquery()
        )
        above = ranked.c.rank * 100 >= percent * ranked.c.of
        query = select(*(ranked.c[name] for name in _WORKFLOW), ranked.c.duration_s).where(
            above, (ranked.c.rank - 1) * 100 < percent * ranked.c.of
        )
        found: dict[Place, list[float]] = defaultdict(list)
        with self._engine.connect() as connection:
            for *place, seconds in connection.execute(query):
                found[tuple(place)].append(seconds)
        return found

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

    def _sums(
        self, total: ColumnElement[Any], since_ns: int, until_ns: int, *more: ColumnElement[bool]
    ) -> Sequence[tuple[Place, float]]:
        query = (
            select(*_columns(), total)
            .where(_within(since_ns, until_ns), *more)
            .group_by(*_columns())
        )
        with self._engine.connect() as connection:
            return [(tuple(place), value) for *place, value in connection.execute(query)]


def _columns() -> list[ColumnElement[str]]:
    return [UNIT.c[name] for name in _WORKFLOW]


def _within(since_ns: int, until_ns: int) -> ColumnElement[bool]:
    return and_(
        UNIT.c.occurred_ns >= since_ns,
        UNIT.c.occurred_ns < until_ns,
        UNIT.c.provenance == "live",
    )
