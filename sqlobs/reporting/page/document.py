"""Writes the page: one file with style, script and cases, which fetches nothing."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from sqlobs.reporting.expense import HEADINGS
from sqlobs.reporting.page.details import CHUNK, chunks_of, index_of, packed
from sqlobs.reporting.page.templates import asset, rendered, style
from sqlobs.reporting.page.view import view_of
from sqlobs.reporting.weights import weight_note
from sqlobs.reporting.wording import (
    bare_value,
    label,
    percent_points,
    points_interval,
    shown_interval,
    shown_value,
)

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.reporting.figures import Figure
    from sqlobs.runs.run import Run


def write_html(run: Run, path: Path) -> None:
    """Write the page about a run to a file.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    path.write_text(html_document(run), encoding="utf-8", newline="\n")


def html_document(run: Run) -> str:
    """Return the page about a run.

    Text of the run is escaped by the template or packed as data for the page's script; the content
    security policy blocks other scripts and all requests.
    """
    script = asset("report.js").replace("CHUNK_SIZE", str(CHUNK))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return rendered(
        asset("report.html"),
        filters={
            "clean": label,
            "value": shown_value,
            "bare": bare_value,
            "interval": shown_interval,
            "weight": weight_note,
            "points": percent_points,
            "span": points_interval,
            "at": lambda figure: _percent(figure, figure.value or 0.0),
            "low": lambda figure: _percent(figure, figure.interval.low),
            "width": _interval_width,
        },
        own={"style": style(), "script": script},
        script_digest=digest,
        view=view_of(run),
        headings=HEADINGS,
        index=packed(index_of(run.cases)),
        chunks=[packed(chunk) for chunk in chunks_of(run.cases)],
    )


def _interval_width(figure: Figure) -> str:
    if figure.interval is None:
        return "0"
    low, high = (min(end, figure.best) for end in (figure.interval.low, figure.interval.high))
    return f"{100 * (high - low) / figure.best:.2f}"


def _percent(figure: Figure, value: float) -> str:
    """Return a value's position on the axis in percent; the axis ends at the best score."""
    return f"{100 * min(value, figure.best) / figure.best:.2f}"
