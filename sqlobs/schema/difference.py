"""What changed between two schemas: tables and columns added, removed, retyped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.schema.content import Column, Table
    from sqlobs.schema.model import Schema

ChangeKind = Literal["added", "removed", "retyped"]


@dataclass(frozen=True, slots=True)
class Change:
    """One added, removed or changed table or column."""

    kind: ChangeKind
    table: str
    """The table's full name."""
    column: str | None = None
    """None: the whole table."""
    old_type: str | None = None
    new_type: str | None = None

    @property
    def name(self) -> str:
        """The table, or `table.column`."""
        return self.table if self.column is None else f"{self.table}.{self.column}"


def changes(old: Schema, new: Schema) -> tuple[Change, ...]:
    """Return the changes, in the order of the new schema; removals come last.

    Tables and columns are the same where the dialect's case rules say so. A type that is unknown
    on one side is no change.
    """
    found = [change for table in new.tables for change in _in_table(old, new, table)]
    removed = [
        Change("removed", table.full_name)
        for table in old.tables
        if _counterpart(new, table) is None
    ]
    return (*found, *removed)


def _in_table(old: Schema, new: Schema, table: Table) -> Iterator[Change]:
    before = _counterpart(old, table)
    if before is None:
        yield Change("added", table.full_name)
        return
    earlier, later = _columns(old, before), _columns(new, table)
    for key, column in later.items():
        known = earlier.get(key)
        if known is None:
            yield Change("added", table.full_name, column.name, new_type=column.type)
        elif known.type and column.type and _form(known.type) != _form(column.type):
            yield Change("retyped", table.full_name, column.name, known.type, column.type)
    for key, column in earlier.items():
        if key not in later:
            yield Change("removed", table.full_name, column.name, old_type=column.type)


def _counterpart(schema: Schema, table: Table) -> Table | None:
    return schema.table(table.name, db=table.db) or (
        schema.table(table.name) if table.db is None or _lacks_namespaces(schema) else None
    )


def _lacks_namespaces(schema: Schema) -> bool:
    """Return whether a schema has no namespaces, so that tables have only their names."""
    return all(table.db is None for table in schema.tables)


def _columns(schema: Schema, table: Table) -> dict[str, Column]:
    key = schema.rules.column_key
    return {key(column.name): column for column in table.columns}


def _form(type_: str) -> str:
    return "".join(type_.lower().split())
