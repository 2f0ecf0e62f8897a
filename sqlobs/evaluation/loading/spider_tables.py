"""Spider's `tables.json`: tables, columns and foreign keys of each database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.loading.records import read_records
from sqlobs.metrics.spider.database import SpiderDatabase

if TYPE_CHECKING:
    from pathlib import Path

TABLES: Final = "tables.json"
"""Its name in a benchmark's folder."""


def read_spider_tables(path: Path) -> dict[str, SpiderDatabase]:
    """Return the databases of a file by name.

    Raises:
        InputError: the file cannot be read, or an entry is broken.
    """
    entries = (record.fields for record in read_records(path))
    return {str(entry.get("db_id")): SpiderDatabase.from_entry(entry) for entry in entries}
