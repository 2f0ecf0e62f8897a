"""A comparison of runs as one self-contained HTML page without any script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.compared_values import shown_amount, shown_difference, shown_p
from sqlobs.reporting.comparison_text import conclusion, judging_lines
from sqlobs.reporting.failures import BUCKET_TITLES
from sqlobs.reporting.joint_text import NOTE, joint_rows, same_titles
from sqlobs.reporting.page.templates import asset, rendered, style
from sqlobs.reporting.statement.difference import pieces, shown_pair, shown_statement
from sqlobs.reporting.wording import (
    label,
    one_line,
    percent_points,
    points_interval,
    shortened,
    shown_interval,
    shown_value,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.reporting.comparison import Comparison
    from sqlobs.reporting.paired_figures import Change
    from sqlobs.reporting.statement.difference import Piece

_MOST: Final = 500
"""Maximum changed cases of each kind on the page; the JSON has all."""
_MOST_OPEN: Final = 25
"""Number of newly broken cases that start expanded."""
_STATEMENT: Final = 5_000
_QUESTION: Final = 300
_MARKS: Final = {"keyword": "k", "text": "t", "number": "n", "comment": "c"}


def write_comparison_html(comparison: Comparison, path: Path) -> None:
    """Write the page to a file.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    path.write_text(comparison_html(comparison), encoding="utf-8", newline="\n")


def comparison_html(comparison: Comparison) -> str:
    """Return the page: each run compared with the baseline, with statements of changed cases."""
    return rendered(
        asset("comparison.html"),
        filters={
            "clean": label,
            "visible": visible,
            "short": lambda text: shortened(one_line(text), _QUESTION),
            "points": percent_points,
            "value": shown_value,
            "interval": shown_interval,
            "span": points_interval,
            "conclusion": conclusion,
            "judging": judging_lines,
            "amount": lambda value, figure: shown_amount(figure, value),
            "change": shown_difference,
            "p": shown_p,
            "sides": _sides,
            "beside": _beside,
        },
        own={"style": style()},
        comparison=comparison,
        joint=joint_rows(comparison) if comparison.joint else [],
        joint_note=NOTE,
        same=same_titles(comparison),
        baseline=comparison.pairs[0].baseline,
        titles=BUCKET_TITLES,
        marks=_MARKS,
        most=_MOST,
        most_open=_MOST_OPEN,
    )


def _beside(changes: Sequence[Change], shown: Sequence[Change]) -> list[Change]:
    """Return the changes whose case is not among those that are shown already."""
    keys = {change.key for change in shown}
    return [change for change in changes if change.key not in keys]


def _sides(change: Change) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Return the highlighted statements before and after, and the reference."""
    before, after, reference = (
        shortened("None" if sql is None else sql, _STATEMENT)
        for sql in (
            change.before.predicted_sql,
            change.after.predicted_sql,
            change.after.closest_sql,
        )
    )
    sides = (*shown_pair(before, after), shown_statement(reference))
    left, right, correct = map(pieces, sides)
    return left, right, correct
