"""The figures of several runs side by side, as cells, terminal text and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.compared_values import shown_amount, shown_p
from sqlobs.reporting.text_table import aligned
from sqlobs.reporting.wording import label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.reporting.comparison import Comparison
    from sqlobs.reporting.joint_figures import JointFigure

MARK: Final = "*"
"""Follows a value that differs significantly from the baseline's."""
NOTE: Final = (
    "Over the cases that have the figure in all runs. p: that all runs are equal (rates: Cochran's"
    " Q; scores and amounts: Friedman's test), adjusted by Holm's method over this table. * differs"
    " from the first run with p < 0.05, adjusted over all figures of all runs."
)


def joint_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return a row of cells for each figure that is not the same in all runs, the header first."""
    head = ("Figure", *map(label, comparison.runs), "Cases", "p")
    changed = (figure for figure in comparison.joint if not is_same(figure))
    return [head, *(_row(comparison, figure) for figure in changed)]


def same_titles(comparison: Comparison) -> str:
    """Return the titles of the figures that are the same in all runs; "" without any."""
    return ", ".join(figure.title for figure in comparison.joint if is_same(figure))


def is_same(figure: JointFigure) -> bool:
    """Return whether a figure has one value in all runs."""
    return len(set(figure.values)) == 1


def joint_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the table for the terminal."""
    rows = joint_rows(comparison)
    yield "=== ALL RUNS ==="
    yield from aligned(rows, "<" + ">" * (len(rows[0]) - 1))
    yield NOTE
    same = same_titles(comparison)
    if same:
        yield f"The same in all runs: {same}."


def _row(comparison: Comparison, figure: JointFigure) -> tuple[str, ...]:
    marks = comparison.is_different(figure)
    values = (
        f"{shown_amount(figure, value)}{MARK if is_different else ''}"
        for value, is_different in zip(figure.values, marks, strict=True)
    )
    return (figure.title, *values, f"{figure.total:,}", shown_p(figure.p_adjusted))
