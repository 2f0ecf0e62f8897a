"""Schemas of warehouses over SQLAlchemy, with rows as their documentation describes them.

ClickHouse's are read from its engine in `tests/warehouses/test_clickhouse.py`. Here a stand-in of
SQLAlchemy's connection has the rows that BigQuery, Databricks, Redshift and Snowflake document for
the query of `sqlobs schema query`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
import sqlalchemy

from sqlobs.cli import main
from sqlobs.errors import MissingExtraError, SchemaUnavailableError
from sqlobs.schema import Column, Schema, Table
from sqlobs.schema.live.warehouse import read_warehouse

if TYPE_CHECKING:
    from sqlalchemy import CursorResult


@dataclass
class Dialect:
    """What SQLAlchemy says about a connection."""

    name: str
    default_schema_name: str | None


@dataclass
class Warehouse:
    """A connection whose every query gives the same rows, by SQLite."""

    dialect: Dialect
    columns: str
    rows: list[tuple[object, ...]]
    seen: list[str] = field(default_factory=list)
    engine: sqlalchemy.Engine = field(init=False)

    def __post_init__(self) -> None:
        self.engine = sqlalchemy.create_engine("sqlite:///shop")

    def exec_driver_sql(self, sql: str) -> CursorResult[tuple[object, ...]]:
        """Return the rows."""
        self.seen.append(sql)
        names = self.columns.split()
        connection = sqlalchemy.create_engine("sqlite://").connect()
        connection.exec_driver_sql(f"CREATE TABLE found ({', '.join(names)})")
        values = ", ".join("?" * len(names))
        for row in self.rows:
            connection.exec_driver_sql(f"INSERT INTO found VALUES ({values})", row)
        return connection.exec_driver_sql("SELECT * FROM found")


def warehouse(name: str, default: str | None, columns: str, *rows: tuple[object, ...]) -> Warehouse:
    return Warehouse(Dialect(name, default), columns, list(rows))


SNOWFLAKE = warehouse(
    "snowflake",
    "public",
    "TABLE_SCHEMA TABLE_NAME TABLE_TYPE COLUMN_NAME ORDINAL_POSITION DATA_TYPE NUMERIC_PRECISION"
    " NUMERIC_SCALE IS_NULLABLE",
    ("PUBLIC", "ORDERS", "BASE TABLE", "TOTAL", 2, "NUMBER", 12, 2, "YES"),
    ("PUBLIC", "ORDERS", "BASE TABLE", "PAYLOAD", 1, "VARIANT", None, None, "NO"),
    ("STAGING", "ORDERS", "BASE TABLE", "ID", 1, "TEXT", None, None, "YES"),
)
DATABRICKS = warehouse(
    "databricks",
    "default",
    "table_schema table_name table_type column_name ordinal_position full_data_type is_nullable",
    ("default", "orders", "MANAGED", "buyer", 1, "struct<name:string>", "YES"),
)
REDSHIFT = warehouse(
    "redshift",
    "public",
    "table_schema table_name column_name ordinal_position data_type is_nullable remarks",
    ("public", "orders", "buyer", 1, "super", "YES", "who"),
)
BIGQUERY = warehouse(
    "bigquery",
    None,
    "table_schema table_name table_type column_name field_path ordinal_position data_type"
    " is_nullable description",
    ("shop", "orders", "BASE TABLE", "buyer", "buyer", 1, "STRUCT<name STRING>", "YES", "who"),
    ("shop", "orders", "BASE TABLE", "buyer", "buyer.name", 1, "STRUCT<name STRING>", "YES", "all"),
)


@pytest.mark.parametrize(
    ("connection", "table"),
    [
        (
            SNOWFLAKE,
            Table(
                "ORDERS",
                (
                    Column("PAYLOAD", "VARIANT", nullable=False),
                    Column("TOTAL", "NUMBER(12,2)", nullable=True),
                ),
                db="PUBLIC",
            ),
        ),
        (
            DATABRICKS,
            Table("orders", (Column("buyer", "struct<name:string>", nullable=True),), db="default"),
        ),
        (
            REDSHIFT,
            Table(
                "orders",
                (Column("buyer", "super", nullable=True, description="who"),),
                db="public",
            ),
        ),
    ],
)
def test_the_namespace_of_the_url_is_read_by_the_query_for_consoles(connection, table):
    found = read_warehouse(connection, None)
    assert found is not None
    assert found.tables == (table,)


def test_a_namespace_without_tables_gives_none():
    found = read_warehouse(SNOWFLAKE, ["NOWHERE"])
    assert found is not None
    assert (found.tables, found.dialect) == ((), "snowflake")


def test_bigquery_has_a_system_catalog_in_each_dataset():
    """Which the URL names, or the option."""
    found = read_warehouse(BIGQUERY, None)
    assert found is not None
    assert found.tables == (
        Table(
            "orders",
            (
                Column(
                    "buyer",
                    "STRUCT<name STRING>",
                    nullable=True,
                    description="who",
                    field_descriptions=(("name", "all"),),
                ),
            ),
            db="shop",
        ),
    )
    assert read_warehouse(BIGQUERY, ["a", "b"]) is not None
    assert [sql.partition("FROM ")[2].partition(".")[0] for sql in BIGQUERY.seen] == [
        "`shop`",
        "`a`",
        "`b`",
    ]
    BIGQUERY.engine = sqlalchemy.create_engine("sqlite://")
    with pytest.raises(SchemaUnavailableError, match="bigquery://project/dataset"):
        read_warehouse(BIGQUERY, None)


def test_an_engine_that_is_no_warehouse_is_reflected():
    assert read_warehouse(warehouse("postgresql", "public", ""), None) is None


@pytest.mark.parametrize("name", ["snowflake", "databricks", "redshift", "bigquery", "clickhouse"])
def test_a_missing_driver_names_its_extra(name):
    """No driver of a warehouse is installed with sqlobs."""
    with pytest.raises((MissingExtraError, SchemaUnavailableError), match=f"sqlobs\\[{name}\\]"):
        Schema.from_database(f"{name}://reader@localhost/shop")


def test_the_command_passes_connect_args(tmp_path, capsys):
    """What the driver rejects shows that it has received them."""
    options = tmp_path / "options.toml"
    options.write_text("[connect_args]\nno_such_argument = 1\n")
    arguments = ["schema", "pull", "postgresql://reader@127.0.0.1:1/shop"]
    assert main([*arguments, "--target-options", str(options)]) != 0
    assert "no_such_argument" in capsys.readouterr().err
