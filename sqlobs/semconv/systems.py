"""How a dialect of sqlglot and OpenTelemetry's `db.system.name` correspond."""

from __future__ import annotations

from typing import Final

OTHER: Final = "other_sql"
"""OpenTelemetry's last resort for a SQL system without a name."""

_SYSTEMS: Final = {
    "clickhouse": "clickhouse",
    "hive": "hive",
    "mysql": "mysql",
    "oracle": "oracle.db",
    "postgres": "postgresql",
    "redshift": "aws.redshift",
    "sqlite": "sqlite",
    "teradata": "teradata",
    "trino": "trino",
    "tsql": "microsoft.sql_server",
}
"""Dialects whose system has a registered name; the others go by their own name in lower case."""

_DIALECTS: Final = {
    **{system: dialect for dialect, system in _SYSTEMS.items()},
    "mariadb": "mysql",
    "cockroachdb": "postgres",
}


def system_of(dialect: str | None) -> str:
    """Return `db.system.name` for a dialect in sqlglot's spelling."""
    return _SYSTEMS.get(dialect, dialect) if dialect else OTHER


def dialect_of(system: str) -> str | None:
    """Return the dialect that a system speaks, None where its name says nothing."""
    return None if system == OTHER else _DIALECTS.get(system, system)
