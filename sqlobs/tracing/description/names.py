"""Which names of a statement may be recorded: those that its engine would read as names.

A model writes `region = "North West"`, and `FROM 'report.parquet'`: what is written as a string, or
looks like no identifier, may be a value and is `<quoted>`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlobs.schema.identifiers import PLAIN_NAME

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport

QUOTED: Final = "<quoted>"
"""Stands for a name that may be anything."""

_NAME: Final = re.compile(PLAIN_NAME)
_WORD: Final = re.compile(r"[\w$]+")
_NO_QUOTES: Final = str.maketrans("", "", "'\"`[]\\\\")
"""Quotes and escapes: the same name may be spelled with other ones."""


class Names:
    """The names of one report as they may be recorded."""

    def __init__(self, report: CheckReport) -> None:
        self._report = report
        self._written = set(_words(report.masked_sql or ""))
        """The words that masking leaves of the statement: no literal is among them."""

    def invented(self, name: str) -> str:
        """Return a name that the schema does not have."""
        return shown_name(name) if self._is_written(name) else QUOTED

    def tables(self) -> list[str]:
        """Return the tables of the statement."""
        report = self._report
        if report.schematic is None:  # no table is known to be in the schema
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
        report = self._report
        summary = report.summary
        if summary is None or not report.tables:
            return summary
        for table, shown in zip(report.tables, self.tables(), strict=True):
            if shown != table:
                summary = summary.replace(table, shown)
        return " ".join(word if self._is_written(word) else QUOTED for word in summary.split(" "))

    def suggested(self, name: str) -> str:
        """Return a suggested name: one of the schema as it is, an alias if it is an identifier."""
        is_of_statement = name.translate(_NO_QUOTES) in self._report.sql.translate(_NO_QUOTES)
        return shown_name(name) if is_of_statement else name

    def _is_written(self, name: str) -> bool:
        return self._written.issuperset(_words(name))


def shown_name(name: str) -> str:
    """Return a name as it may be recorded: only if it looks like an identifier."""
    return name if all(map(_NAME.fullmatch, name.split("."))) else QUOTED


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
