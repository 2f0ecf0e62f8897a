"""Schemas of a real MariaDB: its live catalog, and its own dump, say the same."""

from __future__ import annotations

import pytest

from sqlobs import Column, ForeignKey, Schema, Table, check_sql
from sqlobs.errors import SchemaUnavailableError
from tests.servers import MariaDbServer

pytestmark = pytest.mark.mariadb

SCRIPT = """
CREATE DATABASE shop; USE shop;
CREATE TABLE customers (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `full name` varchar(40) NOT NULL UNIQUE COMMENT 'first; and ''last''',
  state enum('new','old') NOT NULL DEFAULT 'new',
  born date DEFAULT NULL
) COMMENT 'Who buys';
CREATE TABLE Orders (
  customer int unsigned,
  no bigint,
  total decimal(10,2) DEFAULT 0.00,
  note text,
  PRIMARY KEY (no, customer),
  UNIQUE KEY once (total, note(10)),
  KEY later (note(3)),
  CONSTRAINT who FOREIGN KEY (customer) REFERENCES customers (id) ON DELETE CASCADE
);
INSERT INTO customers VALUES (1, 'it''s; CREATE TABLE x (a int);', 'new', NULL);
CREATE VIEW spenders AS SELECT c.id, o.total AS spent FROM customers c JOIN Orders o ON o.customer = c.id;
CREATE FUNCTION vat (x decimal(10,2)) RETURNS decimal(10,2) DETERMINISTIC RETURN x * 0.2;
CREATE TRIGGER t BEFORE INSERT ON Orders FOR EACH ROW SET NEW.note = 'x';
"""


@pytest.fixture(scope="module")
def server():
    """A server with the schema in its database `shop`."""
    server = MariaDbServer().start()
    server.run(SCRIPT)
    yield server
    server.stop()


def test_the_catalog_gives_tables_views_keys_and_comments(server):
    """All that judges and the checker use; names keep their case."""
    schema = Schema.from_database(server.url("shop"))
    orders, customers, spenders = schema.tables
    assert customers == Table(
        "customers",
        (
            Column("id", "INTEGER(10) UNSIGNED", nullable=False, primary_key=True),
            Column(
                "full name",
                "VARCHAR(40)",
                nullable=False,
                unique=True,
                description="first; and 'last'",
            ),
            Column("state", "ENUM('new','old')", nullable=False, default="'new'"),
            Column("born", "DATE", nullable=True),
        ),
        db="shop",
        primary_key=("id",),
        description="Who buys",
    )
    assert (orders.name, orders.primary_key) == ("Orders", ("no", "customer"))
    assert orders.unique_keys == (("total", "note"),)
    assert orders.foreign_keys == (ForeignKey(("customer",), "shop.customers", ("id",)),)
    assert [column.name for column in spenders.columns] == ["id", "spent"]
    assert (spenders.kind, schema.dialect, schema.search_path) == ("view", "mysql", ("shop",))
    assert schema.functions == ("vat",)


def test_the_server_reports_its_version(server):
    """A check then knows MariaDB from MySQL, whatever the dialect is called beside it."""
    schema = Schema.from_database(server.url("shop"))
    assert schema.engine_version is not None
    assert schema.engine_version.startswith("mariadb-1")
    only_mysql = "SELECT BIN_TO_UUID(UUID_TO_BIN(UUID()))"
    only_mariadb = "SELECT NVL(id, 1) FROM customers"
    for dialect in (None, "mysql", "MariaDB"):
        assert check_sql(only_mariadb, schema=schema, dialect=dialect).syntactic is True
        assert check_sql(only_mysql, schema=schema, dialect=dialect).syntactic is not True


def test_the_dump_gives_the_same_columns_and_keys_as_the_catalog(server):
    """`mariadb-dump` writes views inside comments that the server executes."""
    dumped = Schema.from_ddl(server.dump("shop"), dialect="mysql")
    live = Schema.from_database(server.url("shop"))
    assert {table.name for table in dumped.tables} == {table.name for table in live.tables}
    for table in live.tables:
        twin = dumped.table(table.name)
        assert twin is not None
        assert twin.kind == table.kind
        assert [column.name for column in twin.columns] == [column.name for column in table.columns]
        if table.kind == "table":
            assert twin.primary_key == table.primary_key
            assert twin.unique_keys == table.unique_keys
            assert [(c.nullable, c.unique, c.description) for c in twin.columns] == [
                (c.nullable, c.unique, c.description) for c in table.columns
            ]
            assert (twin.description or None) == (table.description or None)


def test_a_missing_database_is_one_sentence(server):
    """The server's own words, without a password."""
    with pytest.raises(SchemaUnavailableError) as caught:
        Schema.from_database(server.url("nowhere").replace("root@", "root:secret@"))
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
