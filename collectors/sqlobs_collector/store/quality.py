"""Sums over evaluations by event time: what quality gauges are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import Float, Integer, String, case, cast, func, literal, select, union_all

from sqlobs_collector.store.tables import EVALUATION, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Column, Engine, Select
    from sqlalchemy.sql.elements import ColumnElement

_STATIC: Final[tuple[tuple[str, Column[bool], bool], ...]] = (
    ("syntactic", UNIT.c.syntactic, True),
    ("schematic", UNIT.c.schematic, True),
    ("schema_hallucination", UNIT.c.schema_hallucination, False),
)
"""The checker's evaluations: their column on the unit, and the value that passes."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What was evaluated of one workflow in a window; weights are 1 / probability."""

    service_name: str
    environment: str
    workflow: str
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
    last_ns: int


class QualityReader:
    """Adds up evaluations; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def sums(self, *, since_ns: int) -> Iterator[Sums]:
        """Yield the sums over units since a time, by service, workflow and evaluation."""
        statement = union_all(*_static_labels(since_ns), _evaluations(since_ns))
        with self._engine.connect() as connection:
            for row in connection.execute(statement).mappings():
                yield Sums(**row)


def _static_labels(since_ns: int) -> Iterator[Select[tuple[object, ...]]]:
    """Every unit carries the checker's labels, evaluated here or not: weighted by its arrival."""
    weight = cast(1.0 / UNIT.c.head_probability, Float)
    for name, column, passing in _STATIC:
        passed = case((column.is_(passing), 1), else_=0)
        yield (
            _summed(
                literal(name),
                passed=passed,
                value=cast(None, Float),
                weight=weight,
                at=UNIT.c.state_ns,
            )
            .where(column.is_not(None), UNIT.c.occurred_ns >= since_ns)
            .group_by(*_WHO)
        )


def _evaluations(since_ns: int) -> Select[tuple[object, ...]]:
    weight = cast(1.0 / (UNIT.c.probability * EVALUATION.c.probability), Float)
    passed = case((EVALUATION.c.label == "pass", 1), else_=0)
    return (
        _summed(
            EVALUATION.c.metric,
            passed=passed,
            value=EVALUATION.c.value,
            weight=weight,
            at=EVALUATION.c.created_ns,
        )
        .join(UNIT, UNIT.c.id == EVALUATION.c.unit_id)
        .where(EVALUATION.c.label != "not_evaluated", UNIT.c.occurred_ns >= since_ns)
        .group_by(*_WHO, EVALUATION.c.metric)
    )


_WHO: Final = (UNIT.c.service_name, UNIT.c.environment, UNIT.c.workflow)


def _summed(
    name: ColumnElement[str],
    *,
    passed: ColumnElement[int],
    value: ColumnElement[float],
    weight: ColumnElement[float],
    at: ColumnElement[int],
) -> Select[tuple[object, ...]]:
    """Return the sums by the names of `Sums`; an unknown weight is NULL, which SUM leaves out."""
    return select(
        *_WHO,
        cast(name, String).label("evaluation"),
        func.count().label("count"),
        cast(func.sum(passed), Integer).label("passed"),
        func.sum(value).label("value_sum"),
        func.sum(weight).label("weight"),
        func.sum(weight * passed).label("weight_passed"),
        func.sum(weight * value).label("weight_value"),
        func.sum(weight * weight).label("weight_squared"),
        func.max(at).label("last_ns"),
    )
