"""Schemas read from live databases, and sources that follow them."""

from __future__ import annotations

import os
import sqlite3
import threading

import pytest

from sqlobs import Column, ForeignKey, Schema, SchemaSource, Table
from sqlobs.errors import MissingExtraError, SchemaUnavailableError

SHOP = Schema.from_mapping({"orders": ["id"]})
GROWN = Schema.from_mapping({"orders": ["id", "total"]})


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Loader:
    """A loader whose calls end when and as the test says."""

    def __init__(self) -> None:
        self.started = threading.Semaphore(0)
        self.outcomes: list[Schema | Exception] = []
        self.may_end = threading.Semaphore(0)

    def __call__(self) -> Schema:
        self.started.release()
        assert self.may_end.acquire(timeout=20)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def finish(self, outcome: Schema | Exception) -> None:
        """Let the load in progress end."""
        self.outcomes.append(outcome)
        self.may_end.release()


def settle() -> None:
    """Wait until no load is in progress."""
    for thread in threading.enumerate():
        if thread.name == "sqlobs-schema":
            thread.join(20)


def test_a_sqlite_file_is_read_without_any_extra(tmp_path):
    """Keys, views and types are those SQLite itself lists."""
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT NOT NULL UNIQUE DEFAULT 'x');
        CREATE TABLE orders (
          no TEXT, line INT, who REFERENCES customers, place TEXT AS (no || line),
          PRIMARY KEY (no, line), UNIQUE (who, no));
        CREATE UNIQUE INDEX part ON orders (line) WHERE line > 3;
        CREATE VIEW latest AS SELECT o.no, count(*) FROM orders o;
        """
    )
    connection.close()

    schema = Schema.from_database(f"sqlite:///{path}")

    assert schema.dialect == "sqlite"
    assert schema.tables == (
        Table(
            "customers",
            (
                Column("id", "INTEGER", nullable=False, primary_key=True),
                Column("mail", "TEXT", nullable=False, unique=True, default="'x'"),
            ),
            primary_key=("id",),
        ),
        Table(
            "orders",
            (
                Column("no", "TEXT", nullable=True, primary_key=True),
                Column("line", "INT", nullable=True, primary_key=True),
                Column("who", nullable=True),
                Column("place", "TEXT", nullable=True, generated=True),
            ),
            primary_key=("no", "line"),
            unique_keys=(("who", "no"),),
            foreign_keys=(ForeignKey(("who",), "customers"),),
        ),
        Table(
            "latest",
            (Column("no", "TEXT", nullable=True), Column("count(*)", nullable=True)),
            primary_key=(),
            kind="view",
        ),
    )


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:////nowhere/shop.db", "/nowhere/shop.db cannot be read: no such file."),
        (
            "not a url",
            (
                "the database URL cannot be read: write it as postgresql://reader@host/name or "
                "sqlite:///file.db."
            ),
        ),
    ],
)
def test_a_missing_database_file_gives_one_error_sentence(url, message):
    """And no empty file is left behind."""
    with pytest.raises(SchemaUnavailableError) as caught:
        Schema.from_database(url)
    assert str(caught.value) == message


def test_a_file_that_is_not_a_database_gives_one_error_sentence(tmp_path):
    """SQLite finds out at the first read."""
    path = tmp_path / "notes.txt"
    path.write_text("hello " * 100)
    with pytest.raises(SchemaUnavailableError) as caught:
        Schema.from_database(f"sqlite:///{path}")
    assert str(caught.value) == f"{path} cannot be read: file is not a database."


def test_an_unreachable_server_is_one_sentence_without_the_password():
    """Drivers' messages run over many lines; the first says it."""
    pytest.importorskip("psycopg")
    with pytest.raises(SchemaUnavailableError) as caught:
        Schema.from_database("postgresql://ann:secret@127.0.0.1:1/shop?connect_timeout=2")
    message = str(caught.value)
    assert message.startswith("postgresql+psycopg://ann:***@127.0.0.1:1/shop")
    assert "secret" not in message
    assert "\n" not in message


def test_a_missing_driver_is_named():
    """The message names what to install: an extra of sqlobs, or the driver."""
    pytest.importorskip("sqlalchemy")
    with pytest.raises(MissingExtraError, match=r'pip install "sqlobs\[mysql\]"'):
        Schema.from_database("mysql+cymysql://h/d")
    with pytest.raises(SchemaUnavailableError, match="install its driver pymssql"):
        Schema.from_database("mssql+pymssql://h/d")


def test_a_source_returns_its_newest_schema_and_refreshes_in_the_background():
    """`get` never waits: the old schema is given until the new one is there."""
    clock, load = Clock(), Loader()
    source = SchemaSource(load, ttl_s=10, clock=clock)
    with pytest.raises(SchemaUnavailableError, match="the first load has not finished"):
        source.get()
    load.finish(SHOP)
    assert source.wait(20)
    settle()
    assert (source.get(), source.age_s) == (SHOP, 0.0)

    clock.now_s += 11
    assert source.get() is SHOP
    load.finish(GROWN)
    settle()
    assert (source.get(), source.age_s) == (GROWN, 0.0)


def test_a_failing_loader_leaves_the_last_good_schema():
    """The failure is kept as data and tried again after a pause."""
    clock, load = Clock(), Loader()
    source = SchemaSource(load, ttl_s=10, max_age_s=25, initial=SHOP, clock=clock)
    clock.now_s += 11
    source.get()
    load.finish(ValueError("no route"))
    settle()
    assert (source.get(), str(source.error), source.is_stale) == (SHOP, "no route", False)

    clock.now_s += 15
    assert source.get() is SHOP
    assert source.is_stale
    load.finish(GROWN)
    settle()
    assert (source.get(), source.error, source.is_stale) == (GROWN, None, False)


def test_a_source_that_never_loaded_says_why():
    """The first failure is named in the error."""
    clock, load = Clock(), Loader()
    source = SchemaSource(load, clock=clock)
    load.finish(ValueError("no route"))
    settle()
    with pytest.raises(SchemaUnavailableError) as caught:
        source.get()
    assert str(caught.value) == "the schema source has not loaded a schema yet: no route"


def test_a_hanging_loader_is_abandoned_and_the_number_of_its_threads_is_bounded():
    """A hung load is replaced after its timeout; its late answer is not taken."""
    clock, load = Clock(), Loader()
    source = SchemaSource(load, ttl_s=10, timeout_s=30, initial=SHOP, clock=clock)
    for _ in range(8):
        clock.now_s += 31
        assert source.get() is SHOP
    assert str(source.error) == "the schema loader does not return."
    hung = [thread for thread in threading.enumerate() if thread.name == "sqlobs-schema"]
    assert len(hung) == 4
    for _ in hung:
        load.finish(GROWN)
    settle()
    assert source.get() is SHOP
    load.finish(GROWN)
    settle()
    assert source.get() is GROWN


def test_refresh_fetches_at_once():
    """An unknown name is reason enough to look again before the time is over."""
    clock, load = Clock(), Loader()
    source = SchemaSource(load, ttl_s=1000, initial=SHOP, clock=clock)
    source.refresh()
    load.finish(GROWN)
    settle()
    assert source.get() is GROWN


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_child_loads_by_itself():
    """The parent's loading thread does not exist in the child."""
    clock = Clock()
    hanging, parent = threading.Event(), os.getpid()

    def load() -> Schema:
        if os.getpid() == parent:
            hanging.wait(20)
            return SHOP
        return GROWN

    source = SchemaSource(load, clock=clock)
    child = os.fork()
    if not child:
        os._exit(0 if _loads_in_child(source) else 1)
    _, status = os.waitpid(child, 0)
    hanging.set()
    settle()
    assert os.waitstatus_to_exitcode(status) == 0


def _loads_in_child(source: SchemaSource) -> bool:
    source.refresh()
    return source.wait(20) and source.get() == GROWN


def test_a_duckdb_file_is_read_by_the_engines_own_package(tmp_path):
    """Nested types, views, keys, comments, macros and types; opened read-only."""
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "shop.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(
        """
        CREATE TYPE mood AS ENUM ('sad');
        CREATE TABLE guests (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL UNIQUE, s STRUCT(x INT));
        CREATE TABLE stays (guest INTEGER REFERENCES guests (id), night DATE, UNIQUE (guest, night));
        CREATE VIEW named AS SELECT name FROM guests;
        CREATE TABLE bills (net INTEGER, gross INTEGER GENERATED ALWAYS AS (net * 2));
        CREATE MACRO twice(x) AS x * 2;
        COMMENT ON TABLE guests IS 'who';
        COMMENT ON COLUMN guests.name IS 'their name';
        """
    )
    connection.close()
    schema = Schema.from_database(f"duckdb:///{path}")
    # before 1.5 a comment gives a table a new place in the catalog
    bills, guests, named, stays = sorted(schema.tables, key=lambda table: table.name)
    assert guests == Table(
        "guests",
        (
            Column("id", "INTEGER", nullable=False, primary_key=True),
            Column("name", "VARCHAR", nullable=False, unique=True, description="their name"),
            Column("s", "STRUCT(x INTEGER)", nullable=True),
        ),
        db="main",
        primary_key=("id",),
        description="who",
    )
    is_told = not duckdb.__version__.startswith("1.")  # which columns are generated
    assert [column.generated for column in bills.columns] == [False, is_told]
    assert stays.unique_keys == (("guest", "night"),)
    assert stays.foreign_keys == (ForeignKey(("guest",), "main.guests", ("id",)),)
    assert (named.kind, [column.name for column in named.columns]) == ("view", ["name"])
    assert (schema.functions, schema.types) == (("twice",), ("mood",))

    assert Schema.from_database(f"duckdb:///{path}", namespaces=["other"]).tables == ()
    (tmp_path / "no.duckdb").write_text("not a database")
    for name, reason in (("no", "cannot be read: "), ("nowhere", "no such file.")):
        with pytest.raises(SchemaUnavailableError, match=reason):
            Schema.from_database(f"duckdb:///{tmp_path}/{name}.duckdb")
