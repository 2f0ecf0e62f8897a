"""The Summary sheet: one row per difficulty with colored percentages, and native charts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.denodo import OVERALL, DenodoDetail, denodo_summary
from sqlobs.reporting.expense import expense_note
from sqlobs.reporting.figures import (
    PARTS,
    efficiency_figures,
    figures_of,
    rate_figure,
    request_parts,
)
from sqlobs.reporting.rates import RATES
from sqlobs.reporting.wording import counted, shown_value
from sqlobs.reporting.workbook.cases import (
    ABOUT,
    COUNT,
    FIRST_ROW,
    GROUP,
    HEADER,
    MOST_CASES,
    PERCENT,
    SECONDS,
    TEXT,
    difficulty_of,
)
from sqlobs.reporting.workbook.sheet import Look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xlsxwriter import Workbook
    from xlsxwriter.chart import Chart

    from sqlobs.metrics.denodo import DenodoSummary
    from sqlobs.reporting.figures import Figure
    from sqlobs.reporting.workbook.sheet import Sheet, Value
    from sqlobs.runs.case import CaseResult

_EXECUTION_MATCH: Final = next(rate for rate in RATES if rate.name == "esm")
_BANDS: Final = (
    (50.0, Look(fill="#F4A6A0", ink="#6B0F0A")),
    (70.0, Look(fill="#F9CB8B", ink="#6A3D00")),
    (90.0, Look(fill="#B7DDA8", ink="#1E4B12")),
    (float("inf"), Look(fill="#3B7D3A", ink="#FFFFFF")),
)
"""Below 50 red, below 70 orange, below 90 light green, otherwise dark green."""


@dataclass(frozen=True, slots=True)
class _Row:
    """Statistics of the questions of one difficulty, or of all."""

    summary: DenodoSummary
    """Number of questions with a known result."""
    execution_match: float | None
    """Percentage of all questions; None if nothing was executed."""


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    about: str
    value: Callable[[_Row], Value]
    look: Look
    is_banded: bool = False


_COLUMNS: Final = (
    _Column(
        "Percent Correct Queries",
        "Statements whose results match",
        lambda row: row.summary.correct_percent,
        PERCENT,
        is_banded=True,
    ),
    _Column(
        "Percent Subset",
        "Mean Subsetting Percentage",
        lambda row: row.summary.subset,
        PERCENT,
        is_banded=True,
    ),
    _Column("Number of Samples", "Questions", lambda row: row.summary.sample_count, COUNT),
    _Column(
        "Mean Time (s)", "Mean seconds to the answer", lambda row: row.summary.mean_time_s, SECONDS
    ),
    _Column(
        "Time Std Dev",
        "Standard deviation of the population",
        lambda row: row.summary.time_deviation_s,
        SECONDS,
    ),
    _Column(
        "Percent Overlap",
        "Mean Percent Overlap",
        lambda row: row.summary.overlap,
        PERCENT,
        is_banded=True,
    ),
    _Column(
        "Percent Row Count Match",
        "Statements with as many rows",
        lambda row: row.summary.same_row_count_percent,
        PERCENT,
        is_banded=True,
    ),
    _Column(
        "Execution Match",
        "Share of all questions, as on the page and the terminal",
        lambda row: row.execution_match,
        PERCENT,
        is_banded=True,
    ),
)
_CORRECT, _, _, _MEAN, _DEVIATION, _OVERLAP, _, _ = range(1, len(_COLUMNS) + 1)
_CHART: Final = {"width": 486, "height": 300}
_INK: Final = {
    "correct": "#3B7D3A",
    "incorrect": "#C0504D",
    "overlap": "#2F6690",
    "time": "#7A5C8E",
}


def summary_rows(cases: Sequence[CaseResult]) -> dict[str, DenodoSummary]:
    """Summarize by difficulty, sorted by name, with `Overall` last.

    Cases with an unknown result (the reference did not run, or truncation left it open) are
    excluded.
    """
    return denodo_summary(
        DenodoDetail(
            difficulty=difficulty_of(case),
            results_match=match,
            subset=case.scores.get("subset") or 0.0,
            overlap=case.scores.get("overlap") or 0.0,
            same_row_count=case.scores.get("same_row_count") or 0.0,
            total_execution_time_s=case.generation.total_execution_time
            if case.generation
            else None,
        )
        for case in cases
        if (match := case.scores.get("results_match")) is not None
    )


def _time(case: CaseResult) -> float | None:
    return case.generation.total_execution_time if case.generation else None


def write_summary(
    book: Workbook,
    sheet: Sheet,
    helper: Sheet,
    cases: Sequence[CaseResult],
    *,
    notes: Sequence[str] = (),
) -> None:
    """Fill the sheet and draw the charts below its table.

    Args:
        book: The workbook, which creates the charts.
        sheet: The sheet to fill.
        helper: A hidden sheet for chart data that is not in the table.
        cases: The run's cases.
        notes: Further sentences below the table.
    """
    rows = summary_rows(cases)
    _heading(sheet)
    sheet.print_on_one_width(pages=1)
    for place, (difficulty, summary) in enumerate(rows.items()):
        of_level = [c for c in cases if difficulty in {difficulty_of(c), OVERALL}]
        match = _match(of_level)
        row = _Row(summary, None if match.value is None else 100 * match.value)
        _row(sheet, FIRST_ROW + place, difficulty, row, is_last=place == len(rows) - 1)
    below = FIRST_ROW + len(rows) + 1
    sentences = [*_notes(cases), *notes]
    for line, note in enumerate(sentences):
        sheet.write(below + line, 0, note, Look(is_italic=True, ink=ABOUT.ink))
    if rows:
        _charts(book, sheet, helper, rows, top=below + max(3, len(sentences) + 1))
        _helper(helper, rows)


def _heading(sheet: Sheet) -> None:
    sheet.merge(0, 0, len(_COLUMNS), "Summary by Difficulty", GROUP)
    titles = [("Difficulty", "Level of the questions"), *((c.title, c.about) for c in _COLUMNS)]
    for number, (title, about) in enumerate(titles):
        sheet.write(1, number, title, HEADER)
        sheet.write(2, number, about, ABOUT)
    sheet.page.set_column(0, len(_COLUMNS), 17)
    sheet.page.set_row(1, 32)
    sheet.page.set_row(2, 32)
    sheet.page.freeze_panes(FIRST_ROW, 1)


def _match(cases: Sequence[CaseResult]) -> Figure:
    """Return the execution match of questions, including those whose reference failed."""
    return rate_figure(cases, _EXECUTION_MATCH)


def _row(sheet: Sheet, row: int, difficulty: str, found: _Row, *, is_last: bool) -> None:
    sheet.write(row, 0, difficulty, replace(TEXT, is_bold=is_last))
    for number, column in enumerate(_COLUMNS, start=1):
        value = column.value(found)
        look = replace(column.look, is_bold=is_last)
        if column.is_banded and isinstance(value, float):
            band = _band(value)
            look = replace(look, fill=band.fill, ink=band.ink)
        sheet.write(row, number, value, look)


def _band(percent: float) -> Look:
    return next((look for end, look in _BANDS if percent < end), Look())


def _notes(cases: Sequence[CaseResult]) -> list[str]:
    unknown = sum(case.scores.get("results_match") is None for case in cases)
    notes = [*_production(cases)]
    if unknown:
        notes.append(f"Excluded: {unknown:,} of {len(cases):,} questions with an unknown result.")
    notes += [
        f"{figure.title} {figure.value:.1f}: {figure.about}"
        for figure in efficiency_figures(cases)
        if figure.value is not None
    ]
    match = _match(cases)
    if match.value is not None:
        notes.append(
            f"Execution match {shown_value(match)} ({match.count:,} of"
            f" {counted(match.total, 'question')}) respects duplicate rows and a required order;"
            " Percent Correct Queries is Results Match, which compares sets of rows."
        )
    notes += expense_note(cases)
    if len(cases) > MOST_CASES:
        notes.append(
            f"The Details sheet contains the first {MOST_CASES:,} questions, the maximum in Excel."
        )
    return notes


def _production(cases: Sequence[CaseResult]) -> Iterator[str]:
    """Yield the rates of production, the first with the parts that add up to all requests."""
    if not any(case.request for case in cases):
        return
    parts = (f"{count:,} {PARTS[part]}" for part, count in request_parts(cases).items() if count)
    yield f"Of all {counted(len(cases), 'request')}: {', '.join(parts)}."
    for figure in figures_of(cases):
        if figure.kind == "rate" and figure.is_main:
            yield (
                f"{figure.title} {shown_value(figure)}: {figure.count:,} of {figure.total:,}"
                f" ({figure.name})"
            )


def _helper(helper: Sheet, rows: dict[str, DenodoSummary]) -> None:
    overall = rows[OVERALL]
    correct = round(overall.correct_percent * overall.sample_count / 100)
    helper.write(0, 0, "Correct")
    helper.write(0, 1, correct)
    helper.write(1, 0, "Incorrect")
    helper.write(1, 1, overall.sample_count - correct)


@dataclass(frozen=True, slots=True)
class _ColumnChart:
    title: str
    unit: str
    series: tuple[tuple[int, str], ...]
    """Columns of the table, with the name of each one's color."""


_CORRECTNESS: Final = _ColumnChart(
    "Query Correctness by Difficulty Level", "Percent", ((_CORRECT, "correct"),)
)
_OVERLAPPING: Final = _ColumnChart(
    "Result Set Overlap by Difficulty Level", "Percent", ((_OVERLAP, "overlap"),)
)
_TIMES: Final = _ColumnChart(
    "Execution Time by Difficulty Level", "Seconds", ((_MEAN, "time"), (_DEVIATION, "overlap"))
)


def _charts(
    book: Workbook, sheet: Sheet, helper: Sheet, rows: dict[str, DenodoSummary], *, top: int
) -> None:
    """Draw a chart for each available figure; times may be missing."""
    is_timed = rows[OVERALL].mean_time_s is not None
    drawn = [_CORRECTNESS, _OVERLAPPING, *([_TIMES] if is_timed else [])]
    charts = [_columns(book, sheet, chart, levels=len(rows) - 1) for chart in drawn]
    for place, chart in enumerate([*charts, _pie(book, helper)]):
        _insert(sheet, chart, top, place)


def _columns(book: Workbook, sheet: Sheet, drawn: _ColumnChart, *, levels: int) -> Chart:
    chart = book.add_chart({"type": "column"})
    last = FIRST_ROW + levels - 1
    for column, ink in drawn.series:
        chart.add_series(
            {
                "name": [sheet.name, 1, column],
                "categories": [sheet.name, FIRST_ROW, 0, last, 0],
                "values": [sheet.name, FIRST_ROW, column, last, column],
                "fill": {"color": _INK[ink]},
                "data_labels": {"value": True, "num_format": "0.0"},
                "gap": 80,
            }
        )
    lines = {"visible": True, "line": {"color": "#E3E6E8"}}
    axis: dict[str, object] = {"name": drawn.unit, "min": 0, "major_gridlines": lines}
    chart.set_y_axis(axis | ({"max": 100} if drawn.unit == "Percent" else {}))
    chart.set_title({"name": drawn.title, "name_font": {"size": 13}})
    chart.set_legend({"position": "bottom"} if len(drawn.series) > 1 else {"none": True})
    return chart


def _pie(book: Workbook, helper: Sheet) -> Chart:
    chart = book.add_chart({"type": "pie"})
    chart.add_series(
        {
            "name": "Queries",
            "categories": [helper.name, 0, 0, 1, 0],
            "values": [helper.name, 0, 1, 1, 1],
            "points": [{"fill": {"color": _INK[name]}} for name in ("correct", "incorrect")],
            "data_labels": {
                "value": True,
                "percentage": True,
                "separator": "\n",
                "font": {"color": "#FFFFFF"},
            },
        }
    )
    chart.set_title({"name": "Correct and Incorrect Queries", "name_font": {"size": 13}})
    chart.set_legend({"position": "bottom"})
    return chart


def _insert(sheet: Sheet, chart: Chart, top: int, place: int) -> None:
    chart.set_size(_CHART)
    sheet.page.insert_chart(top + 16 * (place // 2), 4 * (place % 2), chart, {"x_offset": 4})
