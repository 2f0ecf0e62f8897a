"""Rows in which two results differ, with similar rows paired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.runs.case import ResultDifference, Value

    Cells: TypeAlias = tuple[Value, ...]

Side = Literal["missing", "extra"]


@dataclass(frozen=True, slots=True)
class DifferingRow:
    """A row that is in only one of the results."""

    side: Side
    """`missing`: only the reference has it; `extra`: only the prediction has it."""
    cells: Cells
    changed: tuple[int, ...] = ()
    """Positions of the cells that differ from the paired row; () = it has no pair."""


def differing_rows(difference: ResultDifference) -> list[DifferingRow]:
    """Return missing and extra rows; rows with at least half of their cells equal are paired.

    Pairs come first, each missing row followed by its extra one; then the other missing rows, then
    the other extra rows.
    """
    partners = _partners(difference.missing, difference.extra)
    return [*_lines(difference.missing, difference.extra, partners)]


def _lines(
    missing: Sequence[Cells], extra: Sequence[Cells], partners: dict[int, int]
) -> Iterator[DifferingRow]:
    for place, other in partners.items():
        changed = _changed(missing[place], extra[other])
        yield DifferingRow("missing", missing[place], changed)
        yield DifferingRow("extra", extra[other], changed)
    taken = set(partners.values())
    yield from (DifferingRow("missing", row) for i, row in enumerate(missing) if i not in partners)
    yield from (DifferingRow("extra", row) for i, row in enumerate(extra) if i not in taken)


def _partners(missing: Sequence[Cells], extra: Sequence[Cells]) -> dict[int, int]:
    """Pair each missing row with the extra row with the fewest changed cells; each is used once."""
    candidates = sorted(
        (len(_changed(row, other)), i, j)
        for i, row in enumerate(missing)
        for j, other in enumerate(extra)
        if len(row) == len(other) and 0 < 2 * len(_changed(row, other)) <= len(row)
    )
    found: dict[int, int] = {}
    for _, i, j in candidates:
        if i not in found and j not in found.values():
            found[i] = j
    return dict(sorted(found.items()))


def _changed(row: Cells, other: Cells) -> tuple[int, ...]:
    return tuple(
        place for place, (cell, twin) in enumerate(zip(row, other, strict=True)) if cell != twin
    )
