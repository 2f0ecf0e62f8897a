"""Schemas of a real PostgreSQL: its live catalog, and its own dump, say the same."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace

import pytest

from sqlobs import Column, ForeignKey, Schema, SchemaSource, Table
from sqlobs.errors import SchemaUnavailableError
from tests.servers import PostgresServer

pytestmark = pytest.mark.postgres

SCRIPT = """
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN zip AS text CHECK (length(VALUE) = 5);
CREATE TYPE place AS (street text, town text);
CREATE TABLE guests (
  id serial PRIMARY KEY,
  "Full Name" varchar(40) NOT NULL UNIQUE,
  state mood DEFAULT 'happy',
  place zip,
  spent numeric(10,2) DEFAULT 0 NOT NULL,
  born date,
  seen timestamptz,
  tags text[],
  extra jsonb
);
CREATE TABLE stays (
  guest int REFERENCES guests,
  night date,
  room int,
  PRIMARY KEY (guest, night),
  UNIQUE (night, room)
);
CREATE UNIQUE INDEX once ON stays (room) WHERE room > 3;
CREATE UNIQUE INDEX lowered ON guests (lower("Full Name"));
CREATE VIEW spenders AS SELECT id, spent FROM guests WHERE spent > 100;
CREATE MATERIALIZED VIEW nights AS SELECT night, count(*) AS n FROM stays GROUP BY night;
CREATE TABLE measured (at date NOT NULL, value real) PARTITION BY RANGE (at);
CREATE TABLE measured_26 PARTITION OF measured FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE FUNCTION twice(x int) RETURNS int LANGUAGE sql AS 'SELECT x * 2';
COMMENT ON TABLE guests IS 'Who slept here';
COMMENT ON COLUMN guests.born IS 'their birthday; may be guessed';
CREATE SCHEMA archive;
CREATE TABLE archive.stays (id bigint PRIMARY KEY);
"""


@pytest.fixture(scope="module")
def server():
    """A server with the schema in its database `postgres`."""
    server = PostgresServer().start()
    subprocess.run(
        [server.bin / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", server.url(), "-c", SCRIPT],
        check=True,
    )
    yield server
    server.stop()


def test_the_catalog_gives_tables_views_keys_comments_and_names(server):
    """All that judges and the checker use."""
    schema = Schema.from_database(server.url())

    by_name = {table.name: table for table in schema.tables}
    assert list(by_name) == ["guests", "measured", "measured_26", "nights", "spenders", "stays"]
    assert by_name["guests"] == Table(
        "guests",
        (
            Column(
                "id",
                "INTEGER",
                nullable=False,
                primary_key=True,
                default="nextval('\"public\".guests_id_seq'::regclass)",
            ),
            Column("Full Name", "VARCHAR(40)", nullable=False, unique=True),
            Column("state", "mood", nullable=True, default="'happy'::mood"),
            Column("place", "zip", nullable=True),
            Column("spent", "NUMERIC(10, 2)", nullable=False, default="0"),
            Column("born", "DATE", nullable=True, description="their birthday; may be guessed"),
            Column("seen", "TIMESTAMP WITH TIME ZONE", nullable=True),
            Column("tags", "TEXT[]", nullable=True),
            Column("extra", "JSONB", nullable=True),
        ),
        db="public",
        primary_key=("id",),
        description="Who slept here",
    )
    stays = by_name["stays"]
    assert (stays.primary_key, stays.unique_keys) == (("guest", "night"), (("night", "room"),))
    assert stays.foreign_keys == (ForeignKey(("guest",), "public.guests", ("id",)),)
    assert [column.unique for column in stays.columns] == [False, False, False]
    assert [by_name[name].kind for name in ("nights", "spenders")] == ["view", "view"]
    assert [column.name for column in by_name["nights"].columns] == ["night", "n"]
    assert (schema.dialect, schema.search_path) == ("postgres", ("public",))
    assert (schema.functions, schema.types) == (("twice",), ("mood", "place", "zip"))
    assert schema.enums == (("mood", "sad", "happy"),)
    assert schema.extensions == ("plpgsql",)


def test_the_server_reports_its_version(server):
    """The number before the first dot: minor versions have the same functions."""
    schema = Schema.from_database(server.url())
    assert schema.engine_version == server.bin.parts[-2]


def test_other_namespaces_are_read_on_demand(server):
    """The default one is no longer read then."""
    schema = Schema.from_database(server.url(), namespaces=["archive"])
    assert [table.full_name for table in schema.tables] == ["archive.stays"]


def test_the_search_path_is_that_of_the_connection(server):
    """A table of a namespace that the path does not reach needs its qualifier."""
    options = "?options=-csearch_path%3Dpublic,archive"
    namespaces = ["public", "archive"]
    here = Schema.from_database(server.url(), namespaces=namespaces)
    both = Schema.from_database(server.url() + options, namespaces=namespaces)
    assert (here.search_path, both.search_path) == (("public",), ("public", "archive"))


def test_the_dump_gives_the_same_columns_and_keys_as_the_catalog(server):
    """`pg_dump` writes keys and comments as ALTER and COMMENT, behind its tables."""
    dump = subprocess.run(
        [server.bin / "pg_dump", "-s", "-n", "public", server.url()],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    dumped = Schema.from_ddl(dump, dialect="postgres")
    live = Schema.from_database(server.url())
    assert {table.name for table in dumped.tables} == {table.name for table in live.tables}
    for table in live.tables:
        twin = dumped.table(table.name)
        assert twin is not None
        assert [column.name for column in twin.columns] == [column.name for column in table.columns]
        if table.kind == "table":
            assert _keys(twin) == _keys(table)
            assert [column.nullable for column in twin.columns] == [
                column.nullable for column in table.columns
            ]
        assert twin.description == table.description
    assert dumped.types == ("mood", "place", "zip")
    assert dumped.enums == live.enums
    assert dumped.functions == ("twice",)


def _keys(table: Table) -> Table:
    """Return a table's keys alone, references without their namespace."""
    references = tuple(
        replace(key, table=key.table.rpartition(".")[2]) for key in table.foreign_keys
    )
    columns = tuple(
        Column(column.name, unique=column.unique, primary_key=column.primary_key)
        for column in table.columns
    )
    return Table(
        table.name,
        columns,
        primary_key=table.primary_key,
        unique_keys=table.unique_keys,
        foreign_keys=references,
    )


def test_rendered_ddl_of_the_catalog_is_accepted_by_the_server(server):
    """What judges read is the engine's own DDL."""
    live = Schema.from_database(server.url())
    tables = [table.name for table in live.tables if table.kind == "table"]
    ddl = live.render(tables).replace("public.", "")
    subprocess.run(
        [server.bin / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", server.url()],
        input=f"CREATE SCHEMA again; SET search_path TO again, public; {ddl}",
        text=True,
        check=True,
    )


def test_a_source_follows_a_migration(server):
    """A column of tomorrow's migration is known after a refresh."""
    source = SchemaSource.from_database(server.url(), namespaces=["archive"])
    assert source.wait(20)
    before = source.get()
    _run(server, "ALTER TABLE archive.stays ADD COLUMN rating int")
    source.refresh()
    for _ in range(400):
        if source.get() is not before:
            break
        time.sleep(0.05)
    assert [column.name for column in source.get().tables[0].columns] == ["id", "rating"]


def test_a_missing_database_is_one_sentence(server):
    """The server's own first line says which."""
    with pytest.raises(SchemaUnavailableError) as caught:
        Schema.from_database(server.url("nowhere"))
    assert 'database "nowhere" does not exist' in str(caught.value)
    assert "\n" not in str(caught.value)


def _run(server: PostgresServer, sql: str) -> None:
    subprocess.run([server.bin / "psql", "-q", "-d", server.url(), "-c", sql], check=True)
