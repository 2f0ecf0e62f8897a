"""Execution accuracy in its variants: are the predicted rows those of the reference?

Each takes the reference's table first and the predicted one second and returns a `Match`: equal,
different, or undetermined with the reason. A dashboard must name the variant it shows.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from sqlobs.metrics.cells import CANONICAL, RAW
from sqlobs.metrics.column_matching import DEFAULT_BUDGET
from sqlobs.metrics.comparison import (
    equal_bags,
    equal_sequences,
    equal_sets,
    equal_tied_sequences,
)
from sqlobs.metrics.match import DIFFERENT, Match
from sqlobs.metrics.ordering import UNORDERED
from sqlobs.metrics.permuted_comparison import (
    contained_bags,
    contained_sequences,
    equal_permuted_bags,
    equal_permuted_sequences,
)

if TYPE_CHECKING:
    from sqlobs.metrics.cells import CellRule
    from sqlobs.metrics.ordering import Ordering
    from sqlobs.types import ResultTable


_SPELT_IN_SEVERAL_WAYS = frozenset({bool, float, Decimal})
"""Types with cells that Python calls equal and whose texts differ."""


def ex(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    ordering: Ordering = UNORDERED,
    cells: CellRule = CANONICAL,
) -> Match:
    """Compare bags of rows, or sequences if the reference is ordered; columns by position.

    The default rule of sqlobs. Range 0 or 1, higher is better. Rows that are equal on the sort
    keys may stand in any order where all keys are columns of the output. Two empty tables are
    equal. A truncated table gives 0 if the fetched rows already differ, else undetermined.

    Args:
        reference: What the reference SQL returned.
        predicted: What the predicted SQL returned.
        ordering: The order that the reference promises, from `ordering_of`.
        cells: When two cells are equal.

    See Also:
        ex_set: sets of rows, raw cells; the figure of BIRD leaderboards.
        ex_testsuite: columns may be permuted.
        ex_subset: one side may lack columns.
    """
    if not ordering.is_ordered:
        return equal_bags(reference, predicted, cells=cells)
    keys = ordering.positions(reference.columns)
    if keys is None:
        return equal_sequences(reference, predicted, cells=cells)
    return equal_tied_sequences(reference, predicted, keys=keys, cells=cells)


def ex_set(reference: ResultTable, predicted: ResultTable) -> Match:
    """Compare sets of rows with Python's equality: BIRD's and SQLMorph's EX.

    Range 0 or 1, higher is better; order and duplicates are forgiven, other column order is not.
    Two empty tables are equal. Source: bird-bench/mini_dev, evaluation_ex.py.
    """
    return equal_sets(reference, predicted, cells=RAW)


def ex_testsuite(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    is_ordered: bool,
    cells: CellRule = RAW,
    budget: int = DEFAULT_BUDGET,
) -> Match:
    """Compare bags (or sequences) of rows under some permutation of the columns.

    Range 0 or 1, higher is better. Two empty tables are equal. Undetermined when a table is
    truncated, or when the search for the permutation exceeds its budget. Raw cells are compared
    as the original does, which looks first whether the rows have the same cells in the order of
    their texts: there (1, 1.5) and (1.0, 1.5) differ. Source: taoyds/test-suite-sql-eval,
    exec_eval.py (`result_eq`, `quick_rej`).

    Args:
        reference: What the reference SQL returned.
        predicted: What the predicted SQL returned.
        is_ordered: Whether row order counts; `ordering_of`, or `mentions_order_by` for parity.
        cells: When two cells are equal.
        budget: Cells the search may look at.
    """
    if is_ordered:
        match = equal_permuted_sequences(reference, predicted, cells=cells)
    else:
        match = equal_permuted_bags(reference, predicted, cells=cells, budget=budget)
    if match.equal and cells is RAW and not _sorts_alike(reference, predicted, is_ordered):
        return DIFFERENT
    return match


def _sorts_alike(reference: ResultTable, predicted: ResultTable, is_ordered: bool) -> bool:  # noqa: FBT001 - passed through
    """Return whether equal rows are still equal when each is sorted by the texts of its cells."""
    kinds = {type(cell) for table in (reference, predicted) for row in table.rows for cell in row}
    if kinds.isdisjoint(_SPELT_IN_SEVERAL_WAYS):
        return True
    rows, others = (
        [tuple(sorted(row, key=_text_and_type)) for row in zip(*columns, strict=True)]
        for columns in RAW.keys(reference, predicted)
    )
    return rows == others if is_ordered else set(rows) == set(others)


def _text_and_type(cell: object) -> str:
    return f"{cell}{type(cell)}"


def ex_subset(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    is_ordered: bool = False,
    cells: CellRule = CANONICAL,
    budget: int = DEFAULT_BUDGET,
) -> Match:
    """Compare rows; the columns of one side may be a subset of the other's.

    The narrower table's columns must be found, each in a different column of the wider one, such
    that the rows agree; both need the same number of rows. Range 0 or 1, higher is better, a
    secondary figure: an empty table gives 0, because nothing would be compared. Truncated tables
    are undetermined. Source: IBM's subset_non_empty, made injective.
    """
    if not (len(reference.rows) and len(predicted.rows)):
        return DIFFERENT
    if is_ordered:
        return contained_sequences(reference, predicted, cells=cells)
    return contained_bags(reference, predicted, cells=cells, budget=budget)


def ex_non_empty(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    ordering: Ordering = UNORDERED,
    cells: CellRule = CANONICAL,
) -> Match:
    """Compare like `ex`, but return 0 if either table is empty.

    Guards against matches in which nothing was compared. Range 0 or 1, higher is better.
    """
    if not (len(reference.rows) and len(predicted.rows)):
        return DIFFERENT
    return ex(reference, predicted, ordering=ordering, cells=cells)
