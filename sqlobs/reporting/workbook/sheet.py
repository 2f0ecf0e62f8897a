"""A worksheet for arbitrary values: text never becomes a formula; Excel's limits are respected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.errors import MissingExtraError
from sqlobs.reporting.wording import visible

if TYPE_CHECKING:
    from typing import BinaryIO

    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

Value: TypeAlias = str | float | int | bool | None

NOT_AVAILABLE: Final = "N/A"
"""Shown in place of a missing, NaN or infinite number."""

MOST_CHARACTERS: Final = 32_767
"""Excel's limit of characters per cell."""
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_EXACT_INTEGERS: Final = 10**15
"""Excel's numbers have 15 digits; longer integers are written as text."""


@dataclass(frozen=True, slots=True)
class Look:
    """The style of a cell; cells of the same style share one workbook format."""

    number: str = ""
    """Excel's number format."""
    fill: str = ""
    ink: str = ""
    is_bold: bool = False
    is_italic: bool = False
    is_wrapped: bool = False
    is_code: bool = False
    align: str = ""
    border: str = ""
    """Color of the bottom border."""


class Sheet:
    """One worksheet of a workbook."""

    def __init__(self, book: Workbook, name: str) -> None:
        self.page: Worksheet = book.add_worksheet(name)
        self.name = name
        self._book = book
        self._formats: dict[tuple[Look, bool], Format] = {}

    def write(self, row: int, column: int, value: Value, look: Look = Look()) -> None:
        """Write a value: numbers as numbers, text as text whatever it starts with.

        Missing, NaN and infinite values are `N/A`; text beyond a cell's limit is truncated with a
        note.
        """
        if isinstance(value, str):
            self._write_text(row, column, value, look)
        elif value is None or not math.isfinite(value):
            self.page.write_string(row, column, NOT_AVAILABLE, self.format(look))
        elif isinstance(value, int) and abs(value) >= _EXACT_INTEGERS:
            self.page.write_string(row, column, str(value), self.format(look))
        else:
            self.page.write_number(row, column, value, self.format(look))

    def merge(self, row: int, first: int, last: int, text: str, look: Look) -> None:
        """Write a text across columns."""
        if first == last:
            self.write(row, first, text, look)
        else:
            self.page.merge_range(row, first, row, last, text, self.format(look))

    def print_on_one_width(self, *, pages: int = 0) -> None:
        """Print in landscape on A4, all columns on one page; 0 = any number of pages."""
        self.page.set_landscape()
        self.page.set_paper(9)
        self.page.fit_to_pages(1, pages)

    def format(self, look: Look, *, is_quoted: bool = False) -> Format:
        """Return the workbook's format for a style."""
        key = look, is_quoted
        if key not in self._formats:
            self._formats[key] = self._book.add_format(_properties(look, is_quoted=is_quoted))
        return self._formats[key]

    def _write_text(self, row: int, column: int, text: str, look: Look) -> None:
        # A text cell is not a formula; the quote prefix keeps it text when the cell is edited.
        is_quoted = text.startswith(_FORMULA_STARTS)
        self.page.write_string(row, column, _fitted(text), self.format(look, is_quoted=is_quoted))


def new_workbook(file: BinaryIO) -> Workbook:
    """Return a workbook that will be written to an open file when it is closed.

    Raises:
        MissingExtraError: XlsxWriter is not installed.
    """
    try:
        import xlsxwriter
    except ImportError as error:
        raise MissingExtraError("The Excel report", extra="report") from error

    return xlsxwriter.Workbook(file, {"in_memory": True})


def _fitted(text: str) -> str:
    shown = visible(text)
    if len(shown) <= MOST_CHARACTERS:
        return shown
    note = f"… [{len(text):,} characters]"
    return shown[: MOST_CHARACTERS - len(note)] + note


def _properties(look: Look, *, is_quoted: bool) -> dict[str, object]:
    properties: dict[str, object] = {
        "valign": "top",
        "num_format": look.number,
        "bg_color": look.fill,
        "font_color": look.ink,
        "bold": look.is_bold,
        "italic": look.is_italic,
        "text_wrap": look.is_wrapped,
        "align": look.align,
        "quote_prefix": is_quoted,
    }
    if look.is_code:
        properties |= {"font_name": "Consolas", "font_size": 10}
    if look.border:
        properties |= {"bottom": 1, "bottom_color": look.border}
    return {name: value for name, value in properties.items() if value}
