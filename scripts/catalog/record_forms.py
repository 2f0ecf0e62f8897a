"""Records which forms the engines support, and leaves the rest of their catalogs as it is.

`python scripts/catalog/record_forms.py [postgresql://…] [mysql://root@127.0.0.1:3306]` asks the
SQLite and DuckDB of this Python, and the servers that are given. With `bigquery` or `spark`, it
asks only these, in a Python that has them.
"""

from __future__ import annotations

import sys

import from_duckdb
import from_mariadb
import from_postgres
import from_sqlite
import psycopg
from writing import write_section


def main() -> None:
    """Ask every available engine."""
    if sys.argv[1:] and {*sys.argv[1:]} <= OF_WAREHOUSES.keys():
        for name in sys.argv[1:]:
            OF_WAREHOUSES[name]()
        return
    write_section("sqlite", "3.40", "forms", from_sqlite.verdicts(from_sqlite.connect()))
    write_section("duckdb", "2.0", "forms", from_duckdb.verdicts(from_duckdb.connect()))
    for url in sys.argv[1:]:
        if url.startswith("mysql:"):
            write_section("mariadb", "10.11", "forms", of_mariadb(url))
        else:
            write_section("postgres", "15", "forms", of_postgres(url))


def of_postgres(url: str) -> dict[str, str]:
    """Return the verdicts of a PostgreSQL server."""
    with psycopg.connect(url, autocommit=True) as server:
        from_postgres.create_tables(server)
        return from_postgres.verdicts(server)


def of_mariadb(url: str) -> dict[str, str]:
    """Return the verdicts of a MariaDB server."""
    with from_mariadb.connect(url).cursor() as cursor:
        from_mariadb.create_tables(cursor)
        found = from_mariadb.verdicts(cursor)
        cursor.execute("DROP DATABASE probing")
    return found


def record_bigquery() -> None:
    """Ask Google's analyzer."""
    import from_bigquery

    is_refused, is_syntax_error = from_bigquery.judges(from_bigquery.prepared())
    write_section("bigquery", "2025", "forms", from_bigquery.verdicts(is_refused, is_syntax_error))


def record_spark() -> None:
    """Ask Spark's analyzer in its default mode."""
    import from_spark
    from spark_session import Spark

    spark = Spark()
    from_spark.create_tables(spark)
    write_section("spark", "4.3", "forms", from_spark.verdicts(spark))
    spark.close()


OF_WAREHOUSES = {"bigquery": record_bigquery, "spark": record_spark}


if __name__ == "__main__":
    main()
