"""Writes the workbook about a run."""

from __future__ import annotations

import datetime as dt
import io
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.coverage import gaps_line
from sqlobs.reporting.judge_cost import cost_lines
from sqlobs.reporting.judge_rates import judge_rates
from sqlobs.reporting.wording import label
from sqlobs.reporting.workbook.cases import write_details
from sqlobs.reporting.workbook.judge import write_judge
from sqlobs.reporting.workbook.sheet import Sheet, new_workbook
from sqlobs.reporting.workbook.summary import write_summary

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.runs.run import Run

_NO_TIME: Final = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - Excel's times have no zone


def write_workbook(run: Run, path: Path) -> None:
    """Write the workbook: Summary with charts, Details with every case.

    The layout is that of the Denodo AI SDK Evaluator, with further columns after its last. The same
    run gives the same bytes.

    Raises:
        MissingExtraError: XlsxWriter is not installed.
        OSError: the file cannot be written.
    """
    content = io.BytesIO()  # on a full disk, XlsxWriter would raise in its destructor
    book = new_workbook(content)
    book.set_properties({"title": label(run.name), "created": _created(run)})
    summary, details, helper = (Sheet(book, name) for name in ("Summary", "Details", "Charts"))
    helper.page.hide()
    notes = [f"Not compared: {gaps}." for gaps in [gaps_line(run)] if gaps]
    notes += [found.sentence for found in judge_rates(run)]
    write_summary(book, summary, helper, run.cases, notes=[*notes, *cost_lines(run)])
    write_details(details, run.cases)
    if any(case.judge for case in run.cases):
        write_judge(Sheet(book, "Judge"), run.cases)
    book.close()
    path.write_bytes(content.getbuffer())


def _created(run: Run) -> dt.datetime:
    """Return the start time of the run: the current time would make every file different."""
    try:
        return dt.datetime.fromisoformat(run.started_at or "").replace(tzinfo=None)
    except ValueError:
        return _NO_TIME
