"""Second thoughts where keys call rows different: each pair of numbers may be close anyway.

Only numbers in long rows of close neighbors get keys that mislead (`tolerance`); everywhere else
the keys have decided. Rows are then matched one to one by their numbers themselves.
"""

from __future__ import annotations

from collections import defaultdict, deque
from math import isfinite
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.metrics.cells import columns_of
from sqlobs.metrics.match import DIFFERENT, EQUAL, STOPPED, all_equal, match_of
from sqlobs.metrics.tolerance import EXACT_FLOATS_BELOW, Inexact, chained

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeGuard

    from sqlobs.metrics.cells import CanonicalCells, Keys
    from sqlobs.metrics.match import Match
    from sqlobs.types import Cell, ResultTable

    KeyRow: TypeAlias = tuple[Hashable, ...]

_MOST_PAIRS: Final = 250_000
"""Pairs of rows that are looked at before the search is given up."""


class TolerantComparison:
    """Compares rows number by number, within the tolerance, where equal keys do not decide."""

    def __init__(
        self, cells: CanonicalCells, reference: list[Keys], predicted: list[Keys], count: int
    ) -> None:
        """Take the keys of as many rows on both sides, numbers unshared."""
        self._cells = cells
        self._chains = chained(_numbers(reference, predicted), cells.tolerance) or {}
        self._rows, self._others = (
            list(zip(*columns, strict=True)) if self._chains and columns else [()] * count
            for columns in (reference, predicted)
        )

    @classmethod
    def about(
        cls, cells: CanonicalCells, reference: ResultTable, predicted: ResultTable
    ) -> TolerantComparison:
        """Take two whole tables of as many rows and columns."""
        return cls(cells, *cells.unshared(reference, predicted), len(reference.rows))

    def sequences(self) -> Match:
        """Compare row by row."""
        return match_of(bool(self._chains) and all(map(self._agree, self._rows, self._others)))

    def bags(self, start: int = 0, end: int | None = None) -> Match:
        """Compare the bags of the rows from one position to another."""
        if not self._chains:
            return DIFFERENT
        groups: dict[KeyRow, tuple[list[KeyRow], list[KeyRow]]] = defaultdict(lambda: ([], []))
        for side, rows in enumerate((self._rows[start:end], self._others[start:end])):
            for row in rows:
                groups[self._kind(row)][side].append(row)
        if any(len(rows) != len(others) for rows, others in groups.values()):
            return DIFFERENT
        return all_equal(self._matched(rows, others) for rows, others in groups.values())

    def _kind(self, row: KeyRow) -> KeyRow:
        """Return what equal rows have in common for certain."""
        return tuple(self._chain(key) for key in row)

    def _chain(self, key: Hashable) -> Hashable:
        chain = self._chains.get(key) if isinstance(key, Inexact | int) else None
        return key if chain is None else ("chain", chain)

    def _agree(self, row: KeyRow, other: KeyRow) -> bool:
        return all(map(self._cells.agree, row, other))

    def _matched(self, rows: Sequence[KeyRow], others: Sequence[KeyRow]) -> Match:
        """Match rows of one kind: usually they agree when sorted, else each looks for its own."""
        if all(map(self._agree, sorted(rows, key=_numbers_of), sorted(others, key=_numbers_of))):
            return EQUAL
        if len(rows) * len(others) > _MOST_PAIRS:
            return STOPPED
        partners = [
            [place for place, other in enumerate(others) if self._agree(row, other)] for row in rows
        ]
        return match_of(_is_matched(partners))


def have_far_numbers(cells: CanonicalCells, reference: ResultTable, predicted: ResultTable) -> bool:
    """Return whether a column of floats shows, at little cost, that no matching of rows agrees.

    In order of size the numbers of both sides would have to be close one by one.
    """
    columns = zip(columns_of(reference), columns_of(predicted), strict=True)
    return any(
        abs(number - other) > cells.tolerance(number, other)
        for column, others in columns
        if _is_sortable(column) and _is_sortable(others)
        for number, other in zip(sorted(column), sorted(others), strict=True)
    )


def _is_sortable(column: Sequence[Cell]) -> TypeGuard[Sequence[float]]:
    return all(isinstance(cell, float) and isfinite(cell) for cell in column)


def _is_matched(partners: Sequence[Sequence[int]]) -> bool:
    """Return whether each can have a partner of its own (augmenting paths, breadth first)."""
    by_place: dict[int, int] = {}
    by_row: dict[int, int] = {}
    for first in range(len(partners)):
        came_from: dict[int, int] = {}
        place = _free_place(first, partners, by_place, came_from)
        if place is None:
            return False
        while place is not None:  # everybody on the path moves on by one
            row = came_from[place]
            by_place[place] = row
            left = by_row.get(row)
            by_row[row] = place
            place = left
    return True


def _free_place(
    first: int,
    partners: Sequence[Sequence[int]],
    by_place: dict[int, int],
    came_from: dict[int, int],
) -> int | None:
    """Search for a free place, along an augmenting path through the occupied ones."""
    waiting = deque([first])
    while waiting:
        row = waiting.popleft()
        for place in partners[row]:
            if place in came_from:
                continue
            came_from[place] = row
            if place not in by_place:
                return place
            waiting.append(by_place[place])
    return None


def _numbers(*sides: Sequence[Keys]) -> set[Inexact | int]:
    """Return all numbers of the columns in which some are inexact."""
    found: set[Inexact | int] = set()
    for columns in zip(*sides, strict=True):
        keys = {key for column in columns for key in column if _is_number(key)}
        if any(isinstance(key, Inexact) for key in keys):
            found |= keys
    return found


def _is_number(key: Hashable) -> TypeGuard[Inexact | int]:
    is_small = isinstance(key, int) and abs(key) < EXACT_FLOATS_BELOW
    return is_small or isinstance(key, Inexact)


def _numbers_of(row: KeyRow) -> tuple[float, ...]:
    return tuple(
        key.value if isinstance(key, Inexact) else float(key) for key in row if _is_number(key)
    )
