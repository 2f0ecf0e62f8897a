"""What changed between two schemas: tables, columns, nested fields added, removed, retyped."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.schema.content import Column, Table
    from sqlobs.schema.declared_type import DeclaredType
    from sqlobs.schema.model import Schema

ChangeKind = Literal["added", "removed", "retyped"]


@dataclass(frozen=True, slots=True)
class Change:
    """One added, removed or changed table, column or nested field."""

    kind: ChangeKind
    table: str
    """The table's full name."""
    column: str | None = None
    """The column, or a nested field with its path (`customer.name`); None: the whole table."""
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
        elif known.declared_type is not None and column.declared_type is not None:
            yield from _in_type(
                table.full_name, column.name, known.declared_type, column.declared_type
            )
    for key, column in earlier.items():
        if key not in later:
            yield Change("removed", table.full_name, column.name, old_type=column.type)


def _in_type(table: str, path: str, old: DeclaredType, new: DeclaredType) -> Iterator[Change]:
    """Yield what changed in a type: fields where both have some, else the type as a whole."""
    if _is_same(old, new):
        return
    before, after = old, new
    while before.shape == after.shape == "list" and before.size == after.size:
        before, after = before.parts[0], after.parts[0]
    if not before.has_names or not after.has_names:
        yield Change("retyped", table, path, old.text, new.text)
        return
    earlier = {one.name.lower(): one.type for one in before.fields}
    later = {one.name.lower(): one for one in after.fields}
    for key, one in later.items():
        place = f"{path}.{one.name}"
        if key in earlier:
            yield from _in_type(table, place, earlier[key], one.type)
        else:
            yield Change("added", table, place, new_type=one.type.text)
    for one in before.fields:
        if one.name.lower() not in later:
            yield Change("removed", table, f"{path}.{one.name}", old_type=one.type.text)


def _is_same(old: DeclaredType, new: DeclaredType) -> bool:
    """Return whether two types are the same in the spelling of one engine or another."""
    if _form(old.text) == _form(new.text):
        return True
    if old.shape != new.shape or old.size != new.size or old.shape == "plain":
        return False
    names = [[one.name.lower() for one in found.fields] for found in (old, new)]
    fields = zip((one.type for one in old.fields), (one.type for one in new.fields), strict=False)
    parts = zip(old.parts, new.parts, strict=True)
    return names[0] == names[1] and all(starmap(_is_same, (*fields, *parts)))


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
