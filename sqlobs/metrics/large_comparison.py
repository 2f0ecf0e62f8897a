"""The comparisons of large tables under canonical cells: on hashes, without Python values.

The same answers as `comparison` gives, but for hash collisions (about 2**-64 a pair of rows).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sqlobs.metrics.column_hashing import blocks, hashed_columns, mixed
from sqlobs.metrics.column_matching import (
    ROUNDS,
    BudgetExceededError,
    choices_among,
    find_column_map,
    injection,
)
from sqlobs.metrics.match import (
    CUT,
    DIFFERENT,
    EQUAL,
    STOPPED,
    Match,
    by_shape,
    match_of,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy.typing as npt

    from sqlobs.metrics.cells import CanonicalCells
    from sqlobs.metrics.column_hashing import Hashes
    from sqlobs.types import ResultTable

    Digest: TypeAlias = tuple[int, int]
    Prefixes: TypeAlias = tuple[Hashes, Hashes]

_STEP = np.uint64(0x9E3779B97F4A7C15)
"""Makes a row's hash depend on the order of its cells; odd, so that nothing is lost."""

_HALF = np.uint64(32)


def equal_sets(reference: ResultTable, predicted: ResultTable, cells: CanonicalCells) -> Match:
    """Compare the sets of rows."""
    if len(reference.columns) != len(predicted.columns):
        return match_of(not len(reference.rows) and not len(predicted.rows))
    if reference.truncated and predicted.truncated:
        return CUT
    left, right = map(np.unique, _rows(reference, predicted, cells))
    if not (reference.truncated or predicted.truncated):
        return match_of(np.array_equal(left, right))
    part, whole = (left, right) if reference.truncated else (right, left)
    return CUT if np.isin(part, whole).all() else DIFFERENT


def equal_bags(reference: ResultTable, predicted: ResultTable, cells: CanonicalCells) -> Match:
    """Compare the bags of rows."""
    if (early := by_shape(reference, predicted)) is not None:
        return early
    if reference.truncated and predicted.truncated:
        return CUT
    left, right = _rows(reference, predicted, cells)
    if not (reference.truncated or predicted.truncated):
        return match_of(bag_digest(left) == bag_digest(right))
    part, whole = (left, right) if reference.truncated else (right, left)
    return CUT if _is_part(part, whole) else DIFFERENT


def equal_sequences(reference: ResultTable, predicted: ResultTable, cells: CanonicalCells) -> Match:
    """Compare row by row."""
    if (early := by_shape(reference, predicted)) is not None:
        return early
    left, right = _rows(reference, predicted, cells)
    at_hand = min(len(left), len(right))
    if not np.array_equal(left[:at_hand], right[:at_hand]):
        return DIFFERENT
    return CUT if reference.truncated or predicted.truncated else EQUAL


def equal_tied_sequences(
    reference: ResultTable, predicted: ResultTable, cells: CanonicalCells, *, keys: Sequence[int]
) -> Match:
    """Compare row by row, rows with equal sort keys in any order among themselves."""
    if (early := by_shape(reference, predicted)) is not None:
        return early
    columns, others = hashed_columns(reference, predicted, cells=cells)
    at_hand = min(len(reference.rows), len(predicted.rows))
    sort_keys = row_hashes([columns[key] for key in keys], at_hand)
    groups = np.cumsum(np.concatenate([[False], sort_keys[1:] != sort_keys[:-1]]))
    is_cut = reference.truncated or predicted.truncated
    decided = groups < groups[-1] if is_cut else np.ones(at_hand, bool)
    left, right = (row_hashes(side, at_hand) for side in (columns, others))
    ordered = [rows[np.lexsort((rows, groups))][decided] for rows in (left, right)]
    if not np.array_equal(*ordered):
        return DIFFERENT
    return CUT if is_cut else EQUAL


def equal_permuted_sequences(
    reference: ResultTable, predicted: ResultTable, cells: CanonicalCells
) -> Match:
    """Compare row by row where columns may be exchanged, or be missing on one side."""
    narrow, wide = _by_width(*hashed_columns(reference, predicted, cells=cells))
    return match_of(injection(list(map(_identity, narrow)), list(map(_identity, wide))) is not None)


def equal_permuted_bags(
    reference: ResultTable, predicted: ResultTable, cells: CanonicalCells, *, budget: int
) -> Match:
    """Compare the bags of rows where columns may be exchanged, or be missing on one side."""
    narrow, wide = _by_width(*hashed_columns(reference, predicted, cells=cells))
    try:
        return match_of(find_column_map(HashedColumns(narrow, wide), budget=budget) is not None)
    except BudgetExceededError:
        return STOPPED


class HashedColumns:
    """Columns as hashes: the prefixes are hashes of the beginnings of rows."""

    def __init__(self, narrow: list[Hashes], wide: list[Hashes]) -> None:
        self._narrow = narrow
        self._wide = wide
        self.narrow_count = len(narrow)
        self.wide_count = len(wide)
        self.row_count = len(narrow[0]) if narrow else 0
        self._rows: Prefixes = (np.zeros(self.row_count, np.uint64),) * 2

    def choices(self) -> list[list[int]] | None:
        """Compare digests of the columns' bags of cells."""
        return choices_among(list(map(bag_digest, self._narrow)), list(map(bag_digest, self._wide)))

    def identity(self, candidate: int) -> Hashable:
        """Return a digest of the column that depends on the order of its cells."""
        return _identity(self._wide[candidate])

    def refined(self) -> list[list[int]] | None:
        """Hash the kinds of rows and columns in turns."""
        kinds = [list(map(bag_digest, side)) for side in (self._narrow, self._wide)]
        for _ in range(ROUNDS):
            rows = [
                _row_kinds(side, held)
                for side, held in zip((self._narrow, self._wide), kinds, strict=True)
            ]
            kinds = [
                [bag_digest(_appended(of_rows, column)) for column in side]
                for side, of_rows in zip((self._narrow, self._wide), rows, strict=True)
            ]
        self._rows = rows[0], rows[1]
        return choices_among(*kinds)

    def prefix(self, pairs: Sequence[tuple[int, int]]) -> Prefixes:
        """Return the hashes of the rows over these columns."""
        left, right = self._rows
        return (
            row_hashes([left, *(self._narrow[column] for column, _ in pairs)], self.row_count),
            row_hashes([right, *(self._wide[place] for _, place in pairs)], self.row_count),
        )

    def extended(self, prefix: Prefixes, column: int, candidate: int) -> Prefixes:
        """Take one more cell into the hash of every row."""
        left, right = prefix
        return _appended(left, self._narrow[column]), _appended(right, self._wide[candidate])

    def agrees(self, prefix: Prefixes) -> bool:
        """Compare digests of the bags of rows."""
        return bag_digest(prefix[0]) == bag_digest(prefix[1])


def row_hashes(columns: Sequence[Hashes], count: int) -> Hashes:
    """Return one hash a row, dependent on the order of the columns."""
    rows = np.zeros(count, np.uint64)
    for block in blocks(count):
        for column in columns:
            rows[block] = _appended(rows[block], column[:count][block])
    return rows


def shared_row_count(reference: ResultTable, predicted: ResultTable, cells: CanonicalCells) -> int:
    """Return how many rows two tables of the same width have in common, as bags."""
    (rows, counts), (others, other_counts) = (
        np.unique(hashes, return_counts=True) for hashes in _rows(reference, predicted, cells)
    )
    _, here, there = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
    return int(np.minimum(counts[here], other_counts[there]).sum())


def bag_digest(hashes: Hashes) -> Digest:
    """Return what depends on which hashes there are and how often, not on their order.

    The sums of the hashes and of their squares, modulo 2**64.
    """
    first, second = 0, 0
    for block in blocks(len(hashes)):
        first += int(hashes[block].sum())
        second += int((hashes[block] * hashes[block]).sum())
    return first % 2**64, second % 2**64


def _row_kinds(columns: Sequence[Hashes], kinds: Sequence[Digest]) -> Hashes:
    """Return for each row what depends on its cells and the kinds of their columns alone."""
    rows = np.zeros(len(columns[0]), np.uint64)
    for column, (kind, _) in zip(columns, kinds, strict=True):
        rows += mixed(column ^ np.uint64(kind))
    return mixed(rows)


def _identity(hashes: Hashes) -> Digest:
    """Return a digest that depends on the hashes and their order."""
    places = mixed(np.arange(len(hashes), dtype=np.uint64))
    return bag_digest(hashes ^ places)


def _appended(rows: Hashes, column: Hashes) -> Hashes:
    """Take one more cell, already well mixed, into the hash of every row."""
    appended: Hashes = (rows + _STEP) ^ column
    appended *= _STEP
    appended ^= appended >> _HALF
    return appended


def _rows(
    reference: ResultTable, predicted: ResultTable, cells: CanonicalCells
) -> tuple[Hashes, Hashes]:
    left, right = hashed_columns(reference, predicted, cells=cells)
    return row_hashes(left, len(reference.rows)), row_hashes(right, len(predicted.rows))


def _by_width(left: list[Hashes], right: list[Hashes]) -> tuple[list[Hashes], list[Hashes]]:
    return (left, right) if len(left) <= len(right) else (right, left)


def _is_part(part: Hashes, whole: Hashes) -> bool:
    values, counts = np.unique(part, return_counts=True)
    others, available = np.unique(whole, return_counts=True)
    places: npt.NDArray[np.intp] = np.searchsorted(others, values).clip(max=len(others) - 1)
    return bool((others[places] == values).all() and (counts <= available[places]).all())
