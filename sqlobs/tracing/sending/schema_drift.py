"""Counts changes of a live schema: a migration is visible before its first wrong verdict.

Tests: `tests/tracing/test_series.py` and `tests/telemetry/test_instruments.py`.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sqlobs.errors import SchemaError

if TYPE_CHECKING:
    from sqlobs.schema.model import Schema
    from sqlobs.schema.source import SchemaSource

CHANGES: Final = (
    "table_added",
    "table_removed",
    "column_added",
    "column_removed",
    "type_changed",
)
"""The values of `sqlobs.schema.change`."""

_Tables = dict[tuple[str | None, str], dict[str, str | None]]


class WatchedSchema:
    """A schema source, compared with its last version at each collection."""

    def __init__(self, source: SchemaSource) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._last: Schema | None = None
        self._changes = dict.fromkeys(CHANGES, 0)

    @property
    def age_s(self) -> float | None:
        """Seconds since the schema was loaded; None before the first load."""
        return self._source.age_s

    @property
    def is_stale(self) -> bool:
        """There is no schema, the last load failed, or the schema is older than allowed."""
        return self._source.is_stale or self._source.error is not None

    def count(self, change: str) -> int:
        """Return the number of changes of a kind in the newest version."""
        with self._lock, suppress(SchemaError):
            newest = self._source.get()
            if self._last is None or newest.version != self._last.version:
                self._changes = changes_between(self._last or newest, newest)
                self._last = newest
        return self._changes[change]


def changes_between(old: Schema, new: Schema) -> dict[str, int]:
    """Return the number of changes of each kind from one schema to the other."""
    before, after = _tables_of(old), _tables_of(new)
    changes = dict.fromkeys(CHANGES, 0)
    changes["table_added"] = len(after.keys() - before.keys())
    changes["table_removed"] = len(before.keys() - after.keys())
    for table in before.keys() & after.keys():
        had, has = before[table], after[table]
        changes["column_added"] += len(has.keys() - had.keys())
        changes["column_removed"] += len(had.keys() - has.keys())
        changes["type_changed"] += sum(had[name] != has[name] for name in had.keys() & has.keys())
    return changes


def _tables_of(schema: Schema) -> _Tables:
    return {
        (table.db, table.name): {column.name: column.type for column in table.columns}
        for table in schema.tables
    }
