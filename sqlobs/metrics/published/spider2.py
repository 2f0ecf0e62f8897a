"""Table match of Spider 2.0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.types import Cell, ResultTable

TOLERANCE = 0.01
"""Numbers this close are equal."""


def table_match(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    condition_columns: Sequence[int] = (),
    ignores_order: bool = False,
) -> bool:
    """Find every column of the reference among the predicted columns.

    Surplus predicted columns are free, one predicted column may serve twice, numbers are equal
    within 0.01, NULL is 0. A reference without columns always matches. Truncated tables are
    compared on the rows at hand. Source: xlang-ai/Spider2, spider2-lite evaluate.py.

    Args:
        reference: The reference's table.
        predicted: The predicted table.
        condition_columns: The reference columns that count; none = all.
        ignores_order: Sort each column by itself first.
    """
    wanted = condition_columns or range(len(reference.columns))
    given = [
        _vector(predicted.column(place), ignores_order) for place in range(len(predicted.columns))
    ]
    return all(
        any(_close(_vector(reference.column(place), ignores_order), other) for other in given)
        for place in wanted
    )


def _vector(cells: Sequence[Cell], ignores_order: bool) -> list[Cell]:  # noqa: FBT001 - passed through
    vector = [0 if _is_null(cell) else cell for cell in cells]
    return sorted(vector, key=_order) if ignores_order else vector


def _is_null(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _order(cell: Cell) -> tuple[str, bool]:
    return str(cell), isinstance(cell, int | float)


def _close(cells: list[Cell], others: list[Cell]) -> bool:
    return len(cells) == len(others) and all(map(_equal, cells, others))


def _equal(cell: Cell, other: Cell) -> bool:
    if isinstance(cell, int | float) and isinstance(other, int | float):
        return math.isclose(cell, other, abs_tol=TOLERANCE)
    return cell == other
