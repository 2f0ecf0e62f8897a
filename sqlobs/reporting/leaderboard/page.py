"""A leaderboard as one self-contained HTML page without any script."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from sqlobs.reporting.wording import label

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.metrics.ranking import Leaderboard
    from sqlobs.reporting.judged import CategorySpread


def write_leaderboard_html(
    board: Leaderboard, path: Path, *, spread: Sequence[CategorySpread] = ()
) -> None:
    """Write the page to a file.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    path.write_text(leaderboard_html(board, spread=spread), encoding="utf-8", newline="\n")


def leaderboard_html(board: Leaderboard, *, spread: Sequence[CategorySpread] = ()) -> str:
    """Return the page, optionally with the judges' category shares."""
    return rendered(
        asset("leaderboard.html", package="sqlobs.reporting.leaderboard"),
        filters={
            "clean": label,
            "entitled": entitled,
            "movement": movement,
            "summary": summary_line,
            "score": shown_score,
            "scores": scores_by_judge,
        },
        own={"style": style()},
        board=board,
        titles=score_titles(board),
        undecided=undecided_line(board),
        spread=spread,
        sides=SIDE_TITLES,
    )
