"""A leaderboard as an Excel workbook with a native chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.disagreement import GROUPING_TITLES
from sqlobs.reporting.judged import SIDE_TITLES
from sqlobs.reporting.leaderboard.text import (
    entitled,
    movement,
    score_titles,
    scores_by_judge,
    summary_line,
    undecided_line,
)
from sqlobs.reporting.workbook.cases import ABOUT, COUNT, TEXT
from sqlobs.reporting.workbook.sheet import Look, Sheet, new_workbook
from sqlobs.reporting.workbook.table import Table, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from xlsxwriter import Workbook

    from sqlobs.metrics.ranking import KindMean, Leaderboard, Place
    from sqlobs.reporting.disagreement import ErrorRates
    from sqlobs.reporting.judged import CategorySpread
    from sqlobs.reporting.leaderboard.contestants import SystemCost
    from sqlobs.reporting.workbook.sheet import Value

_SCORE: Final = Look(number="0.00", border="#E3E6E8")
_DELTA: Final = Look(number="+0.00;-0.00;0.00", border="#E3E6E8")
_MOVED: Final = Look(align="center", border="#E3E6E8")
_PLACES: Final = ("Rank", "Movement", "System", "Type")
_KINDS: Final = ("Type", "Systems")
_CATEGORIES: Final = ("Category", "Side", "Mean", "Std Dev")
_ERRORS: Final = (
    *("By", "Value", "Systems", "Cases"),
    *("False positives", "Std Dev of FP", "False negatives", "Std Dev of FN"),
)
_COSTS: Final = ("System", "Tokens", "USD", "Verdicts", "Repeated calls")
_PRICE: Final = Look(number="0.0000", border="#E3E6E8")
_SHARE: Final = Look(number="0.0%", border="#E3E6E8")
_FIRST: Final = 2


def write_leaderboard_workbook(
    board: Leaderboard,
    path: Path,
    *,
    spread: Sequence[CategorySpread] = (),
    errors: Sequence[ErrorRates] = (),
    costs: Sequence[SystemCost] = (),
) -> None:
    """Write the leaderboard: systems with a chart of both scores, means by type, error rates.

    Raises:
        MissingExtraError: XlsxWriter is not installed.
        OSError: the file cannot be written.
    """
    with path.open("wb") as file:
        book = new_workbook(file)
        _write_places(book, board)
        if board.kinds:
            _write_alone(book, "By Type", _kinds(board))
        if spread:
            sheet = _write_alone(book, "Categories", _categories(spread))
            sheet.page.set_column(0, 1, 40)
        if errors:
            _write_alone(book, "Error Rates", _errors(errors))
        if costs:
            _write_alone(book, "Judging", _costs(costs))
        book.close()


def _write_places(book: Workbook, board: Leaderboard) -> None:
    sheet = _write_alone(book, "Leaderboard", _places(board))
    count = len(board.places)
    lines = filter(None, (summary_line(board), undecided_line(board)))
    for place, line in enumerate(lines, start=1):
        sheet.write(_FIRST + count + place, 0, line, Look(ink=ABOUT.ink))
    sheet.page.set_column(2, 2, 36)
    if count:
        _chart(book, sheet, board)


def _write_alone(book: Workbook, name: str, table: Table) -> Sheet:
    """Write a table on a separate sheet."""
    sheet = Sheet(book, name)
    write_table(sheet, table)
    sheet.page.set_column(0, len(table.headers) - 1, 14)
    sheet.page.freeze_panes(_FIRST, 0)
    sheet.print_on_one_width()
    return sheet


def _places(board: Leaderboard) -> Table:
    rows: list[tuple[Value, ...]] = [
        (p.rank, movement(p), entitled(p), p.kind or "", *_scores(p, board)) for p in board.places
    ]
    headers = _headers(board)
    looks = (COUNT, _MOVED, TEXT, TEXT, *_looks(headers))
    title = f"Ranked by {headers[0] if board.is_judged else 'EX'}"
    return Table(title, (*_PLACES, *headers), looks, rows)


def _headers(board: Leaderboard) -> list[str]:
    """Return the score headers; a difference with at most one judge."""
    titles = score_titles(board) or ["FLEX"]
    return [*titles, "EX", *([f"{titles[0]} - EX"] if len(titles) == 1 else [])]


def _looks(headers: Sequence[str]) -> list[Look]:
    return [_DELTA if header.endswith(" - EX") else _SCORE for header in headers]


def _scores(entry: Place | KindMean, board: Leaderboard) -> list[Value]:
    scores = scores_by_judge(entry, board) or [None]
    return [*scores, entry.ex, *([entry.delta] if len(scores) == 1 else [])]


def _kinds(board: Leaderboard) -> Table:
    rows: list[tuple[Value, ...]] = [(k.kind, k.count, *_scores(k, board)) for k in board.kinds]
    headers = _headers(board)
    return Table("Means by type", (*_KINDS, *headers), (TEXT, COUNT, *_looks(headers)), rows)


def _categories(spread: Sequence[CategorySpread]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (entry.key, SIDE_TITLES[entry.side], entry.mean, entry.deviation) for entry in spread
    ]
    return Table("Judge categories", _CATEGORIES, (TEXT, TEXT, _SHARE, _SHARE), rows)


def _errors(errors: Sequence[ErrorRates]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            *(GROUPING_TITLES[entry.by], entry.name, entry.systems, entry.cases),
            *(entry.false_positives, entry.false_positives_deviation),
            *(entry.false_negatives, entry.false_negatives_deviation),
        )
        for entry in errors
    ]
    looks = (TEXT, TEXT, COUNT, COUNT, *[_SHARE] * 4)
    return Table("Execution match that the judge contradicts", _ERRORS, looks, rows)


def _costs(costs: Sequence[SystemCost]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (entry.name, entry.cost.tokens, entry.cost.usd, entry.cost.verdicts, entry.cost.repeated)
        for entry in costs
    ]
    looks = (TEXT, COUNT, _PRICE, COUNT, COUNT)
    return Table("What judging cost", _COSTS, looks, rows)


def _chart(book: Workbook, sheet: Sheet, board: Leaderboard) -> None:
    headers, count = _headers(board), len(board.places)
    ex = len(_PLACES) + headers.index("EX")
    chart = book.add_chart({"type": "bar"})
    last = _FIRST + count - 1
    judged = ((len(_PLACES), "#3B7D3A"), (ex, "#A9B4BC"))
    series = judged if board.is_judged else ((ex, "#3B7D3A"),)
    for column, color in series:
        chart.add_series(
            {
                "name": [sheet.name, 1, column],
                "categories": [sheet.name, _FIRST, 2, last, 2],
                "values": [sheet.name, _FIRST, column, last, column],
                "fill": {"color": color},
            }
        )
    title = f"{headers[0]} and EX by System" if board.is_judged else "EX by System"
    chart.set_title({"name": title, "name_font": {"size": 13}})
    chart.set_x_axis({"min": 0, "max": 100})
    chart.set_y_axis({"reverse": True})
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 620, "height": 140 + 34 * count})
    sheet.page.insert_chart(1, len(_PLACES) + len(headers) + 1, chart)
