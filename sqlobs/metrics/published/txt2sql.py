"""Execution, intent and essence match of the package txt2sql."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.types import Cell, ResultTable, Row

    NamedRow: TypeAlias = dict[str, Cell]
    Rule: TypeAlias = Callable[[Cell, Cell], bool]

_DATE_FORMATS = ("%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")
_COARSE_FROM = 100
"""From here on essence match takes numbers within 0.5 as equal, below within 0.05."""


@dataclass(frozen=True, slots=True)
class Txt2SqlMatch:
    """Three rules, from strict to lenient; only the first is injective."""

    execution: bool
    """Sets of rows are equal, floats within a relative 1e-9."""
    intent: bool
    """As many rows, and each reference row is covered; numbers agree to one decimal."""
    essence: bool
    """The same with coarser numbers, and dates whatever their format."""


def txt2sql_match(reference: ResultTable, predicted: ResultTable) -> Txt2SqlMatch:
    """Compare two tables by the rules of txt2sql 0.4; higher is better.

    NULL equals 0 in intent and essence. Two empty tables match. Truncated tables are compared on
    the fetched rows. To be reported as secondary figures only: one predicted value may cover
    several reference values.
    """
    return Txt2SqlMatch(
        execution=_execution(reference, predicted),
        intent=_covers(reference, predicted, _intent_equal),
        essence=_covers(reference, predicted, _essence_equal),
    )


def _execution(reference: ResultTable, predicted: ResultTable) -> bool:
    left, right = _buckets(reference), _buckets(predicted)
    return (
        left.keys() == right.keys()
        and all(_among(row, right[key]) for key, rows in left.items() for row in rows)
        and all(_among(row, left[key]) for key, rows in right.items() for row in rows)
    )


def _buckets(table: ResultTable) -> dict[Row, list[Row]]:
    """Group rows by their cells with floats to eight decimals, as the source hashes them."""
    buckets: dict[Row, list[Row]] = {}
    for row in table.rows:
        key = tuple(f"{cell:.8f}" if isinstance(cell, float) else cell for cell in row)
        buckets.setdefault(key, []).append(row)
    return buckets


def _among(row: Row, others: list[Row]) -> bool:
    return any(all(map(_strictly_equal, row, other)) for other in others)


def _strictly_equal(cell: Cell, other: Cell) -> bool:
    if isinstance(cell, float) and isinstance(other, float):
        return math.isclose(cell, other, rel_tol=1e-9)
    return cell == other


def _covers(reference: ResultTable, predicted: ResultTable, equal: Rule) -> bool:
    rows, others = _named_rows(reference), _named_rows(predicted)
    if rows and others and rows[0].keys() == others[0].keys() and len(rows[0]) == 1:
        rows, others = _distinct(rows), _distinct(others)
    if len(rows) != len(others):
        return False
    used: set[int] = set()
    for place, row in enumerate(rows):
        if place not in used and _covered(row, others[place], equal):
            used.add(place)
            continue
        free = (
            k for k, other in enumerate(others) if k not in used and _covered(row, other, equal)
        )
        found = next(free, None)
        if found is None:
            return False
        used.add(found)
    return True


def _named_rows(table: ResultTable) -> list[NamedRow]:
    names = [name.lower() for name in table.columns]
    return [
        {
            name: cell.strip('"') if isinstance(cell, str) else cell
            for name, cell in zip(names, row, strict=True)
        }
        for row in table.rows
    ]


def _distinct(rows: list[NamedRow]) -> list[NamedRow]:
    return list({str(row): row for row in reversed(rows)}.values())[::-1]


def _covered(row: NamedRow, other: NamedRow, equal: Rule) -> bool:
    return all(
        equal(cell, other[name])
        if name in other
        else any(equal(cell, candidate) for candidate in other.values())
        for name, cell in row.items()
    )


def _intent_equal(cell: Cell, other: Cell) -> bool:
    if _is_nothing(cell) and _is_nothing(other):
        return True
    if isinstance(cell, int | float | Decimal) and isinstance(other, int | float | Decimal):
        return round(float(cell), 1) == round(float(other), 1)
    return str(cell) == str(other)


def _essence_equal(cell: Cell, other: Cell) -> bool:
    cell, other = _as_date(cell), _as_date(other)
    if _is_nothing(cell) and _is_nothing(other):
        return True
    if isinstance(cell, int | float | Decimal) and isinstance(other, int | float | Decimal):
        distance = 0.5 if cell >= _COARSE_FROM else 0.05
        return cell == other or abs(float(cell) - float(other)) <= distance
    return str(cell) == str(other)


def _is_nothing(cell: Cell) -> bool:
    return cell is None or cell == 0


def _as_date(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    for form in _DATE_FORMATS:
        try:
            return dt.datetime.strptime(cell, form)  # noqa: DTZ007 - texts without a zone
        except ValueError:
            continue
    return cell
