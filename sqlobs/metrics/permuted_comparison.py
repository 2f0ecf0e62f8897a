"""Compare two result tables whose columns may be exchanged, or be missing on one side."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlobs.metrics import plain_comparison
from sqlobs.metrics.cells import RAW, compares_hashes, may_be_plain
from sqlobs.metrics.column_matching import (
    DEFAULT_BUDGET,
    BudgetExceededError,
    bag_column_map,
    same_counts,
    sequence_column_map,
)
from sqlobs.metrics.match import CUT, EQUAL, STOPPED, Match, by_row_count, by_shape, match_of

if TYPE_CHECKING:
    from sqlobs.metrics.cells import CellRule
    from sqlobs.types import ResultTable


def equal_permuted_bags(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    cells: CellRule = RAW,
    budget: int = DEFAULT_BUDGET,
) -> Match:
    """Compare the bags of rows under some permutation of the columns.

    Two empty tables are equal whatever their columns. The search for the permutation has a
    budget; when it is spent the answer is undetermined, never a wrong no.
    """
    if (early := by_shape(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    return _permuted_bags(reference, predicted, cells, budget)


def equal_permuted_sequences(
    reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW
) -> Match:
    """Compare row by row under some permutation of the columns."""
    if (early := by_shape(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    return _permuted_sequences(reference, predicted, cells)


def contained_bags(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    cells: CellRule = RAW,
    budget: int = DEFAULT_BUDGET,
) -> Match:
    """Compare the bags of rows where one table may have columns that the other lacks.

    Every column of the narrower table is found in a different column of the wider one.
    """
    if (early := by_row_count(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    return _permuted_bags(reference, predicted, cells, budget)


def contained_sequences(
    reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW
) -> Match:
    """Compare row by row where one table may have columns that the other lacks."""
    if (early := by_row_count(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    return _permuted_sequences(reference, predicted, cells)


def _permuted_bags(
    reference: ResultTable, predicted: ResultTable, cells: CellRule, budget: int
) -> Match:
    if compares_hashes(cells, reference, predicted):
        from sqlobs.metrics import large_comparison

        return large_comparison.equal_permuted_bags(reference, predicted, cells, budget=budget)
    if _are_equal_in_place(reference, predicted, cells):
        return EQUAL
    narrow, wide = sorted(cells.keys(reference, predicted), key=len)
    try:
        return match_of(bag_column_map(narrow, wide, budget=budget) is not None)
    except BudgetExceededError:
        return STOPPED


def _are_equal_in_place(reference: ResultTable, predicted: ResultTable, cells: CellRule) -> bool:
    """Tell at little cost whether no column of small tables has to be exchanged."""
    is_large = reference.arrow is not None or predicted.arrow is not None
    if is_large or len(reference.columns) != len(predicted.columns):
        return False
    if cells is RAW:
        with suppress(TypeError):
            return same_counts(Counter(reference.rows), Counter(predicted.rows))
    if not may_be_plain(cells, reference, predicted):
        return False
    return plain_comparison.same_bags(reference, predicted) is True


def _permuted_sequences(reference: ResultTable, predicted: ResultTable, cells: CellRule) -> Match:
    if compares_hashes(cells, reference, predicted):
        from sqlobs.metrics import large_comparison

        return large_comparison.equal_permuted_sequences(reference, predicted, cells)
    narrow, wide = sorted(cells.keys(reference, predicted), key=len)
    return match_of(sequence_column_map(narrow, wide) is not None)
