"""Numbers of large tables in groups that are equal within a tolerance, as in `tolerance`."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import numpy as np

from sqlobs.metrics.tolerance import EXACT_FLOATS_BELOW

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy.typing as npt

    from sqlobs.metrics.cells import CanonicalCells

    Numbers: TypeAlias = npt.NDArray[np.float64]

_HALF: Final = 0.5
"""A number with so large a tolerance is equal to several integers."""


def shared_numbers(pool: Numbers, cells: CanonicalCells) -> Numbers:
    """Return for each of the sorted numbers the one that stands for its group."""
    starts = _group_starts(pool, cells)
    nearest = np.round(starts)
    is_close = np.abs(nearest) < EXACT_FLOATS_BELOW
    for each in (starts, pool):
        is_close &= np.abs(nearest - each) <= _tolerances(nearest, each, cells)
    return np.where(is_close, nearest, starts)


def is_misleading(pool: Numbers, cells: CanonicalCells) -> bool:
    """Return whether some sorted numbers equal others that have a different key."""
    starts = _group_starts(pool, cells)
    is_close = np.diff(pool) <= _tolerances(pool[:-1], pool[1:], cells)
    nearest = np.round(pool)
    is_near = np.abs(nearest - pool) <= _tolerances(nearest, pool, cells)
    is_parted = (is_close & (np.diff(starts) > 0)).any()
    is_misled = (is_near & (shared_numbers(pool, cells) != nearest)).any()
    is_between = (_tolerances(pool, pool, cells) > _HALF).any()
    return bool(is_parted or is_misled or is_between)


def _group_starts(pool: Numbers, cells: CanonicalCells) -> Numbers:
    """Cut sorted numbers into groups no wider than the tolerance; return each one's first."""
    is_gap = np.diff(pool) > _tolerances(pool[:-1], pool[1:], cells)
    bounds = np.concatenate([[0], np.flatnonzero(is_gap) + 1, [len(pool)]])
    starts = np.repeat(pool[bounds[:-1]], np.diff(bounds))
    is_wide = pool - starts > _tolerances(starts, pool, cells)
    for group in np.unique(np.searchsorted(bounds, np.flatnonzero(is_wide), side="right") - 1):
        _cut(pool[bounds[group] : bounds[group + 1]], starts[bounds[group] :], cells)
    return starts


def _cut(numbers: Numbers, starts: Numbers, cells: CanonicalCells) -> None:
    """Cut a run of close neighbors from its smallest number on."""
    first = 0
    while first < len(numbers):
        low = float(numbers[first])

        def is_beyond(place: int, low: float = low) -> bool:
            return float(numbers[place]) - low > cells.tolerance(low, float(numbers[place]))

        end = bisect_left(range(len(numbers)), True, first, key=is_beyond)
        starts[first:end] = low
        first = end


def _tolerances(numbers: Numbers | np.float64, others: Numbers, cells: CanonicalCells) -> Numbers:
    largest = np.maximum(np.abs(numbers), np.abs(others))
    return np.maximum(cells.absolute_tolerance, cells.relative_tolerance * largest)
