"""OpenTelemetry's `db.system.name` of a dialect."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.registry import dialect_of

OTHER: Final = "other_sql"
"""OpenTelemetry's value for a SQL database that has no name of its own."""


def system_of(dialect: str | None) -> str:
    """Return `db.system.name` for a dialect in sqlglot's spelling."""
    return dialect_of(dialect).system if dialect else OTHER
