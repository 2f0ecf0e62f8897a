"""Spider's four levels of hardness of a reference statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sqlobs.metrics.spider.parser import parse
from sqlobs.metrics.spider.query import Query

if TYPE_CHECKING:
    from sqlobs.metrics.spider.database import SpiderDatabase

Hardness = Literal["easy", "medium", "hard", "extra"]

LEVELS: tuple[Hardness, ...] = ("easy", "medium", "hard", "extra")


def hardness(reference_sql: str, *, database: SpiderDatabase) -> Hardness:
    """Return the level of a reference statement by counting its clauses.

    Source: taoyds/test-suite-sql-eval, evaluation.py, its quirks kept: a negated condition and the
    words between HAVING conditions count as aggregates.

    Raises:
        UnsupportedSqlError: the statement is outside Spider's grammar.
    """
    return hardness_of(parse(reference_sql, database=database))


def hardness_of(query: Query) -> Hardness:
    """Return the level of a parsed statement."""
    clauses, others, nested = _clause_count(query), _other_count(query), _nested_count(query)
    if nested == 0:
        if clauses <= 1 and others == 0:
            return "easy"
        if (others <= 2 and clauses <= 1) or (clauses <= 2 and others < 2):  # noqa: PLR2004 - the published table
            return "medium"
        if (others > 2 and clauses <= 2) or (clauses == 3 and others <= 2):  # noqa: PLR2004 - the published table
            return "hard"
    if clauses <= 1 and others == 0 and nested <= 1:
        return "hard"
    return "extra"


def _clause_count(query: Query) -> int:
    conditions = (query.joins, query.where, query.having)
    return (
        bool(query.where.comparisons)
        + bool(query.group)
        + (query.order is not None)
        + query.has_limit
        + max(0, len(query.tables) - 1)
        + sum(part.connectors.count("or") for part in conditions)
        + sum(unit.operator == "like" for part in conditions for unit in part.comparisons)
    )


def _nested_count(query: Query) -> int:
    operands = (
        operand
        for part in (query.joins, query.where, query.having)
        for unit in part.comparisons
        for operand in (unit.first, unit.second)
    )
    return sum(isinstance(operand, Query) for operand in operands) + sum(
        operand is not None for operand in query.operands
    )


def _other_count(query: Query) -> int:
    where_units = len(query.where.comparisons) + len(query.where.connectors)
    return (
        (_aggregate_count(query) > 1)
        + (len(query.select) > 1)
        + (where_units > 1)
        + (len(query.group) > 1)
    )


def _aggregate_count(query: Query) -> int:
    in_order = [
        unit
        for value in (query.order.values if query.order else ())
        for unit in (value.left, value.right)
        if unit is not None
    ]
    return (
        sum(unit.aggregate != "none" for unit in query.select)
        + sum(unit.aggregate != "none" for unit in (*query.group, *in_order))
        + sum(unit.is_negated for unit in query.where.comparisons)
        + sum(unit.is_negated for unit in query.having.comparisons)
        + len(query.having.connectors)
    )
