"""Compare two result tables: as sets, bags or sequences of rows, columns in place.

Small tables are compared as Python values. Large ones (held by Arrow) under canonical cells are
compared as hashes, by `large_comparison`.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.metrics import plain_comparison
from sqlobs.metrics.cells import RAW, CanonicalCells, compares_hashes, may_be_plain
from sqlobs.metrics.column_matching import same_counts
from sqlobs.metrics.match import (
    CUT,
    DIFFERENT,
    EQUAL,
    STOPPED,
    Match,
    all_equal,
    by_shape,
    match_of,
)
from sqlobs.metrics.tolerant_comparison import TolerantComparison, have_far_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from sqlobs.metrics.cells import CellRule, Keys
    from sqlobs.types import ResultTable

    KeyRow: TypeAlias = tuple[Hashable, ...]

_MOST_DOUBTFUL_ROWS: Final = 200_000
"""Larger tables are not looked at number by number."""


def equal_sets(reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW) -> Match:
    """Compare the sets of rows: order and duplicates do not count, the columns' order does.

    Two empty tables are equal whatever their columns. Of a truncated table, the fetched rows must
    be among the other's; beyond that the answer is undetermined.
    """
    if compares_hashes(cells, reference, predicted):
        from sqlobs.metrics import large_comparison

        return large_comparison.equal_sets(reference, predicted, cells)
    if reference.truncated and predicted.truncated:
        return CUT
    is_complete = not (reference.truncated or predicted.truncated)
    if cells is RAW and is_complete:
        with suppress(TypeError):  # lists and mappings have no hash, their keys do
            return match_of(set(reference.rows) == set(predicted.rows))
    left, right = (set(rows) for rows in _key_rows(reference, predicted, cells))
    if is_complete:
        return match_of(left == right)
    part, whole = (left, right) if reference.truncated else (right, left)
    return CUT if part <= whole else DIFFERENT


def equal_bags(reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW) -> Match:
    """Compare the bags of rows: order does not count, duplicates and the columns' order do.

    Empties and truncation as in `equal_sets`; a table cut at more rows than the other has differs.
    """
    match = _bags_by_keys(reference, predicted, cells)
    return _reconsidered(match, reference, predicted, cells, TolerantComparison.bags)


def _bags_by_keys(reference: ResultTable, predicted: ResultTable, cells: CellRule) -> Match:
    if compares_hashes(cells, reference, predicted):
        from sqlobs.metrics import large_comparison

        return large_comparison.equal_bags(reference, predicted, cells)
    if (early := by_shape(reference, predicted)) is not None:
        return early
    if reference.truncated and predicted.truncated:
        return CUT
    if may_be_plain(cells, reference, predicted):
        decided = plain_comparison.same_bags(reference, predicted)
        if decided is not None:
            return match_of(decided)
    left, right = (Counter(rows) for rows in _key_rows(reference, predicted, cells))
    if not (reference.truncated or predicted.truncated):
        return match_of(same_counts(left, right))
    part, whole = (left, right) if reference.truncated else (right, left)
    return CUT if part <= whole else DIFFERENT


def equal_sequences(
    reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW
) -> Match:
    """Compare row by row; truncated tables that agree as far as they go are undetermined."""
    match = _sequences_by_keys(reference, predicted, cells)
    return _reconsidered(match, reference, predicted, cells, TolerantComparison.sequences)


def _sequences_by_keys(reference: ResultTable, predicted: ResultTable, cells: CellRule) -> Match:
    if compares_hashes(cells, reference, predicted):
        from sqlobs.metrics import large_comparison

        return large_comparison.equal_sequences(reference, predicted, cells)
    if (early := by_shape(reference, predicted)) is not None:
        return early
    if may_be_plain(cells, reference, predicted):
        decided = plain_comparison.same_sequences(reference, predicted)
        if decided is not None:
            return match_of(decided)
    left, right = _key_rows(reference, predicted, cells)
    if any(row != other for row, other in zip(left, right, strict=False)):
        return DIFFERENT
    if reference.truncated or predicted.truncated:
        return CUT
    return match_of(len(left) == len(right))


def equal_tied_sequences(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    keys: Sequence[int],
    cells: CellRule = RAW,
) -> Match:
    """Compare row by row; rows with equal sort keys may be in any order.

    Args:
        reference: The table of the reference.
        predicted: The table to judge.
        keys: Positions of the columns by which the reference is sorted.
        cells: When two cells are equal.
    """

    def tied(doubts: TolerantComparison) -> Match:
        rows, _ = _key_rows(reference, predicted, cells)
        return all_equal(doubts.bags(start, end) for start, end in _tie_groups(rows, keys))

    match = _tied_by_keys(reference, predicted, cells, keys)
    return _reconsidered(match, reference, predicted, cells, tied)


def _tied_by_keys(
    reference: ResultTable, predicted: ResultTable, cells: CellRule, keys: Sequence[int]
) -> Match:
    if compares_hashes(cells, reference, predicted):
        from sqlobs.metrics import large_comparison

        return large_comparison.equal_tied_sequences(reference, predicted, cells, keys=keys)
    if (early := by_shape(reference, predicted)) is not None:
        return early
    if may_be_plain(cells, reference, predicted):
        bags = plain_comparison.same_bags(reference, predicted)
        if bags is False or plain_comparison.same_sequences(reference, predicted):
            return match_of(bags is not False)
    left, right = _key_rows(reference, predicted, cells)
    at_hand = min(len(left), len(right))
    groups = _tie_groups(left[:at_hand], keys)
    complete = not (reference.truncated or predicted.truncated)
    for start, end in groups if complete else groups[:-1]:  # the cut may run through the last
        if not same_counts(Counter(left[start:end]), Counter(right[start:end])):
            return DIFFERENT
    return EQUAL if complete else CUT


def _reconsidered(
    match: Match,
    reference: ResultTable,
    predicted: ResultTable,
    cells: CellRule,
    compare: Callable[[TolerantComparison], Match],
) -> Match:
    """Look at the numbers themselves where their keys call whole tables of one shape different."""
    has_one_shape = len(reference.rows) == len(predicted.rows) and len(reference.columns) == len(
        predicted.columns
    )
    is_cut = reference.truncated or predicted.truncated
    if match != DIFFERENT or is_cut or not has_one_shape or not isinstance(cells, CanonicalCells):
        return match
    if plain_comparison.has_exact_cells(reference) and plain_comparison.has_exact_cells(predicted):
        return match
    if compares_hashes(cells, reference, predicted):
        from sqlobs.metrics.column_hashing import may_mislead

        if not may_mislead(reference, predicted, cells=cells):
            return match
        if len(reference.rows) > _MOST_DOUBTFUL_ROWS:
            return STOPPED
    if have_far_numbers(cells, reference, predicted):
        return match
    return compare(TolerantComparison.about(cells, reference, predicted))


def _key_rows(
    reference: ResultTable, predicted: ResultTable, cells: CellRule
) -> tuple[list[KeyRow], list[KeyRow]]:
    left, right = cells.keys(reference, predicted)
    return _rows(left, len(reference.rows)), _rows(right, len(predicted.rows))


def _rows(columns: list[Keys], count: int) -> list[KeyRow]:
    return list(zip(*columns, strict=True)) if columns else [()] * count


def _tie_groups(rows: list[KeyRow], keys: Sequence[int]) -> list[tuple[int, int]]:
    """Return the stretches of rows with equal sort keys, as half-open ranges."""
    sort_keys = [tuple(row[key] for key in keys) for row in rows]
    starts = [
        position
        for position, key in enumerate(sort_keys)
        if position == 0 or key != sort_keys[position - 1]
    ]
    return list(zip(starts, [*starts[1:], len(rows)], strict=True))
