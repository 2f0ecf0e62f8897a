"""Records which forms the engines support, and leaves the rest of their catalogs as it is.

`python scripts/catalog/record_forms.py [postgresql://…] [mysql://root@127.0.0.1:3306]` asks the
SQLite and DuckDB of this Python, and the servers that are given.
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


if __name__ == "__main__":
    main()
