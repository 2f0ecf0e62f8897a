"""The names of dialects: sqlglot's own, found from the spellings people use."""

from __future__ import annotations

import re
from difflib import get_close_matches

from sqlobs.errors import DialectError

DIALECTS = frozenset(
    (
        "athena bigquery clickhouse databricks dax doris dremio drill druid duckdb dune exasol"
        " fabric hive materialize mysql oracle postgres presto prql redshift risingwave"
        " snowflake solr spark spark2 sqlite starrocks tableau teradata trino tsql"
    ).split()
)
"""sqlglot's dialects; written out, so that a name is checked without importing sqlglot."""

_SPELLINGS = {
    "cockroach": "postgres",
    "cockroachdb": "postgres",
    "googlebigquery": "bigquery",
    "googlesql": "bigquery",
    "mariadb": "mysql",
    "mssql": "tsql",
    "mssqlserver": "tsql",
    "microsoftsqlserver": "tsql",
    "azuresql": "tsql",
    "pg": "postgres",
    "pgsql": "postgres",
    "postgresql": "postgres",
    "plpgsql": "postgres",
    "plsql": "oracle",
    "oracledb": "oracle",
    "amazonredshift": "redshift",
    "awsredshift": "redshift",
    "amazonathena": "athena",
    "awsathena": "athena",
    "sparksql": "spark",
    "apachespark": "spark",
    "databrickssql": "databricks",
    "hiveql": "hive",
    "sqlite3": "sqlite",
    "sqlserver": "tsql",
    "transactsql": "tsql",
    "snowflakesql": "snowflake",
    "trinosql": "trino",
    "prestosql": "trino",
    "prestodb": "presto",
    "clickhousesql": "clickhouse",
}


KNOWN_VERSIONS = {
    "postgres": ("11", "12", "13", "14", "15", "16", "17", "18"),
    "mysql": ("5.6", "5.7", "8.0", "8.1", "8.2", "8.3", "8.4", "9"),
    "mariadb": ("10", "11", "12"),
    "sqlite": ("3",),
    "duckdb": ("0", "1", "2"),
}
"""Versions that a user may name, by their beginning; of other dialects any number is taken."""

_MARIADB = "mariadb"


def dialect_and_version(name: str) -> tuple[str, str | None]:
    """Return sqlglot's name of a dialect, and the version behind a colon.

    MariaDB is read with MySQL's grammar: its version begins with `mariadb`.

    Raises:
        DialectError: The name is unknown, or the version is no known one.

    >>> dialect_and_version("PostgreSQL:16"), dialect_and_version("mariadb:11.4")
    (('postgres', '16'), ('mysql', 'mariadb-11.4'))
    """
    spelling, colon, version_text = name.partition(":")
    dialect, version = dialect_name(spelling), version_text.strip().lower()
    is_mariadb = spelling.strip().lower() == _MARIADB
    if dialect == "mysql" and version.startswith(_MARIADB):  # as a schema tells it
        is_mariadb, version = True, version.removeprefix(_MARIADB).lstrip("-")
    if colon and (version_text or not is_mariadb):
        _require_known(name, _MARIADB if is_mariadb else dialect, version)
    if is_mariadb:
        return dialect, f"{_MARIADB}-{version}" if version else _MARIADB
    return dialect, version or None


def _require_known(name: str, dialect: str, version: str) -> None:
    known = KNOWN_VERSIONS.get(dialect)
    if known is None and any(map(str.isdecimal, version)):
        return
    if known and version and any(_is_same(version, one) for one in known):
        return
    advice = f"use {', '.join(known[:-1])} or {known[-1]}" if known and len(known) > 1 else None
    advice = advice or (f"use {known[0]}" if known else "write it as in mysql:8.0")
    what = f"{version!r} is no known version of {dialect}" if version else "the version is missing"
    raise DialectError(f"{name!r}: {what}: {advice}")


def _is_same(version: str, known: str) -> bool:
    """Return whether a version is in a known one (`8.0.36` in `8.0`), or names several (`8`)."""
    return f"{version}.".startswith(f"{known}.") or f"{known}.".startswith(f"{version}.")


def dialect_name(name: str) -> str:
    """Return sqlglot's name of a dialect, from any usual spelling in any case.

    Args:
        name: `postgres`, `PostgreSQL`, `T-SQL`, `Spark SQL`, …; a version behind a colon
            (`mysql:8.0`) is left to `Profile`.

    Raises:
        DialectError: The name is unknown; the message offers the nearest known one.

    >>> dialect_name("PostgreSQL"), dialect_name("T-SQL"), dialect_name("mysql:8.0")
    ('postgres', 'tsql', 'mysql')
    """
    key = re.sub(r"[\s_.\-]+", "", name.partition(":")[0]).lower()
    found = _SPELLINGS.get(key, key)
    if found in DIALECTS:
        return found
    near = get_close_matches(key, sorted(DIALECTS | _SPELLINGS.keys()), n=1)
    remedy = (
        f"did you mean {_SPELLINGS.get(near[0], near[0])!r}?"
        if near
        else "use one of sqlglot's names, such as 'postgres' or 'sqlite'."
    )
    raise DialectError(f"unknown SQL dialect {name!r}: {remedy}")
