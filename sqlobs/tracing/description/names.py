"""Decides which names of a statement may be recorded: only plain identifiers.

A model writes `region = "North West"`, and `FROM 'report.parquet'`: a string, or a name that is
not a plain identifier, may be a value and becomes `<quoted>`.
Tests: `tests/telemetry/test_masking.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.identifiers import PLAIN_NAME

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport

QUOTED: Final = "<quoted>"
"""Replaces a name that may be a value."""

_NAME: Final = re.compile(PLAIN_NAME)
_WORD: Final = re.compile(r"[\w$]+")
_NO_QUOTES: Final = str.maketrans("", "", "'\"`[]\\\\")
"""Quotes and escapes, which may differ between spellings of a name."""


class Names:
    """The recordable names of one report."""

    def __init__(self, report: CheckReport) -> None:
        self.report = report
        self._written = _written_in(report.masked_sql or "")
        """The words of the masked statement, without literals."""

    def invented(self, name: str) -> str:
        """Return the recordable form of a name that is not in the schema."""
        return shown_name(name) if self._is_written(name) else QUOTED

    def tables(self) -> list[str]:
        """Return the tables of the statement."""
        report = self.report
        if report.schematic is None:  # any table may be missing in the schema
            return [self.invented(table) for table in report.tables]
        unknown = set(report.unknown_tables)
        return [
            self.invented(table)
            if table in unknown or table.rpartition(".")[2] in unknown
            else table
            for table in report.tables
        ]

    def summary(self) -> str | None:
        """Return the summary of the statement."""
        report = self.report
        summary = report.summary
        if summary is None or not report.tables:
            return summary
        for table, shown in zip(report.tables, self.tables(), strict=True):
            if shown != table:
                summary = summary.replace(table, shown)
        return " ".join(word if self._is_written(word) else QUOTED for word in summary.split(" "))

    def suggested(self, name: str) -> str:
        """Return a suggested name: unchanged from the schema, an alias only if it is plain."""
        is_of_statement = name.translate(_NO_QUOTES) in self.report.sql.translate(_NO_QUOTES)
        return shown_name(name) if is_of_statement else name

    def _is_written(self, name: str) -> bool:
        return self._written.issuperset(_words(name))


@lru_cache(maxsize=8)
def _written_in(text: str) -> frozenset[str]:
    """Return the words of a masked statement; attributes, events and attempts ask for them."""
    return frozenset(_words(text))


def shown_name(name: str) -> str:
    """Return a name if it is a plain identifier, else `<quoted>`."""
    return name if all(map(_NAME.fullmatch, name.split("."))) else QUOTED


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
