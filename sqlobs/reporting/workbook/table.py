"""A plain table on a sheet: a title over all columns, headers, rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.reporting.workbook.cases import GROUP, HEADER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.reporting.workbook.sheet import Look, Sheet, Value


@dataclass(frozen=True, slots=True)
class Table:
    """The content of a table and the style of each column."""

    title: str
    headers: Sequence[str]
    looks: Sequence[Look]
    rows: Sequence[tuple[Value, ...]]


def write_table(sheet: Sheet, table: Table, *, top: int = 0) -> int:
    """Write a table from a row on; return the second row below it."""
    sheet.merge(top, 0, len(table.headers) - 1, table.title, GROUP)
    for column, header in enumerate(table.headers):
        sheet.write(top + 1, column, header, HEADER)
    for place, row in enumerate(table.rows, start=top + 2):
        for column, (value, look) in enumerate(zip(row, table.looks, strict=True)):
            sheet.write(place, column, value, look)
    return top + 3 + len(table.rows)
