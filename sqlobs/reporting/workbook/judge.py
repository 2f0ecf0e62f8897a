"""The Judge sheet of a judged run: the judge's score next to EX by difficulty, and categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.judged import (
    SIDE_TITLES,
    category_shares,
    judge_of,
    judged_groups,
    score_title,
    silence_line,
)
from sqlobs.reporting.wording import one_line
from sqlobs.reporting.workbook.cases import ABOUT, COUNT, TEXT
from sqlobs.reporting.workbook.sheet import Look
from sqlobs.reporting.workbook.table import Table, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.reporting.judged import JudgedGroup
    from sqlobs.reporting.workbook.sheet import Sheet, Value
    from sqlobs.runs.case import CaseResult

_SHARE: Final = Look(number="0.0%", border="#E3E6E8")
_DELTA: Final = Look(number="+0.0%;-0.0%;0.0%", border="#E3E6E8")
_RATES: Final = ("EX", "False positives", "False negatives")
_GROUP_LOOKS: Final = (TEXT, *[_SHARE] * 12, _DELTA, COUNT, COUNT)
_CATEGORIES: Final = ("Category", "Side", "Cases", "Of", "Share")
_CATEGORY_LOOKS: Final = (TEXT, TEXT, COUNT, COUNT, _SHARE)


def write_judge(sheet: Sheet, cases: Sequence[CaseResult]) -> None:
    """Write the figures with their 95 % intervals, why verdicts are missing, and the categories."""
    headers = _headers(score_title(judge_of(cases)))
    rates = Table("Judge against execution", headers, _GROUP_LOOKS, _rates(cases))
    row = write_table(sheet, rates)
    silence = silence_line(cases)
    if silence is not None:
        sheet.write(row, 0, one_line(silence), Look(ink=ABOUT.ink))
        row += 2
    shares: list[tuple[Value, ...]] = [
        (share.key, SIDE_TITLES[share.side], share.count, share.total, share.share)
        for share in category_shares(cases)
    ]
    if shares:
        found = Table("Judge categories", _CATEGORIES, _CATEGORY_LOOKS, shares)
        write_table(sheet, found, top=row)
    sheet.page.set_column(0, 1, 40)
    sheet.page.set_column(2, len(headers) - 1, 14)
    sheet.print_on_one_width()


def _headers(score: str) -> tuple[str, ...]:
    rates = (f"{rate}{end}" for rate in (score, *_RATES) for end in ("", " low", " high"))
    return "Difficulty", *rates, f"{score} - EX", "Cases", "Without a verdict"


def _rates(cases: Sequence[CaseResult]) -> list[tuple[Value, ...]]:
    return [_rate_row(group) for group in judged_groups(cases)]


def _rate_row(group: JudgedGroup) -> tuple[Value, ...]:
    cells: list[Value] = [group.title]
    for figure in (group.flex, group.ex, group.false_positives, group.false_negatives):
        span = figure.interval
        cells += [figure.value, span.low if span else None, span.high if span else None]
    return (*cells, group.delta, group.flex.total, group.undecided)
