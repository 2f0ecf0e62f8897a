"""Sums over units and evaluations by event time: what quality gauges are computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Select, and_, func, select

from sqlobs_collector.origin import Origin
from sqlobs_collector.store.portable import each_value, inverse
from sqlobs_collector.store.quality_sums import (
    CategorizedRequests,
    Evaluations,
    GoldenSum,
    VerdictCounts,
    Who,
)
from sqlobs_collector.store.rated import IN_RATES, PASSED, RATED, evaluation_sums
from sqlobs_collector.store.rollup import WEIGHTS, latest, pieces, unit_sums
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import EVALUATION, EVALUATION_ROLLUP, ROLLUP, UNIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import ColumnElement, Row, Table

    from sqlobs_collector.store.rollup import Piece
    from sqlobs_collector.store.snapshots import Connects

_NAMES: Final = ("workspace", "service_name", "environment", "workflow")
"""The columns of `Who`."""
_WHO: Final = tuple(UNIT.c[name] for name in _NAMES)
_ORIGIN: Final = _WHO[:-1]
_WEIGHT: Final = inverse(UNIT.c.probability * EVALUATION.c.probability)
_SAID: Final = (
    *("outcome", "verdict", "failure_code", "first_verdict"),
    *("syntactic", "schematic", "hallucinated", "first_hallucinated"),
)
"""What the checker said of a unit."""
_COMPARED: Final = "ex"
"""The evaluation that says whether the rows of a golden case came."""


class QualityReader:
    """Adds up; each call is one query in its own transaction."""

    def __init__(self, engine: Connects) -> None:
        self._engine = engine

    def units(self, *, since_ns: int) -> list[VerdictCounts]:
        """Return the units since a time by what the checker said of them."""
        found: dict[tuple[object, ...], VerdictCounts] = {}
        for row in self._rows(since_ns, _units_in, by=_SAID):
            one = VerdictCounts(_who(row), *row[len(_NAMES) :])
            key = row[: len(_NAMES) + len(_SAID)]
            found[key] = found[key].joined(one) if key in found else one
        return list(found.values())

    def evaluations(self, *, since_ns: int) -> list[Evaluations]:
        """Return the sums of what was evaluated of units since a time; undecided ones left out."""
        found: dict[tuple[object, ...], Evaluations] = {}
        for row in self._rows(since_ns, _evaluations_in, sums=EVALUATION_ROLLUP):
            one = Evaluations(_who(row), *row[len(_NAMES) :])
            key = row[: len(_NAMES) + 1]
            found[key] = found[key].joined(one) if key in found else one
        return list(found.values())

    def _rows(
        self,
        since_ns: int,
        selected: Callable[[Piece], Select[Any]],
        *,
        sums: Table = ROLLUP,
        by: Sequence[str] = (),
    ) -> Iterator[Row[Any]]:
        """Yield what is selected of live requests since a time, of their sums where possible."""
        with self._engine.connect() as connection:
            for workspace in connection.execute(each_value(UNIT.c.workspace)).scalars().all():
                chosen = RequestFilter(
                    workspace=workspace, since_ns=since_ns, equal={"provenance": "live"}
                )
                for piece in pieces(connection, chosen, sums=sums, by=(*_NAMES[1:], *by)):
                    yield from connection.execute(selected(piece))

    def chosen_units(self, chosen: RequestFilter, *, who: Who) -> list[VerdictCounts]:
        """Return the chosen units by what the checker said of them, as those of one side.

        Args:
            chosen: Which units; those that a replay brought do not count.
            who: What the sums are named.
        """
        live = chosen.within(provenance="live")
        found: list[VerdictCounts] = []
        with self._engine.connect() as connection:
            for piece in pieces(connection, live, by=_SAID):
                query = _units_by(piece, _SAID)
                found += [VerdictCounts(who, *row) for row in connection.execute(query)]
        return found

    def chosen_evaluations(self, chosen: RequestFilter, *, who: Who) -> list[Evaluations]:
        """Return the sums of what was evaluated of chosen units, as those of one side.

        A name may have several sums.
        """
        live, found = chosen.within(provenance="live"), []
        with self._engine.connect() as connection:
            for piece in pieces(connection, live, sums=EVALUATION_ROLLUP):
                query = _evaluations_by(piece, ())
                found += [Evaluations(who, *row) for row in connection.execute(query)]
        return found

    def categories(self, *, since_ns: int) -> list[CategorizedRequests]:
        """Return what a judge sorted, of requests since a time whose probability is known."""
        sorted_into = (EVALUATION.c.side, EVALUATION.c.categories)
        query: Select[Any] = (
            select(*_ORIGIN, *sorted_into, func.sum(_WEIGHT))
            .join(UNIT, UNIT.c.id == EVALUATION.c.unit_id)
            .where(EVALUATION.c.categories.is_not(None), _is_rated(since_ns))
            .where(UNIT.c.probability.is_not(None))
            .group_by(*_ORIGIN, *sorted_into)
        )
        with self._engine.connect() as connection:
            return [
                CategorizedRequests(Origin(*row[:3]), *row[3:]) for row in connection.execute(query)
            ]

    def golden(self, *, since_ns: int) -> list[GoldenSum]:
        """Return how golden cases fared, of requests since a time whose probability is known."""
        query: Select[Any] = (
            select(
                *_ORIGIN,
                EVALUATION.c.golden_set,
                func.sum(_WEIGHT),
                func.sum(_WEIGHT * PASSED),
            )
            .join(UNIT, UNIT.c.id == EVALUATION.c.unit_id)
            .where(EVALUATION.c.golden_set.is_not(None), EVALUATION.c.metric == _COMPARED)
            .where(EVALUATION.c.label != "not_evaluated", _is_rated(since_ns))
            .where(UNIT.c.probability.is_not(None))
            .group_by(*_ORIGIN, EVALUATION.c.golden_set)
        )
        with self._engine.connect() as connection:
            return [GoldenSum(Origin(*row[:3]), *row[3:]) for row in connection.execute(query)]

    def spend(self, *, since_ns: int) -> dict[Who, float]:
        """Return the USD that judging the units since a time has cost."""
        query = (
            select(*_WHO, func.sum(EVALUATION.c.cost_usd))
            .join(UNIT, UNIT.c.id == EVALUATION.c.unit_id)
            .where(EVALUATION.c.cost_usd.is_not(None), _is_counted(since_ns))
            .group_by(*_WHO)
        )
        with self._engine.connect() as connection:
            return {_who(row): row[4] for row in connection.execute(query)}


def _units_in(piece: Piece) -> Select[Any]:
    return _units_by(piece, (*_NAMES, *_SAID))


def _units_by(piece: Piece, names: Sequence[str]) -> Select[Any]:
    """Select columns of units, and their sums."""
    table = piece.table
    keys = [table.c[name] for name in names]
    sums = (*unit_sums(table)[:WEIGHTS], latest(table))
    return select(*keys, *sums).where(piece.is_chosen).group_by(*keys)


def _evaluations_in(piece: Piece) -> Select[Any]:
    return _evaluations_by(piece, _NAMES)


def _evaluations_by(piece: Piece, names: Sequence[str]) -> Select[Any]:
    """Select columns of units, and the sums of their decided evaluations, by name."""
    table = piece.table
    metric = EVALUATION.c.metric if table is UNIT else table.c.metric
    keys = [*(table.c[name] for name in names), metric]
    query: Select[Any] = select(*keys, *evaluation_sums(table)).group_by(*keys)
    if table is UNIT:
        query = query.join_from(UNIT, EVALUATION, UNIT.c.id == EVALUATION.c.unit_id).where(RATED)
    return query.where(piece.is_chosen)


def _is_counted(since_ns: int) -> ColumnElement[bool]:
    """Choose the requests since a time, but for those that a replay brought."""
    return and_(_is_since(since_ns), UNIT.c.provenance == "live")


def _is_since(since_ns: int) -> ColumnElement[bool]:
    """Choose the units since a time, of few evaluations: SQLite begins with those."""
    return UNIT.c.occurred_ns + 0 >= since_ns


def _is_rated(since_ns: int) -> ColumnElement[bool]:
    """Choose the counted requests that a rate may be about."""
    return and_(_is_since(since_ns), IN_RATES)


def _who(row: Sequence[str]) -> Who:
    return Who(Origin(*row[:3]), row[3])
