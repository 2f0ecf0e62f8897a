"""A leaderboard as one self-contained HTML page without any script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.reporting.page.templates import asset, rendered
from sqlobs.reporting.standings.text import movement
from sqlobs.reporting.wording import label

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.metrics.leaderboard import Leaderboard


def write_leaderboard_html(board: Leaderboard, path: Path) -> None:
    """Write the page to a file.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    path.write_text(leaderboard_html(board), encoding="utf-8", newline="\n")


def leaderboard_html(board: Leaderboard) -> str:
    """Return the page."""
    return rendered(
        asset("leaderboard.html", package="sqlobs.reporting.standings"),
        filters={"clean": label, "movement": movement},
        own={"style": asset("report.css")},
        board=board,
    )
