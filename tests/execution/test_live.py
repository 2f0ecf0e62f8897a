"""The verdict of a real PostgreSQL and a real MariaDB: statements are prepared there, never run."""

from __future__ import annotations

import os

import pytest

from sqlobs import check_sql
from sqlobs.errors import ConfigError
from sqlobs.execution.live import live_engine
from tests.check.schemas import SHOP_DDL, shop
from tests.servers import MariaDbServer, PostgresServer

STATEMENTS = [statement for statement in SHOP_DDL.split(";") if statement.strip()]


@pytest.fixture(scope="module")
def postgres():
    """A server with the shop."""
    import psycopg

    server = PostgresServer().start()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def mariadb():
    """A server with the shop in the database `shop`."""
    import pymysql

    server = MariaDbServer().start()
    connection = pymysql.connect(host="127.0.0.1", port=server.port, user="root", autocommit=True)
    with connection.cursor() as cursor:
        for statement in ("CREATE DATABASE shop", "USE shop", *STATEMENTS):
            cursor.execute(statement)
    connection.close()
    yield server
    server.stop()


@pytest.fixture
def engine(request):
    """The live engine of a dialect."""
    server = request.getfixturevalue("postgres" if request.param == "postgres" else "mariadb")
    engine = live_engine(server.url() if request.param == "postgres" else server.url("shop"))
    yield engine
    engine.close()


BOTH = [
    ("SELECT name FROM customers", None, None),
    ("SELECT x FROM ghosts", "schema.unknown_table", "ghosts"),
    ("SELECT c.nme FROM customers c", "schema.unknown_column", "nme"),
    ("SELECT id FROM customers, orders", "schema.ambiguous_ref", "id"),
    ("SELECT strfmt(name) FROM customers", "syntax.dialect_mismatch", "strfmt"),
    ("SELECT 1 FROM customers WHERE count(id) > 1", "schema.grouping", None),
    ("SELECT FROM WHERE", "syntax.parse_error", None),
    ("SELECT 1; DROP TABLE customers", "syntax.parse_error", None),
]
POSTGRES = [
    ("SELECT 1 FROM customers WHERE name > 5", "schema.type_mismatch", None),
    ("SELECT avg(name) FROM customers", "schema.type_mismatch", "avg"),
    ("SELECT CAST(id AS tinyint) FROM customers", "schema.unknown_type", "tinyint"),
    ("SELECT name, max(id) FROM customers", "schema.grouping", "name"),
    ("SELECT x.name FROM customers c", "schema.unknown_table", "x"),
]
CASES = [("postgres", *case) for case in BOTH + POSTGRES] + [("mysql", *case) for case in BOTH]


@pytest.mark.parametrize(("engine", "sql", "code", "identifier"), CASES, indirect=["engine"])
def test_the_database_s_own_errors_become_codes(engine, sql, code, identifier):
    """Accepted, or a code with the name that the error is about."""
    verdict = engine.verdict(sql)
    assert verdict is not None
    assert verdict.code == code
    if identifier is not None:
        assert verdict.identifier == identifier


@pytest.mark.parametrize("engine", ["postgres", "mysql"], indirect=True)
def test_nothing_but_queries_is_prepared_and_nothing_is_run(engine):
    """Statements that change something are not sent; what is sent is not run."""
    for sql in ("DROP TABLE items", "INSERT INTO items (order_id) VALUES (1)", "SET x = 1"):
        assert engine.verdict(sql) is None
    engine.verdict("SELECT 1; DROP TABLE items")
    assert engine.verdict("SELECT product FROM items").code is None


def test_writes_inside_of_a_query_are_not_run(postgres):
    """PostgreSQL takes a CTE that deletes; preparing it deletes nothing."""
    import psycopg

    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("INSERT INTO items (order_id) VALUES (7)")
        engine = live_engine(postgres.url())
        sql = "WITH gone AS (DELETE FROM items RETURNING order_id) SELECT order_id FROM gone"
        engine.verdict(sql)
        engine.close()
        assert connection.execute("SELECT count(*) FROM items").fetchone() == (1,)
        connection.execute("DELETE FROM items")


def test_a_lost_connection_is_opened_anew(postgres):
    """The server ends it between two questions; the second one is answered anyway."""
    import psycopg

    engine = live_engine(postgres.url())
    assert engine.verdict("SELECT 1").code is None
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    assert engine.verdict("SELECT 1").code is None
    engine.close()


def test_an_unreachable_database_leaves_the_static_verdict():
    """No verdict, no exception."""
    engine = live_engine("postgresql://nobody@127.0.0.1:9/none")
    assert engine.verdict("SELECT 1") is None
    report = check_sql("SELECT nme FROM customers", schema=shop("postgres"), native=engine)
    assert (report.schematic, report.decided_by) == (False, "static")


def test_the_database_decides_if_the_schema_does_not_have_a_name(postgres):
    """A view that nobody declared is a table of the database."""
    import psycopg

    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("CREATE VIEW big_orders AS SELECT id FROM orders")
    engine = live_engine(postgres.url())
    report = check_sql("SELECT id FROM big_orders", schema=shop("postgres"), native=engine)
    assert (report.syntactic, report.schematic, report.decided_by) == (True, True, "native")
    assert report.engine == f"postgres {postgres.bin.parts[-2]}"
    engine.close()


def test_another_kind_of_database_is_refused():
    """One sentence."""
    with pytest.raises(ConfigError, match="a live engine must be PostgreSQL or MySQL"):
        live_engine("sqlite:///shop.db")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("engine", ["postgres", "mysql"], indirect=True)
def test_a_forked_child_has_a_connection_of_its_own(engine):
    """Two processes on one connection would read each other's answers."""

    def asked():
        codes = [
            engine.verdict(sql).code for sql in ("SELECT id FROM orders", "SELECT x FROM ghosts")
        ]
        return codes == [None, "schema.unknown_table"]

    assert asked()
    children = []
    for _ in range(2):
        pid = os.fork()
        if not pid:
            os._exit(0 if all(asked() for _ in range(50)) else 1)
        children.append(pid)
    assert all(asked() for _ in range(50))
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0]
    assert asked()
