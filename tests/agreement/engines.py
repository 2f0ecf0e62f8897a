"""Asks engines whether they accept a statement on an empty database made from a schema."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence


_INSERTS_QUERY = re.compile(r"\s*(?:INSERT|REPLACE)\b[^;?]*\bSELECT\b[^;?]*$", re.IGNORECASE)
_OF_ROWS = frozenset({1364})
"""MariaDB's errors that are about what a row lacks, not about the statement: no default."""


class Engine(Protocol):
    """An engine that compiles statements without running them."""

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty database of a name."""

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""

    def close(self) -> None:
        """Close every connection."""


def engine_of(dialect: str, url: str | None) -> Engine:
    """Return the engine of a dialect; PostgreSQL and MariaDB need the address of a server."""
    if dialect == "sqlite":
        return SqliteEngine()
    if dialect == "duckdb":
        return DuckdbEngine()
    if dialect == "spark":
        return SparkEngine()
    if dialect == "clickhouse":
        return ClickhouseEngine()
    if dialect == "bigquery":
        return BigqueryEngine()
    return PostgresEngine(url or "") if dialect == "postgres" else MariadbEngine(url or "")


class SqliteEngine:
    """The SQLite of this Python."""

    def __init__(self) -> None:
        self._databases: dict[str, sqlite3.Connection] = {}

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty database of a name."""
        database = self._databases[name] = sqlite3.connect(":memory:")
        for statement in ddl:
            database.execute(statement)

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""
        try:
            self._databases[name].execute(f"EXPLAIN {sql}").close()
        except (sqlite3.Error, sqlite3.Warning) as error:
            return str(error)
        return None

    def close(self) -> None:
        """Close every connection."""
        for database in self._databases.values():
            database.close()


class DuckdbEngine:
    """The DuckDB of this Python."""

    def __init__(self) -> None:
        import duckdb

        self._duckdb = duckdb
        self._databases: dict[str, duckdb.DuckDBPyConnection] = {}

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty database of a name."""
        config = {"enable_external_access": "false"}
        database = self._databases[name] = self._duckdb.connect(config=config)
        for statement in ddl:
            database.execute(statement)

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""
        try:
            self._databases[name].execute(f"EXPLAIN {sql}")
        except self._duckdb.Error as error:
            return str(error)
        return None

    def close(self) -> None:
        """Close every connection."""
        for database in self._databases.values():
            database.close()


class SparkEngine:
    """Spark's analyzer, in a Java process of its own: one database of parquet tables per schema."""

    def __init__(self) -> None:
        from scripts.catalog.spark_session import Spark

        self._spark = Spark()
        self._current = ""

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty database of a name."""
        database = _database(name)
        self._spark.execute(
            f"DROP DATABASE IF EXISTS {database} CASCADE", f"CREATE DATABASE {database}"
        )
        self._enter(name)
        made = (f"{one} USING parquet" if one.startswith("CREATE TABLE") else one for one in ddl)
        self._spark.execute(*made)

    def _enter(self, name: str) -> None:
        if self._current != name:
            self._spark.execute(f"USE {_database(name)}")
            self._current = name

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""
        self._enter(name)
        return self._spark.error(sql)

    def close(self) -> None:
        """End the Java process."""
        self._spark.close()


def _database(name: str) -> str:
    """Return a name that Spark accepts: of letters, digits and underscores."""
    return re.sub(r"\W", "_", name)


class BigqueryEngine:
    """Google's GoogleSQL analyzer, without the functions that BigQuery does not list."""

    def __init__(self) -> None:
        from scripts.catalog.googlesql import GoogleSql
        from sqlobs.dialects.catalog import catalog_of

        self._analyzer = GoogleSql(listed=getattr(catalog_of("bigquery"), "functions", ()))

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty database of a name."""
        self._analyzer.prepare(name, list(ddl))

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""
        return self._analyzer.refusal(name, sql)

    def close(self) -> None:
        """Forget the analyzer."""
        self._analyzer.close()


class ClickhouseEngine:
    """The chDB of this Python: one database for each schema."""

    def __init__(self) -> None:
        from chdb.session import Session

        self._session = Session()
        self._session.query("SET implicit_select = 0")  # else `1 + 1` is a query
        self._session.query("SET allow_introspection_functions = 0")  # as on a server

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty database of a name."""
        self._session.query(f"DROP DATABASE IF EXISTS `{name}`")
        self._session.query(f"CREATE DATABASE `{name}`")
        self._session.query(f"USE `{name}`")
        for statement in ddl:
            self._session.query(statement)

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""
        self._session.query(f"USE `{name}`")
        try:
            for what in ("AST", "PLAN"):
                self._session.query(f"EXPLAIN {what} {sql}")
        except RuntimeError as error:
            return " ".join(str(error).split())[:300]
        return None

    def close(self) -> None:
        """End the session."""
        self._session.close()


class PostgresEngine:
    """A PostgreSQL server: one namespace for each schema."""

    def __init__(self, url: str) -> None:
        import psycopg

        self._psycopg = psycopg
        self._server = psycopg.connect(url, autocommit=True)
        self._current = ""

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty namespace of a name."""
        self._server.execute(f'DROP SCHEMA IF EXISTS "{name}" CASCADE; CREATE SCHEMA "{name}"')
        self._enter(name)
        for statement in ddl:
            self._server.execute(statement)  # type: ignore[arg-type]  # the schema's own text

    def _enter(self, name: str) -> None:
        if self._current != name:
            self._server.execute(f'SET search_path TO "{name}"')
            self._current = name

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""
        self._enter(name)
        try:
            # The protocol of binary results refuses several statements.
            self._server.execute(f"PREPARE probing AS {sql}", binary=True)  # type: ignore[arg-type]  # mutants are text
        except self._psycopg.Error as error:
            return f"{error.sqlstate} {error}"
        self._server.execute("DEALLOCATE probing")
        return None

    def close(self) -> None:
        """Close every connection."""
        self._server.close()


class MariadbEngine:
    """A MariaDB server: one database for each schema."""

    def __init__(self, url: str) -> None:
        import pymysql

        self._pymysql = pymysql
        address = urlsplit(url)
        self._server = pymysql.connect(
            host=address.hostname, port=address.port or 3306, user=address.username
        )
        self._cursor = self._server.cursor()

    def prepare(self, name: str, ddl: Sequence[str]) -> None:
        """Make an empty database of a name."""
        self._cursor.execute(f"CREATE OR REPLACE DATABASE `{name}`")
        self._cursor.execute(f"USE `{name}`")
        for statement in ddl:
            self._cursor.execute(statement)

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the engine's error; None: it accepts the statement."""
        self._cursor.execute(f"USE `{name}`")
        try:
            self._cursor.execute("PREPARE probing FROM %s", (sql,))
        except self._pymysql.Error as error:
            return f"{error.args[0]} {error.args[1]}"
        self._cursor.execute("DEALLOCATE PREPARE probing")
        return self._refusal_of_insert(sql) if _INSERTS_QUERY.match(sql) else None

    def _refusal_of_insert(self, sql: str) -> str | None:
        """Ask what PREPARE leaves to the execution of INSERT … SELECT: its columns, its conflict."""
        try:
            self._cursor.execute(f"EXPLAIN {sql}")
        except self._pymysql.Error as error:
            return None if error.args[0] in _OF_ROWS else f"{error.args[0]} {error.args[1]}"
        return None

    def close(self) -> None:
        """Close every connection."""
        self._server.close()
