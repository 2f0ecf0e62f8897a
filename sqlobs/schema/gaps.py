"""What a schema does not say, and which verdicts stay open for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.schema.model import Schema

_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Gap:
    """Something unknown."""

    missing: str
    """What is unknown, with how often: `types of 3 of 20 columns`."""
    effect: str
    """What the checker therefore leaves open."""
    examples: tuple[str, ...] = ()
    """Some of the places."""


def gaps(schema: Schema) -> tuple[Gap, ...]:
    """Return what the schema lacks for a full verdict; empty if nothing."""
    return tuple(_gaps(schema))


def _gaps(schema: Schema) -> Iterator[Gap]:
    if schema.dialect is None:
        yield Gap("the dialect", "syntax is checked only if the check specifies a dialect")
    if not schema.tables:
        yield Gap("tables", "every name is unknown")
    yield from _open_views(schema)
    yield from _untyped(schema)
    keyless = [
        table.full_name
        for table in schema.tables
        if table.kind == "table" and table.primary_key is None
    ]
    if keyless:
        yield Gap(
            f"keys of {len(keyless)} of {len(schema.tables)} tables",
            "columns that depend on a grouped primary key cannot be distinguished from ungrouped"
            " ones",
            tuple(keyless[:_SHOWN]),
        )


def _open_views(schema: Schema) -> Iterator[Gap]:
    names = [table.full_name for table in schema.tables if not table.columns]
    if names:
        yield Gap(
            f"columns of {len(names)} of {len(schema.tables)} tables and views",
            "any column is accepted there",
            tuple(names[:_SHOWN]),
        )


def _untyped(schema: Schema) -> Iterator[Gap]:
    columns = [
        (f"{table.full_name}.{column.name}", column.type)
        for table in schema.tables
        for column in table.columns
    ]
    untyped = [name for name, type_ in columns if type_ is None]
    # SQLite's columns need no type; its own verdict does not depend on it.
    if untyped and not dialect_of(schema.dialect).definitions.typeless_columns:
        yield Gap(
            f"types of {len(untyped)} of {len(columns)} columns",
            "types of operators and functions on them are not checked",
            tuple(untyped[:_SHOWN]),
        )
