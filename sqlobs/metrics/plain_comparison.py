"""Compare the rows of small tables as they are, where canonical cells would say the same.

In a column whose cells are all of one type on both sides, cells that Python calls equal are equal
canonically, too; and if that type has neither a tolerance nor a second spelling, cells that Python
calls different are different.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.metrics.column_matching import same_counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.types import Cell, ResultTable, Row

_NULL: Final = type(None)
_EXACT: Final = frozenset({_NULL, bool, bytes, dt.date, int, str})
"""Types whose canonical equality is Python's among cells of the same type."""

Column: TypeAlias = "tuple[tuple[Cell, ...], tuple[Cell, ...], bool]"
"""The cells of both sides, and whether their type is an exact one."""


def same_bags(reference: ResultTable, predicted: ResultTable) -> bool | None:
    """Return whether the bags of rows are equal; None if only canonical cells can tell."""
    rows, others = reference.rows, predicted.rows
    columns = _columns(rows, others)
    if columns is None:
        return None
    try:
        if rows == others or same_counts(Counter(rows), Counter(others)):
            return True
    except TypeError:  # lists and mappings have no hash
        return None
    if all(is_exact for _, _, is_exact in columns):
        return False
    differs = any(
        is_exact and not same_counts(Counter(column), Counter(other))
        for column, other, is_exact in columns
    )
    return False if differs else None


def same_sequences(reference: ResultTable, predicted: ResultTable) -> bool | None:
    """Return whether the rows are equal one by one; None if only canonical cells can tell."""
    rows, others = reference.rows, predicted.rows
    columns = _columns(rows, others)
    if columns is None:
        return None
    if rows == others:
        return True
    if all(is_exact for _, _, is_exact in columns):
        return False
    differs = any(is_exact and column != other for column, other, is_exact in columns)
    return False if differs else None


def has_exact_cells(table: ResultTable) -> bool:
    """Return whether no cell of a small table is a number that tolerance could make equal."""
    return table.arrow is None and {*map(type, chain.from_iterable(table.rows))} <= _EXACT


def _columns(rows: Iterable[Row], others: Iterable[Row]) -> list[Column] | None:
    """Return the columns; `None` where a column mixes types, NULL aside."""
    found: list[Column] = []
    for column, other in zip(zip(*rows, strict=True), zip(*others, strict=True), strict=True):
        kinds = {*map(type, column), *map(type, other)}
        if len(kinds) > 1 and len(kinds - {_NULL}) > 1:
            return None
        found.append((column, other, kinds <= _EXACT))
    return found
