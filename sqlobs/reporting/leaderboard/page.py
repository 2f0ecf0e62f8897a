"""A leaderboard as one self-contained HTML page without any script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.reporting.disagreement import GROUPING_TITLES
from sqlobs.reporting.judged import SIDE_TITLES
from sqlobs.reporting.leaderboard.text import (
    entitled,
    movement,
    score_titles,
    scores_by_judge,
    shown_score,
    summary_line,
    undecided_line,
)
from sqlobs.reporting.page.templates import asset, rendered, style
from sqlobs.reporting.wording import label, shown_share

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.metrics.ranking import Leaderboard
    from sqlobs.reporting.disagreement import ErrorRates
    from sqlobs.reporting.judged import CategorySpread
    from sqlobs.reporting.leaderboard.contestants import SystemCost


def write_leaderboard_html(
    board: Leaderboard,
    path: Path,
    *,
    spread: Sequence[CategorySpread] = (),
    errors: Sequence[ErrorRates] = (),
    costs: Sequence[SystemCost] = (),
) -> None:
    """Write the page to a file.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    page = leaderboard_html(board, spread=spread, errors=errors, costs=costs)
    path.write_text(page, encoding="utf-8", newline="\n")


def leaderboard_html(
    board: Leaderboard,
    *,
    spread: Sequence[CategorySpread] = (),
    errors: Sequence[ErrorRates] = (),
    costs: Sequence[SystemCost] = (),
) -> str:
    """Return the page, optionally with the judges' category shares and the error rates."""
    return rendered(
        asset("leaderboard.html", package="sqlobs.reporting.leaderboard"),
        filters={
            "clean": label,
            "entitled": entitled,
            "movement": movement,
            "summary": summary_line,
            "score": shown_score,
            "scores": scores_by_judge,
            "share": shown_share,
        },
        own={"style": style()},
        board=board,
        titles=score_titles(board),
        undecided=undecided_line(board),
        spread=spread,
        errors=errors,
        costs=costs,
        groupings=GROUPING_TITLES,
        sides=SIDE_TITLES,
    )
