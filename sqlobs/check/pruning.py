"""Reduces a schema to the tables that may matter for one statement."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.content import Table
    from sqlobs.schema.model import Schema

WHOLE: Final = 12
"""A schema with at most this many tables is kept whole."""
_NAMED: Final = 400
"""Maximum number of names of omitted tables."""
_NEAR: Final = 3
"""Number of tables with a similar name that are kept for an unknown one."""


def pruned(schema: Schema, report: CheckReport) -> tuple[str, tuple[str, ...]]:
    """Return the DDL of the tables that may matter, and the names of the others.

    Kept are the tables that the statement names, those they refer to, tables of similar names
    where a name is unknown, and the owners of columns that it names.

    Args:
        schema: the whole schema.
        report: of the statement.
    """
    if len(schema.tables) <= WHOLE:
        return schema.render(), ()
    chosen = _chosen(schema, report)
    shown = [table.full_name for table in schema.tables if table.full_name in chosen]
    others = [table.full_name for table in schema.tables if table.full_name not in chosen]
    return schema.render(shown), tuple(others[:_NAMED])


def _chosen(schema: Schema, report: CheckReport) -> set[str]:
    by_name: dict[str, list[Table]] = {}
    for table in schema.tables:
        by_name.setdefault(table.name.lower(), []).append(table)
    chosen: list[Table] = []
    for name in report.tables:
        near = get_close_matches(name.lower(), by_name, n=_NEAR)
        for known in [name.lower()] if name.lower() in by_name else near:
            chosen += by_name[known]
    for table in tuple(chosen):
        for key in table.foreign_keys:
            chosen += by_name.get(key.table.rpartition(".")[2].lower(), [])
    return {table.full_name for table in (*chosen, *_owners(schema, report))}


def _owners(schema: Schema, report: CheckReport) -> list[Table]:
    """Return the tables that own a column which the statement attributes to another table."""
    wanted = {name.lower() for name in report.unknown_columns}
    owners = [
        table
        for table in schema.tables
        if wanted and not wanted.isdisjoint(column.name.lower() for column in table.columns)
    ]
    return owners[:WHOLE]
