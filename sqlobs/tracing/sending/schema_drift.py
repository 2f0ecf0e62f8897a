"""What changed in a schema that is followed: a migration shows before its first wrong verdict."""

from __future__ import annotations

import threading
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
"""The kinds of change, as `sqlobs.schema.change` spells them."""

_Tables = dict[tuple[str | None, str], dict[str, str | None]]


class WatchedSchema:
    """A schema source, compared with itself at each look."""

    def __init__(self, source: SchemaSource) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._last: Schema | None = None
        self._changes = dict.fromkeys(CHANGES, 0)

    @property
    def age_s(self) -> float | None:
        """Seconds since the schema was loaded; None while there is none."""
        return self._source.age_s

    def count(self, change: str) -> int:
        """Return how many changes of a kind the newest version brought."""
        with self._lock:
            self._look()
            return self._changes[change]

    def _look(self) -> None:
        try:
            newest = self._source.get()
        except SchemaError:
            return
        if self._last is None or newest.version != self._last.version:
            self._changes = changes_between(self._last or newest, newest)
            self._last = newest


def changes_between(old: Schema, new: Schema) -> dict[str, int]:
    """Return how many changes of each kind lead from one schema to the other."""
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
