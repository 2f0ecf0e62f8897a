"""Compare two result tables: as sets, bags or sequences of rows, columns in place or permuted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from sqlobs.metrics.cells import RAW
from sqlobs.metrics.column_matching import (
    DEFAULT_BUDGET,
    BudgetExceededError,
    bag_column_map,
    sequence_column_map,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from sqlobs.metrics.cells import CellRule, Keys
    from sqlobs.types import ResultTable

    KeyRow: TypeAlias = tuple[Hashable, ...]

Undetermined = Literal["truncated", "budget"]
"""Why a comparison has no answer: a table was cut where it mattered, or the search was stopped."""


@dataclass(frozen=True, slots=True)
class Match:
    """Whether two tables are equal; never a guess."""

    equal: bool | None
    reason: Undetermined | None = None
    """Present exactly when `equal` is None."""

    @property
    def score(self) -> float | None:
        """1.0, 0.0, or None where it is undetermined."""
        return None if self.equal is None else float(self.equal)


EQUAL = Match(equal=True)
DIFFERENT = Match(equal=False)
CUT = Match(equal=None, reason="truncated")
STOPPED = Match(equal=None, reason="budget")


def equal_sets(reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW) -> Match:
    """Compare the sets of rows: order and duplicates do not count, the columns' order does.

    Two empty tables are equal whatever their columns. Of a truncated table the rows at hand must
    be among the other's; beyond that the answer is undetermined.
    """
    left, right = (set(rows) for rows in _key_rows(reference, predicted, cells))
    if not (reference.truncated or predicted.truncated):
        return _match(left == right)
    if reference.truncated and predicted.truncated:
        return CUT
    part, whole = (left, right) if reference.truncated else (right, left)
    return CUT if part <= whole else DIFFERENT


def equal_bags(reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW) -> Match:
    """Compare the bags of rows: order does not count, duplicates and the columns' order do.

    Empties and truncation as in `equal_sets`; a table cut at more rows than the other has differs.
    """
    if (early := _by_shape(reference, predicted)) is not None:
        return early
    left, right = (Counter(rows) for rows in _key_rows(reference, predicted, cells))
    if not (reference.truncated or predicted.truncated):
        return _match(left == right)
    if reference.truncated and predicted.truncated:
        return CUT
    part, whole = (left, right) if reference.truncated else (right, left)
    return CUT if part <= whole else DIFFERENT


def equal_sequences(
    reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW
) -> Match:
    """Compare row by row; truncated tables that agree as far as they go are undetermined."""
    if (early := _by_shape(reference, predicted)) is not None:
        return early
    left, right = _key_rows(reference, predicted, cells)
    if any(row != other for row, other in zip(left, right, strict=False)):
        return DIFFERENT
    if reference.truncated or predicted.truncated:
        return CUT
    return _match(len(left) == len(right))


def equal_tied_sequences(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    keys: Sequence[int],
    cells: CellRule = RAW,
) -> Match:
    """Compare row by row, but let rows with equal sort keys stand in any order among themselves.

    Args:
        reference: The table of the reference.
        predicted: The table to judge.
        keys: Positions of the columns by which the reference is sorted.
        cells: When two cells are equal.
    """
    if (early := _by_shape(reference, predicted)) is not None:
        return early
    left, right = _key_rows(reference, predicted, cells)
    at_hand = min(len(left), len(right))
    groups = _tie_groups(left[:at_hand], keys)
    complete = not (reference.truncated or predicted.truncated)
    for start, end in groups if complete else groups[:-1]:  # the cut may run through the last
        if Counter(left[start:end]) != Counter(right[start:end]):
            return DIFFERENT
    return EQUAL if complete else CUT


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
    if (early := _by_shape(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    return _searched(bag_column_map, reference, predicted, cells, budget)


def equal_permuted_sequences(
    reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW
) -> Match:
    """Compare row by row under some permutation of the columns."""
    if (early := _by_shape(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    left, right = cells.keys(reference, predicted)
    return _match(sequence_column_map(left, right) is not None)


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
    if (early := _by_row_count(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    if len(reference.columns) > len(predicted.columns):
        reference, predicted = predicted, reference
    return _searched(bag_column_map, reference, predicted, cells, budget)


def contained_sequences(
    reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW
) -> Match:
    """Compare row by row where one table may have columns that the other lacks."""
    if (early := _by_row_count(reference, predicted)) is not None:
        return early
    if reference.truncated or predicted.truncated:
        return CUT
    left, right = cells.keys(reference, predicted)
    narrow, wide = (left, right) if len(left) <= len(right) else (right, left)
    return _match(sequence_column_map(narrow, wide) is not None)


def _searched(
    search: Callable[..., tuple[int, ...] | None],
    reference: ResultTable,
    predicted: ResultTable,
    cells: CellRule,
    budget: int,
) -> Match:
    left, right = cells.keys(reference, predicted)
    try:
        return _match(search(left, right, budget=budget) is not None)
    except BudgetExceededError:
        return STOPPED


def _match(equal: bool) -> Match:  # noqa: FBT001 - names the two constants
    return EQUAL if equal else DIFFERENT


def _by_shape(reference: ResultTable, predicted: ResultTable) -> Match | None:
    """Decide where the numbers of rows and columns alone do."""
    if (early := _by_row_count(reference, predicted)) is not None:
        return early
    return DIFFERENT if len(reference.columns) != len(predicted.columns) else None


def _by_row_count(reference: ResultTable, predicted: ResultTable) -> Match | None:
    counts = len(reference.rows), len(predicted.rows)
    if not (reference.truncated or predicted.truncated):
        if counts == (0, 0):
            return EQUAL
        return DIFFERENT if counts[0] != counts[1] else None
    if reference.truncated and predicted.truncated:
        return None
    cut, complete = counts if reference.truncated else counts[::-1]
    return DIFFERENT if complete <= cut else None  # the cut table has at least one row more


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
