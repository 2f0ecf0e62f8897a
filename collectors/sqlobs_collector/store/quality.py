"""Sums over units and evaluations by event time: what quality gauges are computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Integer, Select, and_, case, cast, func, or_, select

from sqlobs.scores.registry import COMPARED_SCORES
from sqlobs.semconv.evaluations import CHECKED, FEEDBACK, SCHEMA_HALLUCINATION
from sqlobs.types import WITHOUT_SQL
from sqlobs_collector.origin import Origin
from sqlobs_collector.store.portable import each_value, inverse, quotient, whole_sum
from sqlobs_collector.store.rollup import WEIGHTS, largest_weight, latest, pieces, unit_sums
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import EVALUATION, EVALUATION_ROLLUP, ROLLUP, UNIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import ColumnElement, FromClause, Row, Table

    from sqlobs.types import Outcome
    from sqlobs_collector.store.rollup import Piece
    from sqlobs_collector.store.snapshots import Connects

_NAMES: Final = ("workspace", "service_name", "environment", "workflow")
"""The columns of `Who`."""
_WHO: Final = tuple(UNIT.c[name] for name in _NAMES)
_ORIGIN: Final = _WHO[:-1]
_LABELS: Final = {
    "syntactic": UNIT.c.syntactic,
    "schematic": UNIT.c.schematic,
    SCHEMA_HALLUCINATION: UNIT.c.hallucinated,
}
"""The label of a unit that each evaluation of the application is stored in."""
_PASSED: Final = case((EVALUATION.c.label == "pass", 1), else_=0)
_SCORE: Final = EVALUATION.c.value
_WEIGHT: Final = inverse(UNIT.c.probability * EVALUATION.c.probability)
_FILLS_OPEN_LABEL: Final = (EVALUATION.c.kind == "llm") & or_(
    *((EVALUATION.c.metric == metric) & column.is_(None) for metric, column in _LABELS.items())
)
"""A late answer of the application's fallback, on a label that its check left open."""
_SAID: Final = (
    *("outcome", "verdict", "failure_code", "first_verdict"),
    *("syntactic", "schematic", "hallucinated", "first_hallucinated"),
)
"""What the checker said of a unit."""
_COMPARED: Final = "ex"
"""The evaluation that says whether the rows of a golden case came."""


@dataclass(frozen=True, slots=True)
class Who:
    """Whose requests a figure is about."""

    origin: Origin
    workflow: str


@dataclass(frozen=True, slots=True)
class Evaluations:
    """The decided evaluations of one name; weights are 1 / probability."""

    who: Who
    evaluation: str
    count: int
    passed: int
    value_sum: float | None
    """Of the scores, where there are any."""
    weight: float | None
    """`None`: no probability is known, so there is nothing to weight by."""
    weight_passed: float | None
    weight_value: float | None
    weight_squared: float | None
    weight_squared_passed: float | None
    spread_value: float | None
    """The sum of w·(w - 1)·score."""
    spread_value_squared: float | None
    """The sum of w·(w - 1)·score²."""
    weight_largest: float | None
    last_ns: int

    def joined(self, other: Evaluations) -> Evaluations:
        """Return the sums of both."""
        return replace(
            self,
            count=self.count + other.count,
            passed=self.passed + other.passed,
            value_sum=_sum(self.value_sum, other.value_sum),
            weight=_sum(self.weight, other.weight),
            weight_passed=_sum(self.weight_passed, other.weight_passed),
            weight_value=_sum(self.weight_value, other.weight_value),
            weight_squared=_sum(self.weight_squared, other.weight_squared),
            weight_squared_passed=_sum(self.weight_squared_passed, other.weight_squared_passed),
            spread_value=_sum(self.spread_value, other.spread_value),
            spread_value_squared=_sum(self.spread_value_squared, other.spread_value_squared),
            weight_largest=_most(self.weight_largest, other.weight_largest),
            last_ns=max(self.last_ns, other.last_ns),
        )


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Units about which the checker said the same; weighted by their arrival alone."""

    who: Who
    outcome: Outcome | None
    verdict: str | None
    failure_code: str | None
    """The primary one."""
    first_verdict: str | None
    """The verdict on the first attempt."""
    syntactic: bool | None
    schematic: bool | None
    hallucinated: bool | None
    """True: a name is invented."""
    first_hallucinated: bool | None
    count: int
    weight: float | None
    weight_squared: float | None
    weight_largest: float | None
    last_ns: int
    """The time of the latest request."""

    def joined(self, other: VerdictCounts) -> VerdictCounts:
        """Return the sums of both."""
        return replace(
            self,
            count=self.count + other.count,
            weight=_sum(self.weight, other.weight),
            weight_squared=_sum(self.weight_squared, other.weight_squared),
            weight_largest=_most(self.weight_largest, other.weight_largest),
            last_ns=max(self.last_ns, other.last_ns),
        )


@dataclass(frozen=True, slots=True)
class CategorizedRequests:
    """Judged requests of one service that were sorted into the same categories."""

    origin: Origin
    side: str
    categories: str
    """Keys between spaces."""
    weight: float


@dataclass(frozen=True, slots=True)
class GoldenSum:
    """What was compared with the cases of one golden file; weights are 1 / probability."""

    origin: Origin
    golden_set: str
    weight: float
    weight_passed: float


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
                func.sum(_WEIGHT * _PASSED),
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


def _sum(one: float | None, other: float | None) -> float | None:
    """Add two sums; one that both lack stays unknown."""
    if one is None or other is None:
        return one if other is None else other
    return one + other


def _most(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return one if other is None else other
    return max(one, other)


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


@cache
def evaluation_sums(table: FromClause) -> tuple[ColumnElement[Any], ...]:
    """Select count, passes, values, weights and the last time: of evaluations or of their sums."""
    if table is EVALUATION_ROLLUP:
        return _sums_of_sums(table)
    # What people and the application's fallback say comes whether a unit was kept or not.
    is_said = (EVALUATION.c.kind == "human") | _FILLS_OPEN_LABEL
    kept = case((is_said, UNIT.c.head_probability), else_=UNIT.c.probability)
    weight = inverse(kept * EVALUATION.c.probability)
    return (
        func.count(),
        cast(func.sum(_PASSED), Integer),
        func.sum(EVALUATION.c.value),
        func.sum(weight),
        func.sum(weight * _PASSED),
        func.sum(weight * EVALUATION.c.value),
        func.sum(weight * weight),
        func.sum(weight * weight * _PASSED),
        *(func.sum(weight * (weight - 1) * score) for score in (_SCORE, _SCORE * _SCORE)),
        func.max(weight),
        func.max(EVALUATION.c.created_ns),
    )


def _sums_of_sums(table: FromClause) -> tuple[ColumnElement[Any], ...]:
    """Add up sums of hours; those that an older collector made get what they lack by proportion."""
    names = ("value_sum", "weight", "weight_passed", "weight_value", "weight_squared")
    squared, weight = table.c.weight_squared, table.c.weight
    by_score = quotient((squared - weight) * table.c.weight_value, weight)
    by_passes = quotient(squared * table.c.weight_passed, weight)
    return (
        *(whole_sum(table.c[name]) for name in ("count", "passed")),
        *(func.sum(table.c[name]) for name in names),
        func.sum(func.coalesce(table.c.weight_squared_passed, by_passes)),
        func.sum(func.coalesce(table.c.spread_value, by_score)),
        func.sum(func.coalesce(table.c.spread_value_squared, by_score)),
        largest_weight(table),
        func.max(table.c.last_ns),
    )


def _is_counted(since_ns: int) -> ColumnElement[bool]:
    """Choose the requests since a time, but for those that a replay brought."""
    return and_(_is_since(since_ns), UNIT.c.provenance == "live")


def _is_since(since_ns: int) -> ColumnElement[bool]:
    """Choose the units since a time, of few evaluations: SQLite begins with those."""
    return UNIT.c.occurred_ns + 0 >= since_ns


def _is_last_word() -> ColumnElement[bool]:
    """Choose the last of what was said about a unit: a history counts once."""
    later = EVALUATION.alias()
    follows = (later.c.created_ns > EVALUATION.c.created_ns) | (
        (later.c.created_ns == EVALUATION.c.created_ns) & (later.c.version > EVALUATION.c.version)
    )
    of_unit = and_(later.c.unit_id == EVALUATION.c.unit_id, later.c.metric == FEEDBACK)
    return ~select(later.c.unit_id).where(of_unit, follows).exists()


_GIVES_SQL: Final = UNIT.c.outcome.is_(None) | UNIT.c.outcome.not_in(sorted(WITHOUT_SQL))
_IN_RATES: Final = and_(
    UNIT.c.provenance == "live", _GIVES_SQL | EVALUATION.c.metric.in_(COMPARED_SCORES)
)
"""Requests without SQL on purpose count only where a reference says whether that was right."""
RATED: Final = and_(
    _IN_RATES,
    EVALUATION.c.label != "not_evaluated",
    # A late result changes no label: it counts where there is none.
    EVALUATION.c.metric.not_in(CHECKED) | EVALUATION.c.stands_in | _FILLS_OPEN_LABEL,
    (EVALUATION.c.metric != FEEDBACK) | _is_last_word(),
)
"""The evaluations that rates are computed from; feedback by its last word."""


def _is_rated(since_ns: int) -> ColumnElement[bool]:
    """Choose the counted requests that a rate may be about."""
    return and_(_is_since(since_ns), _IN_RATES)


def _who(row: Sequence[str]) -> Who:
    return Who(Origin(*row[:3]), row[3])
