"""A table of numbers for the terminal, as benchmarks' evaluators print it: a column per level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
