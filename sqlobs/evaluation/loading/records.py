"""Records of a table or of JSON: CSV, Excel, JSON lines, or one JSON document."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.errors import InputError, MissingExtraError
from sqlobs.evaluation.loading.text import read_lines, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from openpyxl import Workbook

_DELIMITERS: Final = ",;\t"

Fields: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Record:
    """One record and where it stands, to be named in messages."""

    place: str
    fields: Fields


def read_records(path: Path) -> list[Record]:
    """Return the records of a file by its suffix; empty lines and rows are left out.

    Raises:
        InputError: the suffix is unknown, or the file is broken; the message names the place.
        MissingExtraError: an Excel file without the `evaluation` extra.
    """
    read = _READERS.get(path.suffix.lower())
    if read is None and path.is_file():
        known = ", ".join(_READERS)
        raise InputError(f"{path}: cases are read from {known}, not from {path.suffix or 'this'}")
    return list((read or _json_lines)(path))  # the reader's error names the problem


def _json_lines(path: Path) -> Iterator[Record]:
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            yield _record(f"{path}, line {number}", _json(line, f"{path}, line {number}"))


def _json_document(path: Path) -> Iterator[Record]:
    found = _json(read_text(path), str(path))
    if not isinstance(found, list):
        raise InputError(f"{path}: not a JSON list of objects")
    for number, entry in enumerate(found, start=1):
        yield _record(f"{path}, entry {number}", entry)


def _record(place: str, found: object) -> Record:
    if not isinstance(found, dict):
        raise InputError(f"{place}: not a JSON object")
    return Record(place, found)


def _json(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(": line ")[0].partition("; use ")[0]
        raise InputError(f"{place}: not JSON ({reason})") from None


def _separated(path: Path) -> Iterator[Record]:
    text = read_text(path)
    header = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)  # spreadsheets write their country's
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows: list[tuple[int, list[object]]] = [(lines.line_num, [*row]) for row in lines]
    except csv.Error as error:
        raise InputError(f"{path}, line {lines.line_num}: {error}") from None
    yield from _table(path, rows, "line")


def _workbook(path: Path) -> Iterator[Record]:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("Reading Excel files", extra="evaluation") from None
    try:
        rows = _sheet(openpyxl.load_workbook(path, read_only=True, data_only=True))
        written = _sheet(openpyxl.load_workbook(path, read_only=True))
    except OSError:
        raise  # the file, not what is in it
    except Exception as error:  # noqa: BLE001 - a broken workbook raises nearly anything
        raise InputError(f"{path}: not an Excel workbook ({type(error).__name__})") from None
    for number, (row, formulas) in enumerate(zip(rows, written, strict=True), start=1):
        for cell, formula in zip(row, formulas, strict=False):
            if cell is None and isinstance(formula, str) and formula.startswith("="):
                raise InputError(
                    f"{path}, row {number}: a formula without its value; save the file once in a"
                    " spreadsheet program, or put the text itself there"
                )
    yield from _table(path, enumerate(rows, start=1), "row")


def _sheet(book: Workbook) -> list[list[object]]:
    """Return the cells of the first sheet."""
    rows: list[list[object]] = [[*row] for row in book.worksheets[0].iter_rows(values_only=True)]
    book.close()
    return rows


def _table(path: Path, rows: Iterable[tuple[int, list[object]]], unit: str) -> Iterator[Record]:
    """Yield the rows below the first, which names the columns."""
    names: list[str] | None = None
    for number, row in rows:
        if all(cell is None or cell == "" for cell in row):
            continue
        if names is None:
            names = ["" if cell is None else str(cell).strip() for cell in row]
            twice = next((name for name, count in Counter(names).items() if name and count > 1), "")
            if twice:
                raise InputError(f"{path}: two columns have the name {twice}")
            continue
        if len(row) > len(names):
            raise InputError(
                f"{path}, {unit} {number}: {len(row)} fields, but {len(names)} columns"
            )
        yield Record(f"{path}, {unit} {number}", dict(zip(names, row, strict=False)))
    if names is None:
        raise InputError(f"{path}: the file is empty")


_READERS: Final[dict[str, Callable[[Path], Iterator[Record]]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json_document,
    ".csv": _separated,
    ".tsv": _separated,
    ".xlsx": _workbook,
    ".xlsm": _workbook,
}
