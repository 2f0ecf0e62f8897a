"""Exact and subset match of defog's sql-eval, and its templates for several right answers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING, TypeAlias

from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.types import Cell, Row

    Rows: TypeAlias = list[Row]

_ASKS_FOR_ORDER = re.compile(r"\b(order|sort|arrange)\b", re.IGNORECASE)
_NUMBERS = frozenset({int, float})
_BRACES = re.compile(r"\{([^}]*)\}")


@dataclass(frozen=True, slots=True)
class DefogMatch:
    """Whether a prediction equals the reference, or contains it."""

    is_exact: bool
    is_correct: bool
    """Exact, or each reference column is found and the rows agree on them."""


def defog_match(
    reference: ResultTable, predicted: ResultTable, *, category: str = "", question: str = ""
) -> DefogMatch:
    """Compare two tables after dropping duplicates and sorting columns and rows.

    Rows keep their order where the category is `order_by` or the question asks for an order; then
    they are sorted by the columns that come sorted. Two empty tables of one shape are exact; an
    empty reference is not a subset; NULL among numbers is never exact, as in the source's frames.
    Truncated tables are compared on the fetched rows. Source: defog-ai/sql-eval, eval/eval.py.
    """
    is_ordered = category == "order_by" or bool(_ASKS_FOR_ORDER.search(question))
    if _is_exact(reference, predicted, is_ordered=is_ordered):
        return DefogMatch(is_exact=True, is_correct=True)
    return DefogMatch(
        is_exact=False, is_correct=_is_subset(reference, predicted, is_ordered=is_ordered)
    )


def gold_alternatives(template: str) -> list[str]:
    """Expand a template of correct statements to all its variants.

    `;` separates alternatives, `{a, b}` is any non-empty subset of the columns, and a following
    `GROUP BY {}` repeats the subset. Source: defog-ai/sql-eval, eval/eval.py.

    >>> gold_alternatives("SELECT {a, b} FROM t; SELECT c FROM t")
    ['SELECT a FROM t', 'SELECT  b FROM t', 'SELECT a,  b FROM t', 'SELECT c FROM t']
    """
    parts = (part.strip() for part in template.split(";"))
    return list(chain.from_iterable(_filled(part) for part in parts if part))


def _filled(template: str) -> list[str]:
    braces = _BRACES.search(template)
    if braces is None:
        return [template]
    columns = braces[1].split(",")
    subsets = chain.from_iterable(
        combinations(columns, size) for size in range(1, len(columns) + 1)
    )
    head, tail = template[: braces.start()], template[braces.end() :]
    return [
        head + text + tail.replace("GROUP BY {}", f"GROUP BY {text}")
        for text in map(", ".join, subsets)
    ]


def _is_exact(reference: ResultTable, predicted: ResultTable, *, is_ordered: bool) -> bool:
    if len(reference.columns) != len(predicted.columns) or _holds_nan(reference):
        return False
    if len(reference.rows) == len(predicted.rows) and all(
        row == other for row, other in zip(reference.rows, predicted.rows, strict=True)
    ):
        return True
    return _normalized(reference, is_ordered) == _normalized(predicted, is_ordered)


def _holds_nan(table: ResultTable) -> bool:
    """Return whether a column has numbers and NULL: pandas makes that NaN, which equals nothing."""
    columns = (set(map(type, table.column(place))) for place in range(len(table.columns)))
    return any(
        type(None) in kinds and not kinds.isdisjoint(_NUMBERS) and kinds <= _NUMBERS | {type(None)}
        for kinds in columns
    )


def _is_subset(reference: ResultTable, predicted: ResultTable, *, is_ordered: bool) -> bool:
    if not (reference.rows and reference.columns):
        return False
    places = _matched_columns(reference, predicted)
    if places is None:
        return False
    projected = ResultTable(
        reference.columns,
        tuple(tuple(row[place] for place in places) for row in predicted.rows),
    )
    rows, others = _normalized(reference, is_ordered), _normalized(projected, is_ordered)
    return len(rows) == len(others) and all(
        map(_close, chain.from_iterable(rows), chain.from_iterable(others))
    )


def _matched_columns(reference: ResultTable, predicted: ResultTable) -> list[int] | None:
    """Find for each reference column the first unused predicted one with the same cells."""
    free = list(range(len(predicted.columns)))
    places = []
    for position in range(len(reference.columns)):
        cells = sorted(reference.column(position), key=_order)
        found = next((place for place in free if _same_cells(cells, predicted, place)), None)
        if found is None:
            return None
        free.remove(found)
        places.append(found)
    return places


def _same_cells(cells: list[Cell], table: ResultTable, place: int) -> bool:
    others = sorted(table.column(place), key=_order)
    return len(cells) == len(others) and all(map(_close, cells, others))


def _normalized(table: ResultTable, is_ordered: bool) -> Rows:  # noqa: FBT001 - passed through
    """Drop duplicate rows, sort the columns by name, and the rows."""
    order = sorted(range(len(table.columns)), key=table.columns.__getitem__)
    rows = [tuple(row[place] for place in order) for row in dict.fromkeys(table.rows)]
    places = range(len(order))
    if is_ordered:
        columns = list(zip(*rows, strict=True))
        steady = [place for place in places if columns and _is_sorted(columns[place])]
        if not steady:
            return rows
        places = [*steady, *(place for place in places if place not in steady)]  # type: ignore[assignment]  # positions either way
    return sorted(rows, key=lambda row: [_order(row[place]) for place in places])


def _is_sorted(cells: Sequence[Cell]) -> bool:
    keys = list(map(_order, cells))
    return keys == sorted(keys)


def _order(cell: Cell) -> tuple[int, float, str]:
    """Order numbers before text before NULL, as far as cells of one column differ at all."""
    if cell is None:
        return 2, 0.0, ""
    if isinstance(cell, int | float):
        return 0, cell, ""
    return 1, 0.0, str(cell)


def _close(cell: Cell, other: Cell) -> bool:
    if isinstance(cell, float) or isinstance(other, float):
        if isinstance(cell, int | float) and isinstance(other, int | float):
            return math.isclose(cell, other, rel_tol=1e-5, abs_tol=1e-8)
        return False
    return cell == other
