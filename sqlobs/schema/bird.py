"""Descriptions from the BIRD benchmark's `database_description`: one CSV file a table."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlobs.schema.content import Column, Table
    from sqlobs.schema.model import Schema

_NAME: Final = "original_column_name"
_PARTS: Final = ("column_name", "column_description", "value_description")


def describe(schema: Schema, directory: Path) -> Schema:
    """Return the schema with the descriptions of a directory added.

    Files are matched with tables, and rows with columns, whatever their case; what has no
    description keeps its own, and files of other tables are passed over.

    Args:
        schema: The schema, usually read from the benchmark's SQLite file.
        directory: `database_description`, with one `TABLE.csv` for each table.

    Raises:
        SchemaError: There is no such directory, or a file is no such table.
    """
    if not directory.is_dir():
        raise SchemaError(f"{directory}: no such directory")
    files = {path.stem.strip().lower(): path for path in sorted(directory.glob("*.csv"))}
    tables = tuple(
        _described(table, files[table.name.lower()]) if table.name.lower() in files else table
        for table in schema.tables
    )
    return replace(schema, tables=tables)


def _described(table: Table, path: Path) -> Table:
    texts = _descriptions(path)
    columns = tuple(_with_text(column, texts) for column in table.columns)
    return replace(table, columns=columns)


def _with_text(column: Column, texts: Mapping[str, str]) -> Column:
    text = texts.get(column.name.strip().lower())
    return replace(column, description=text) if text else column


def _descriptions(path: Path) -> dict[str, str]:
    rows = list(csv.DictReader(_decoded(path).splitlines(keepends=True)))
    if rows and _NAME not in rows[0]:
        raise SchemaError(f"{path} lacks the column {_NAME}")
    return {str(row[_NAME] or "").strip().lower(): _text(row) for row in rows}


def _decoded(path: Path) -> str:
    """Return the text of a file; the published ones are in two encodings."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _text(row: Mapping[str, str | None]) -> str:
    """Return the parts that say something, each once."""
    own = str(row[_NAME] or "").strip().lower()
    parts = [" ".join(str(row.get(part) or "").split()) for part in _PARTS]
    said = dict.fromkeys(part for part in parts if part and part.lower() != own)
    return "; ".join(said)
