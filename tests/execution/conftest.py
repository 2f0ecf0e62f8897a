"""A small shop in SQLite and in PostgreSQL, and executors on them."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Target
from tests.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, note TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total NUMERIC, day DATE);
INSERT INTO customers VALUES (1, 'Ann', 'x'), (2, 'Bob', NULL), (3, 'Cleo', 'y');
INSERT INTO orders VALUES (1, 1, 10.5, '2024-01-31'), (2, 1, 20, '2024-02-01'),
  (3, 2, 5, '2024-02-01');
"""

LONG_TEXTS = """
CREATE TABLE long_texts (whole TEXT, part TEXT);
INSERT INTO long_texts VALUES (printf('%.*c', 999000, 'a'), printf('%.*c', 499000, 'a') || 'b');
"""
BURN = "SELECT instr(whole, part) FROM long_texts"
"""One call that takes minutes, for no reason that the statement shows: its worker is killed."""

# A function that deletes for anyone who calls it: by its name, as a column, and under the name of a
# function that statements may call, for an argument type the real one does not take.
TRAPS = """
CREATE TABLE secrets (word TEXT);
INSERT INTO secrets VALUES ('xyzzy');
CREATE SEQUENCE tickets;
CREATE FUNCTION purge() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN DELETE FROM public.orders; RETURN 1; END $$;
CREATE FUNCTION purge(public.orders) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN DELETE FROM public.orders; RETURN 1; END $$;
CREATE FUNCTION round(text) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN DELETE FROM public.orders; RETURN 1; END $$;
CREATE FUNCTION purge(int, text) RETURNS int LANGUAGE sql SECURITY DEFINER AS
  $$ SELECT public.purge() $$;
CREATE OPERATOR public.* (LEFTARG = int, RIGHTARG = text, FUNCTION = purge);
CREATE EXTENSION dblink;
CREATE EXTENSION pg_trgm;
CREATE EXTENSION tablefunc;
CREATE ROLE reader LOGIN;
CREATE ROLE clerk LOGIN;
CREATE ROLE filer LOGIN IN ROLE pg_read_server_files;
GRANT SELECT ON customers, orders TO reader;
ALTER TABLE customers OWNER TO clerk;
ALTER TABLE orders OWNER TO clerk;
"""


@pytest.fixture(scope="session")
def shop_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small SQLite database; nobody may change it."""
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(SHOP + LONG_TEXTS)
    connection.close()
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server whose database `shop` holds the same tables, and traps."""
    server = PostgresServer()
    try:
        server.start()
        import psycopg

        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE shop")
        with psycopg.connect(server.url("shop")) as connection:
            connection.execute(SHOP + TRAPS)
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def sqlite_shop(shop_file: Path) -> Iterator[Executor]:
    """An executor on the SQLite shop."""
    with Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1) as executor:
        yield executor


@pytest.fixture(scope="session")
def postgres_shop(postgres: PostgresServer) -> Iterator[Executor]:
    """An executor on the PostgreSQL shop, with one target for each kind of role."""
    targets = [
        Target.from_url(user, postgres.url("shop", user=user))
        for user in ("reader", "clerk", "postgres")
    ]
    with Executor(targets, workers=1) as executor:
        yield executor
