"""A leaderboard as an Excel workbook with a native chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.judged import SIDE_TITLES
from sqlobs.reporting.standings.text import entitled, movement, summary_line
from sqlobs.reporting.workbook.cases import ABOUT, COUNT, TEXT
from sqlobs.reporting.workbook.sheet import Look, Sheet, new_workbook
from sqlobs.reporting.workbook.table import Table, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from xlsxwriter import Workbook

    from sqlobs.metrics.leaderboard import Leaderboard
    from sqlobs.reporting.judged import CategorySpread
    from sqlobs.reporting.workbook.sheet import Value

_SCORE: Final = Look(number="0.00", border="#E3E6E8")
_DELTA: Final = Look(number="+0.00;-0.00;0.00", border="#E3E6E8")
_MOVED: Final = Look(align="center", border="#E3E6E8")
_PLACES: Final = ("Rank", "Movement", "System", "Type", "FLEX", "EX", "FLEX - EX")
_KINDS: Final = ("Type", "Systems", "FLEX", "EX", "FLEX - EX")
_CATEGORIES: Final = ("Category", "Side", "Mean", "Std Dev")
_SHARE: Final = Look(number="0.0%", border="#E3E6E8")
_FIRST: Final = 2


def write_leaderboard_workbook(
    board: Leaderboard, path: Path, *, spread: Sequence[CategorySpread] = ()
) -> None:
    """Write the leaderboard: systems with a chart of both scores, and the means by type.

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
        book.close()


def _write_places(book: Workbook, board: Leaderboard) -> None:
    sheet = _write_alone(book, "Leaderboard", _places(board))
    count = len(board.places)
    sheet.write(_FIRST + count + 1, 0, summary_line(board), Look(ink=ABOUT.ink))
    sheet.page.set_column(2, 2, 36)
    if count:
        _chart(book, sheet, count=count, is_judged=board.is_judged)


def _write_alone(book: Workbook, name: str, table: Table) -> Sheet:
    """Write a table on a sheet of its own."""
    sheet = Sheet(book, name)
    write_table(sheet, table)
    sheet.page.set_column(0, len(table.headers) - 1, 14)
    sheet.page.freeze_panes(_FIRST, 0)
    sheet.print_on_one_width()
    return sheet


def _places(board: Leaderboard) -> Table:
    rows: list[tuple[Value, ...]] = [
        (p.rank, movement(p), entitled(p), p.kind or "", p.flex, p.ex, p.delta)
        for p in board.places
    ]
    looks = (COUNT, _MOVED, TEXT, TEXT, _SCORE, _SCORE, _DELTA)
    return Table(f"Ranked by {'FLEX' if board.is_judged else 'EX'}", _PLACES, looks, rows)


def _kinds(board: Leaderboard) -> Table:
    rows: list[tuple[Value, ...]] = [(k.kind, k.count, k.flex, k.ex, k.delta) for k in board.kinds]
    return Table("Means by type", _KINDS, (TEXT, COUNT, _SCORE, _SCORE, _DELTA), rows)


def _categories(spread: Sequence[CategorySpread]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (entry.key, SIDE_TITLES[entry.side], entry.mean, entry.deviation) for entry in spread
    ]
    return Table("What judges found", _CATEGORIES, (TEXT, TEXT, _SHARE, _SHARE), rows)


def _chart(book: Workbook, sheet: Sheet, *, count: int, is_judged: bool) -> None:
    chart = book.add_chart({"type": "bar"})
    last = _FIRST + count - 1
    series = ((4, "#3B7D3A"), (5, "#A9B4BC")) if is_judged else ((5, "#3B7D3A"),)
    for column, colour in series:
        chart.add_series(
            {
                "name": [sheet.name, 1, column],
                "categories": [sheet.name, _FIRST, 2, last, 2],
                "values": [sheet.name, _FIRST, column, last, column],
                "fill": {"color": colour},
            }
        )
    title = "FLEX and EX by System" if is_judged else "EX by System"
    chart.set_title({"name": title, "name_font": {"size": 13}})
    chart.set_x_axis({"min": 0, "max": 100})
    chart.set_y_axis({"reverse": True})
    chart.set_legend({"position": "bottom"})
    chart.set_size({"width": 620, "height": 140 + 34 * count})
    sheet.page.insert_chart(1, len(_PLACES) + 1, chart)
