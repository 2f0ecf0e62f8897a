"""Several namespaces in PostgreSQL: what the search path reaches needs no qualifier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlobs import Column, Schema, Table, check_sql
from sqlobs.check.engine.profile import Profile
from tests.agreement.engines import engine_of
from tests.servers import PostgresServer

TABLES = (
    "CREATE SCHEMA archive",
    "CREATE TABLE shop.orders (id integer, total numeric)",
    "CREATE TABLE archive.orders (id integer, closed date)",
    "CREATE TABLE archive.notes (id integer, body text)",
)
CASES = {
    "SELECT total FROM orders": True,
    "SELECT closed FROM orders": False,
    "SELECT closed FROM archive.orders": True,
    "SELECT total FROM archive.orders": False,
    "SELECT body FROM notes": False,
    "SELECT body FROM archive.notes": True,
    "SELECT archive.notes.body FROM archive.notes": True,
    "SELECT shop.notes.body FROM archive.notes": False,
    "SELECT archive.orders.id FROM orders": False,
    "SELECT shop.orders.id FROM orders": True,
    'SELECT body FROM "Archive".notes': False,
    "SELECT o.total, a.closed FROM orders o JOIN archive.orders a USING (id)": True,
    "SELECT total FROM shop.orders JOIN archive.notes n ON n.id = orders.id": True,
    "SELECT body FROM shop.notes": False,
}
SCHEMA = Schema.from_ddl(
    "SET search_path TO shop;\nCREATE SCHEMA shop;\n" + ";\n".join(TABLES) + ";",
    dialect="postgres",
)


@pytest.fixture(scope="module")
def engine():
    """Hold a server with the same tables; its path is the first namespace."""
    server = PostgresServer().start()
    found = engine_of("postgres", f"host=127.0.0.1 port={server.port} user=postgres")
    found.prepare("shop", TABLES)
    yield found
    found.close()
    server.stop()


@pytest.mark.parametrize(("sql", "holds"), CASES.items())
def test_a_table_outside_the_path_must_be_qualified(sql, holds, engine):
    """Both say the same."""
    assert check_sql(sql, schema=SCHEMA).schematic is holds
    assert (engine.refusal("shop", sql) is None) is holds


def test_a_namespace_that_the_schema_does_not_describe_is_undecided():
    """The table may be there; a column that its namesake lacks is no proof."""
    told = Schema.from_ddl("CREATE TABLE orders (id integer);", dialect="postgres")
    assert check_sql("SELECT id FROM public.orders", schema=told).schematic is True
    assert check_sql("SELECT id FROM bank.orders", schema=told).schematic is None


def test_a_profile_may_tell_another_path_than_the_schema():
    """As a session sets its own: another table of the same name is meant."""
    archive = replace(Profile.named("postgres"), search_path=("archive", "shop"))
    queries = ("SELECT closed FROM orders", "SELECT total FROM orders", "SELECT body FROM notes")
    found = [check_sql(sql, schema=SCHEMA, dialect=archive).schematic for sql in queries]
    own = [check_sql(sql, schema=SCHEMA).schematic for sql in queries]
    assert (found, own) == ([True, False, True], [False, True, False])


def test_duckdb_itself_follows_the_path_of_a_profile():
    """Its own verdict is that of the session, too."""
    columns = (Column("a", "INTEGER"),)
    tables = (Table("t", columns, db="main"), Table("z", columns, db="further"))
    schema = Schema(tables, dialect="duckdb", search_path=("main",))
    profile = replace(Profile.named("duckdb"), search_path=("main", "further"))
    assert check_sql("SELECT a FROM z", schema=schema).schematic is False
    assert check_sql("SELECT a FROM z", schema=schema, dialect=profile).schematic is True
