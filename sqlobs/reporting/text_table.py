"""Tables for the terminal: aligned cells, and numbers as benchmarks' evaluators print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_WIDTH: Final = 18
"""Width of a row's name in characters."""
_COLUMN: Final = 12


def head(counts: Mapping[str, int]) -> list[str]:
    """Return the line of names and the line of counts."""
    names = "".join(f"{name:>{_COLUMN}}" for name in counts)
    numbers = "".join(f"{count:>{_COLUMN},}" for count in counts.values())
    return [f"{'':<{_WIDTH}}{names}", f"{'count':<{_WIDTH}}{numbers}"]


def row(title: str, values: Iterable[float | None], *, decimals: int = 3) -> str:
    """Return a line of values; None is `n/a`."""
    cells = ("n/a" if value is None else f"{value:.{decimals}f}" for value in values)
    return f"{title:<{_WIDTH}}{''.join(f'{cell:>{_COLUMN}}' for cell in cells)}"


def aligned(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    """Yield a line for each row of cells.

    Args:
        rows: The cells; all rows have the same number of them.
        sides: `<` or `>` for each column: aligned to the left or to the right.
    """
    widths = [max(len(row[place]) for row in rows) for place in range(len(sides))]
    for row in rows:
        cells = (f"{c:{side}{width}}" for c, side, width in zip(row, sides, widths, strict=True))
        yield "  ".join(cells).rstrip()
