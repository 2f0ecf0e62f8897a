"""References that are results instead of SQL: CSV files, as Spider 2.0 has them."""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.metrics.published.spider2 import spider2_table_match
from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.types import Cell

_TRUTH: Final = {"True": True, "False": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldResult:
    """One correct result of a question."""

    path: Path
    condition_columns: tuple[int, ...] = ()
    """The columns that count, from 0; none = all."""
    ignores_order: bool = False

    def table(self) -> ResultTable:
        """Read the file; a column of numbers has numbers, an empty cell is NULL.

        Raises:
            InputError: the file cannot be read, or its rows have different lengths.
        """
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                rows = [row for row in csv.reader(file) if row]
            names, *cells = rows
            columns = [_typed(column) for column in zip(*cells, strict=True)]
        except (OSError, UnicodeDecodeError, ValueError, csv.Error) as error:
            raise InputError(f"{self.path}: not a CSV file of a result ({error})") from None
        return ResultTable(tuple(names), tuple(zip(*columns, strict=True)))

    def matches(self, predicted: ResultTable) -> bool:
        """Return whether a result has the columns of this one, as Spider 2.0 compares them."""
        return spider2_table_match(
            self.table(),
            predicted,
            condition_columns=self.condition_columns,
            ignores_order=self.ignores_order,
        )


def _typed(column: Sequence[str]) -> list[Cell]:
    for read in (int, float, _TRUTH.__getitem__):
        with suppress(ValueError, KeyError):
            return [read(text) if text else None for text in column]
    return [text or None for text in column]
