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
