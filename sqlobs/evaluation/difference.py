"""The first rows in which two results differ, with cells fit to be shown."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.cells import CANONICAL
from sqlobs.runs.case import ResultDifference, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.cells import Keys
    from sqlobs.metrics.ordering import Ordering
    from sqlobs.types import Cell, ResultTable, Row

MOST_ROWS: Final = 5
_MOST_COLUMNS: Final = 50
_MOST_CHARACTERS: Final = 200
_EXACT_BELOW: Final = 2**53
"""Larger integers lose digits in most readers of JSON."""


def difference_of(
    reference: ResultTable, predicted: ResultTable, *, ordering: Ordering, most: int = MOST_ROWS
) -> ResultDifference:
    """Return what of each result the other lacks, as bags of rows.

    Args:
        reference: What the reference SQL returned.
        predicted: What the predicted SQL returned.
        ordering: The order that the reference promises.
        most: So many rows of each side are shown; all are counted.
    """
    keys, other_keys = CANONICAL.keys(reference, predicted)
    rows, others = _row_keys(keys, len(reference.rows)), _row_keys(other_keys, len(predicted.rows))
    missing, extra = _surplus(rows, others), _surplus(others, rows)
    return ResultDifference(
        missing=_shown(reference, missing[:most]),
        extra=_shown(predicted, extra[:most]),
        missing_count=len(missing),
        extra_count=len(extra),
        first_at=_first_at(rows, others) if ordering.is_ordered else None,
    )


def shown_cell(cell: Cell) -> Value:
    """Return a cell as JSON can hold it: long text cut, bytes in hexadecimal, the rest as text."""
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int) and abs(cell) < _EXACT_BELOW:
        return int(cell)
    if isinstance(cell, float) and math.isfinite(cell):
        return float(cell)
    text = f"0x{bytes(cell[:_MOST_CHARACTERS]).hex()}" if isinstance(cell, bytes) else _text(cell)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def _text(cell: Cell) -> str:
    try:
        return str(cell)
    except ValueError:  # Python does not print integers of more than 4300 digits
        return f"0x{cell:x}" if isinstance(cell, int) else type(cell).__name__


def _row_keys(columns: list[Keys], count: int) -> list[tuple[object, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * count


def _surplus(rows: Sequence[object], others: Sequence[object]) -> list[int]:
    """Return the positions of rows that are there more often than among the others."""
    left = Counter(others)
    surplus = []
    for position, row in enumerate(rows):
        if left[row]:
            left[row] -= 1
        else:
            surplus.append(position)
    return surplus


def _first_at(rows: Sequence[object], others: Sequence[object]) -> int | None:
    pairs = enumerate(zip(rows, others, strict=False))
    shorter = min(len(rows), len(others))
    first = next((at for at, (row, other) in pairs if row != other), shorter)
    return None if first == len(rows) == len(others) else first


def _shown(table: ResultTable, positions: Sequence[int]) -> tuple[tuple[Value, ...], ...]:
    rows: list[Row] = [table.rows[position] for position in positions]
    return tuple(tuple(map(shown_cell, row[:_MOST_COLUMNS])) for row in rows)
