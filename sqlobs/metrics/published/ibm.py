"""The metrics of IBM's text2sql-eval-toolkit (unitxt), on tables and on statements.

Tables are compared as text, and the text of a number depends on the frame around it, as it does
in pandas: a NULL or a float turns the integers of its column into floats.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer import optimize

from sqlobs.metrics.parsing import quiet, tree_of
from sqlobs.metrics.text_match import same_select_text
from sqlobs.metrics.tree_comparison import tree_match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.types import Cell, ResultTable

Texts: TypeAlias = "Sequence[Sequence[str]]"

_NUMBERS = frozenset({int, float})
_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class IbmScores:
    """Whether two tables match, by four rules, from strict to lenient."""

    execution: bool
    """Same shape and the same texts; cells sorted inside rows, rows too if unordered."""
    non_empty_execution: bool
    """The same, and neither table is empty."""
    subset_non_empty_execution: bool
    """Each row of the narrower table is part of the wider table's row at that place."""
    bird_execution: bool
    """The sets of rows are equal."""


def ibm_scores(reference: ResultTable, predicted: ResultTable, *, reference_sql: str) -> IbmScores:
    """Compare two tables by IBM's rules; higher is better, order counts if the SQL says ORDER BY.

    Without an order each column is sorted by itself, so that rows may be mixed up unnoticed: a
    known leniency of the source. Two empty tables of one shape match, except under the non-empty
    rules. Truncated tables are compared on the fetched rows. Source: unitxt 1.26,
    text2sql_utils.py (`compare_result_dfs`).
    """
    is_ordered = "ORDER BY" in reference_sql.upper()
    left, right = _row_texts(reference), _row_texts(predicted)
    same_shape = (len(left), len(reference.columns)) == (len(right), len(predicted.columns))
    matches = same_shape and _sorted_cells(left, is_ordered) == _sorted_cells(right, is_ordered)
    is_filled = bool(left and right and reference.columns and predicted.columns)
    return IbmScores(
        execution=matches,
        non_empty_execution=matches and is_filled,
        subset_non_empty_execution=is_filled and _is_subset(reference, predicted, is_ordered),
        bird_execution=set(map(tuple, left)) == set(map(tuple, right)),
    )


def deciding_ibm_scores(scores: Sequence[IbmScores]) -> IbmScores:
    """Return the scores of the first reference with a subset match, else those of the last one.

    The source stops there and keeps what it found last; no reference gives no match.
    """
    nothing = IbmScores(
        execution=False,
        non_empty_execution=False,
        subset_non_empty_execution=False,
        bird_execution=False,
    )
    last = scores[-1] if scores else nothing
    return next((score for score in scores if score.subset_non_empty_execution), last)


@dataclass(frozen=True, slots=True)
class IbmSqlMatch:
    """Whether two statements are equal, by four comparisons of their text."""

    exact_match: bool
    sqlglot_equivalence: bool
    sqlglot_optimized_equivalence: bool
    sqlparse_equivalence: bool

    @property
    def is_equivalent(self) -> bool:
        """Any of the four says so."""
        return (
            self.exact_match
            or self.sqlglot_equivalence
            or self.sqlglot_optimized_equivalence
            or self.sqlparse_equivalence
        )


def ibm_sql_match(reference_sql: str, predicted_sql: str) -> IbmSqlMatch:
    """Compare two statements like unitxt 1.26, but with the installed sqlglot.

    Its gaps are kept: the parser now keeps FROM under another name, so that sqlglot_equivalence no
    longer compares it, and what the optimizer cannot resolve without a schema is not equal.
    """
    pair = reference_sql, predicted_sql
    return IbmSqlMatch(
        exact_match=tree_match(*pair).is_same_text,
        sqlglot_equivalence=_same_clauses(*pair),
        sqlglot_optimized_equivalence=_same_optimized(*pair),
        sqlparse_equivalence=same_select_text(*pair),
    )


def _same_clauses(reference_sql: str, predicted_sql: str) -> bool:
    left, right = tree_of(reference_sql), tree_of(predicted_sql)
    if not isinstance(left, exp.Select) or not isinstance(right, exp.Select):
        return False
    return _clauses(left) == _clauses(right)


def _clauses(tree: exp.Expr) -> tuple[frozenset[str], tuple[str, ...]]:
    columns = frozenset(item.unalias().sql(normalize=True) for item in tree.expressions)
    clauses = (tree.args.get(name) for name in ("where", "group", "having", "order"))
    return columns, tuple(clause.sql(normalize=True) if clause else "" for clause in clauses)


def _same_optimized(reference_sql: str, predicted_sql: str) -> bool:
    left, right = tree_of(reference_sql.lower()), tree_of(predicted_sql.lower())
    if left is None or right is None:
        return False
    with quiet():
        try:
            same: bool = optimize(left) == optimize(right)
        except SqlglotError:
            return False
    return same


def _sorted_cells(rows: Texts, is_ordered: bool) -> Texts:  # noqa: FBT001 - the rule's own switch
    inside = [sorted(row) for row in rows]
    return inside if is_ordered else [sorted(column) for column in zip(*inside, strict=True)]


def _is_subset(reference: ResultTable, predicted: ResultTable, is_ordered: bool) -> bool:  # noqa: FBT001 - as above
    if len(reference.rows) != len(predicted.rows):
        return False
    tables = sorted((reference, predicted), key=lambda table: len(table.columns))
    narrow, wide = map(_row_texts if is_ordered else _mixed_rows, tables)
    return all(Counter(row) <= Counter(other) for row, other in zip(narrow, wide, strict=True))


def _mixed_rows(table: ResultTable) -> list[tuple[str, ...]]:
    """Return rows of the sorted columns."""
    return list(zip(*map(sorted, _column_texts(table)), strict=True))


def _column_texts(table: ResultTable) -> list[list[str]]:
    """Return the text of each column by itself."""
    return [
        [_text(cell, is_float=_is_float_column(cells)) for cell in cells]
        for cells in _columns(table)
    ]


def _row_texts(table: ResultTable) -> list[tuple[str, ...]]:
    """Return the text of each row: in a frame of numbers only, one float makes all of them so."""
    columns = _columns(table)
    floats = [_is_float_column(cells) for cells in columns]
    all_numbers = all(
        is_float or _is_integer_column(cells)
        for is_float, cells in zip(floats, columns, strict=True)
    )
    if all_numbers and any(floats):
        floats = [True] * len(floats)
    texts = [
        [_text(cell, is_float=is_float) for cell in cells]
        for is_float, cells in zip(floats, columns, strict=True)
    ]
    return list(zip(*texts, strict=True)) if texts else [()] * len(table.rows)


def _columns(table: ResultTable) -> list[list[Cell]]:
    return [table.column(place) for place in range(len(table.columns))]


def _is_float_column(cells: Sequence[Cell]) -> bool:
    kinds = set(map(type, cells))
    return kinds - {type(None)} <= _NUMBERS and (
        float in kinds or (type(None) in kinds and int in kinds)
    )


def _is_integer_column(cells: Sequence[Cell]) -> bool:
    return all(type(cell) is int and cell in _INT64 for cell in cells)


def _text(cell: Cell, *, is_float: bool) -> str:
    if is_float:
        return "nan" if cell is None else str(float(cell))  # type: ignore[arg-type]  # a number
    return str(cell)
