"""The evaluations that rates are computed from, and their sums."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Integer, and_, case, cast, func, or_, select

from sqlobs.scores.registry import COMPARED_SCORES
from sqlobs.semconv.evaluations import CHECKED, FEEDBACK, SCHEMA_HALLUCINATION
from sqlobs.types import WITHOUT_SQL
from sqlobs_collector.store.portable import inverse, quotient, whole_sum
from sqlobs_collector.store.rollup import largest_weight
from sqlobs_collector.store.tables import EVALUATION, EVALUATION_ROLLUP, UNIT

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause

PASSED: Final = case((EVALUATION.c.label == "pass", 1), else_=0)
_SCORE: Final = EVALUATION.c.value
_LABELS: Final = {
    "syntactic": UNIT.c.syntactic,
    "schematic": UNIT.c.schematic,
    SCHEMA_HALLUCINATION: UNIT.c.hallucinated,
}
"""The label of a unit that each evaluation of the application is stored in."""
_FILLS_OPEN_LABEL: Final = (EVALUATION.c.kind == "llm") & or_(
    *((EVALUATION.c.metric == metric) & column.is_(None) for metric, column in _LABELS.items())
)
"""A late answer of the application's fallback, on a label that its check left open."""


def _is_last_word() -> ColumnElement[bool]:
    """Choose the last of what was said about a unit: a history counts once."""
    later = EVALUATION.alias()
    follows = (later.c.created_ns > EVALUATION.c.created_ns) | (
        (later.c.created_ns == EVALUATION.c.created_ns) & (later.c.version > EVALUATION.c.version)
    )
    of_unit = and_(later.c.unit_id == EVALUATION.c.unit_id, later.c.metric == FEEDBACK)
    return ~select(later.c.unit_id).where(of_unit, follows).exists()


_GIVES_SQL: Final = UNIT.c.outcome.is_(None) | UNIT.c.outcome.not_in(sorted(WITHOUT_SQL))
IN_RATES: Final = and_(
    UNIT.c.provenance == "live", _GIVES_SQL | EVALUATION.c.metric.in_(COMPARED_SCORES)
)
"""Requests without SQL on purpose count only where a reference says whether that was right."""
RATED: Final = and_(
    IN_RATES,
    EVALUATION.c.label != "not_evaluated",
    # A late result changes no label: it counts where there is none.
    EVALUATION.c.metric.not_in(CHECKED) | EVALUATION.c.stands_in | _FILLS_OPEN_LABEL,
    (EVALUATION.c.metric != FEEDBACK) | _is_last_word(),
)
"""The evaluations that rates are computed from; feedback by its last word."""


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
        cast(func.sum(PASSED), Integer),
        func.sum(EVALUATION.c.value),
        func.sum(weight),
        func.sum(weight * PASSED),
        func.sum(weight * EVALUATION.c.value),
        func.sum(weight * weight),
        func.sum(weight * weight * PASSED),
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
