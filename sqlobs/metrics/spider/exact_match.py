"""Spider's exact set match: are the clauses of two statements the same sets of parts?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from sqlobs.metrics.spider.parser import UnsupportedSqlError, parse
from sqlobs.metrics.spider.query import Conditions, Query
from sqlobs.metrics.spider.suite import with_plain_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs.metrics.spider.database import SpiderDatabase
    from sqlobs.metrics.spider.query import ColumnUnit, Comparison, Operand, ValueUnit

Part = Literal[
    "select",
    "select(no AGG)",
    "where",
    "where(no OP)",
    "group(no Having)",
    "group",
    "order",
    "and/or",
    "IUEN",
    "keywords",
]
PARTS: tuple[Part, ...] = get_args(Part)
"""The parts of a statement in the order of the original's table."""


@dataclass(frozen=True, slots=True)
class PartScore:
    """The number of units of a part on each side, and how many agree."""

    reference_count: int
    predicted_count: int
    common_count: int

    @property
    def is_equal(self) -> bool:
        """Both sides have the same units; a part that both lack is equal."""
        return self.reference_count == self.predicted_count == self.common_count


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """The outcome of an exact set match."""

    is_exact: bool
    parts: Mapping[Part, PartScore]
    is_supported: bool = True
    """The prediction is within Spider's grammar; else it was compared as the empty query."""

    @property
    def score(self) -> float | None:
        """1.0 or 0.0; None if the prediction is outside the grammar."""
        return float(self.is_exact) if self.is_supported else None

    @property
    def failed_parts(self) -> tuple[Part, ...]:
        """The parts that differ, sorted by name."""
        return tuple(sorted(part for part, score in self.parts.items() if not score.is_equal))


def exact_set_match(
    reference_sql: str, predicted_sql: str, *, database: SpiderDatabase
) -> ExactMatch:
    """Compare two statements clause by clause as sets, without literals and without DISTINCT.

    Range 0 or 1, higher is better; the parts are scored apart. Columns tied by foreign keys count
    as one. JOIN conditions and the number behind LIMIT are not compared; GROUP BY columns are, in
    order. A prediction outside the grammar counts as the empty query (published figures do that)
    and is marked unsupported. Source: taoyds/test-suite-sql-eval, evaluation.py.

    Args:
        reference_sql: The correct statement.
        predicted_sql: The statement to judge.
        database: Tables, columns and foreign keys.

    Raises:
        UnsupportedSqlError: the reference is outside Spider's grammar.
    """
    reference = parse(reference_sql, database=database)
    try:
        predicted = parse(with_plain_values(predicted_sql), database=database)
    except UnsupportedSqlError:
        return _matched(comparable(reference, database), Query(), is_supported=False)
    return _matched(comparable(reference, database), comparable(predicted, database))


def comparable(query: Query, database: SpiderDatabase) -> Query:
    """Return the query without literals, with foreign keys as one column and no DISTINCT."""
    tables = [table for table in query.tables if isinstance(table, str)]
    representatives = {
        column: first
        for column, first in database.representatives.items()
        if column.partition(".")[0] in tables
    }
    return _with_columns(_without_literals(query), representatives)


def _matched(reference: Query, predicted: Query, *, is_supported: bool = True) -> ExactMatch:
    parts = _parts(reference, predicted)
    is_exact = all(score.is_equal for score in parts.values()) and (
        not reference.tables or _same_tables(reference.tables, predicted.tables)
    )
    return ExactMatch(is_exact, parts, is_supported)


def _parts(reference: Query, predicted: Query) -> dict[Part, PartScore]:
    where, other_where = reference.where.comparisons, predicted.where.comparisons
    return {
        "select": _common(reference.select, predicted.select),
        "select(no AGG)": _common(
            [unit.value for unit in reference.select], [unit.value for unit in predicted.select]
        ),
        "where": _common(where, other_where),
        "where(no OP)": _common(
            [unit.value for unit in where], [unit.value for unit in other_where]
        ),
        "group(no Having)": _common(_group_names(reference), _group_names(predicted)),
        "group": _group(reference, predicted),
        "order": _order(reference, predicted),
        "and/or": _connectors(reference, predicted),
        "IUEN": _operands(reference, predicted),
        "keywords": _common(keywords(reference), keywords(predicted)),
    }


def _common(reference: Iterable[object], predicted: Iterable[object]) -> PartScore:
    left, right = Counter(reference), Counter(predicted)
    return PartScore(left.total(), right.total(), (left & right).total())


def _group_names(query: Query) -> list[str]:
    return [unit.column.rpartition(".")[2] for unit in query.group]


def _group(reference: Query, predicted: Query) -> PartScore:
    """Compare the ordered list with HAVING as one unit; HAVING alone does not count."""
    is_equal = (
        bool(reference.group)
        and [unit.column for unit in reference.group] == [unit.column for unit in predicted.group]
        and reference.having == predicted.having
    )
    return PartScore(bool(reference.group), bool(predicted.group), is_equal)


def _order(reference: Query, predicted: Query) -> PartScore:
    is_equal = (
        reference.order is not None
        and reference.order == predicted.order
        and reference.has_limit == predicted.has_limit
    )
    return PartScore(reference.order is not None, predicted.order is not None, is_equal)


def _connectors(reference: Query, predicted: Query) -> PartScore:
    left, right = set(reference.where.connectors), set(predicted.where.connectors)
    if left == right:
        return PartScore(1, 1, 1)
    return PartScore(len(right), len(left), 0)  # the original takes one side for the other


def _operands(reference: Query, predicted: Query) -> PartScore:
    pairs = list(zip(reference.operands, predicted.operands, strict=True))
    return PartScore(
        sum(left is not None for left, _ in pairs),
        sum(right is not None for _, right in pairs),
        sum(_matched(left, right).is_exact for left, right in pairs if left and right),
    )


def keywords(query: Query) -> set[str]:
    """Return the keywords that a statement uses, those of its subqueries left out."""
    clauses = {
        "where": query.where.comparisons,
        "group": query.group,
        "having": query.having.comparisons,
        "order": query.order,
        "limit": query.has_limit,
        "except": query.except_,
        "union": query.union,
        "intersect": query.intersect,
    }
    found = {name for name, clause in clauses.items() if clause}
    if query.order is not None:
        found |= {"order", query.order.direction}
    conditions = (query.joins, query.where, query.having)
    if any("or" in part.connectors for part in conditions):
        found.add("or")
    comparisons = [unit for part in conditions for unit in part.comparisons]
    found |= {unit.operator for unit in comparisons} & {"in", "like"}
    return found | {"not"} if any(unit.is_negated for unit in comparisons) else found


def _same_tables(reference: Sequence[str | Query], predicted: Sequence[str | Query]) -> bool:
    """Compare tables as sets; two different subqueries on one side cannot be put in an order."""
    sides = []
    for tables in (reference, predicted):
        queries = [table for table in tables if isinstance(table, Query)]
        if any(query != queries[0] for query in queries):
            return False
        sides.append((sorted(table for table in tables if isinstance(table, str)), queries))
    return sides[0] == sides[1]


def _without_literals(query: Query) -> Query:
    return replace(
        query,
        joins=_conditions_without_literals(query.joins),
        where=_conditions_without_literals(query.where),
        having=_conditions_without_literals(query.having),
        intersect=query.intersect and _without_literals(query.intersect),
        union=query.union and _without_literals(query.union),
        except_=query.except_ and _without_literals(query.except_),
    )


def _conditions_without_literals(conditions: Conditions) -> Conditions:
    return replace(
        conditions,
        comparisons=tuple(
            replace(unit, first=_subquery(unit.first), second=_subquery(unit.second))
            for unit in conditions.comparisons
        ),
    )


def _subquery(operand: Operand) -> Query | None:
    return _without_literals(operand) if isinstance(operand, Query) else None


def _with_columns(query: Query, columns: Mapping[str, str]) -> Query:
    """Replace columns by their representatives; subqueries in conditions and FROM stay as written.

    Operands of set operations take the representatives of the outer statement, as they do there.
    """

    def of_conditions(conditions: Conditions) -> Conditions:
        return replace(
            conditions,
            comparisons=tuple(_in_comparison(unit, columns) for unit in conditions.comparisons),
        )

    order = query.order and replace(
        query.order, values=tuple(_in_value(unit, columns) for unit in query.order.values)
    )
    return replace(
        query,
        select=tuple(replace(unit, value=_in_value(unit.value, columns)) for unit in query.select),
        is_distinct=False,
        joins=of_conditions(query.joins),
        where=of_conditions(query.where),
        group=tuple(_in_column(unit, columns) for unit in query.group),
        having=of_conditions(query.having),
        order=order,
        intersect=query.intersect and _with_columns(query.intersect, columns),
        union=query.union and _with_columns(query.union, columns),
        except_=query.except_ and _with_columns(query.except_, columns),
    )


def _in_comparison(unit: Comparison, columns: Mapping[str, str]) -> Comparison:
    return replace(unit, value=_in_value(unit.value, columns))


def _in_value(unit: ValueUnit, columns: Mapping[str, str]) -> ValueUnit:
    return replace(
        unit,
        left=_in_column(unit.left, columns),
        right=unit.right and _in_column(unit.right, columns),
    )


def _in_column(unit: ColumnUnit, columns: Mapping[str, str]) -> ColumnUnit:
    return replace(unit, column=columns.get(unit.column, unit.column), is_distinct=False)
