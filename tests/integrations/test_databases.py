"""Generated statements that SQLAlchemy and DB-API drivers run, on real databases."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from contextlib import suppress

import pytest
import sqlalchemy
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from sqlobs.errors import InputError
from sqlobs.integrations.dbapi import trace_connection
from sqlobs.integrations.sqlalchemy import trace_engine
from tests.servers import PostgresServer
from tests.tracing.rig import BAD, GOOD

DDL = (
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total NUMERIC)",
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)",
    "INSERT INTO orders VALUES (1, 'a', 5), (2, 'b', 7)",
)
LABELS = ("sqlobs.static.label", "sqlobs.engine.label")
NOBODY = "SELECT name FROM customers"


def executions(rig):
    """The attributes of the spans of executions, in order, without fingerprints, ids and texts."""
    left_out = {
        "sqlobs.query.fingerprint",
        "sqlobs.generation.id",
        "sqlobs.query.text",
        "input.value",
        "openinference.span.kind",
        "db.response.status_code",
    }
    return [
        {name: value for name, value in span.attributes.items() if name not in left_out}
        for span in rig.spans
        if span.name == "sqlobs.execute"
    ]


def result(rows, columns=1, **more):
    """The attributes of an execution that worked."""
    known = {} if rows is None else {"sqlobs.result.rows": rows, "sqlobs.result.empty": not rows}
    return {
        "sqlobs.execution.status": "ok",
        "sqlobs.result.columns": columns,
        **known,
        **more,
    }


# -- SQLAlchemy -----------------------------------------------------------------------------------


@pytest.fixture
def engine():
    """An engine on a SQLite database with the rig's tables."""
    made = sqlalchemy.create_engine("sqlite://", poolclass=StaticPool)
    with made.begin() as connection:
        for statement in DDL:
            connection.exec_driver_sql(statement)
    yield made
    made.dispose()


@pytest.fixture
def traced_engine(rig, engine):
    """The engine, its generated statements recorded."""
    trace_engine(engine, target="shop", instance=rig.sqlobs)
    return engine


@pytest.mark.parametrize(
    ("sql", "labels"),
    [
        (GOOD, ("pass", "pass")),
        (BAD, ("fail", "fail")),
        ("SELECT customer FROM orders WHERE customer LIKE '%a%' AND id::int = 1", ("fail", "fail")),
        ("SELECT abs(-9223372036854775808) FROM orders", ("pass", "not_evaluated")),
    ],
)
def test_sqlalchemy_runs_an_answer(rig, traced_engine, sql, labels):
    """The answer of a generation of the same context: the engine's verdict meets ours."""
    generate = rig.sqlobs.trace_generation(lambda question: sql)
    with rig.sqlobs.context() as ctx, traced_engine.connect() as connection:
        with suppress(SQLAlchemyError):
            connection.execute(sqlalchemy.text(generate("q")))
        connection.execute(sqlalchemy.text(NOBODY))
    (execution,) = [span for span in rig.spans if span.name == "sqlobs.execute"]
    assert execution.attributes["sqlobs.generation.id"] == ctx.generation.id
    assert execution.attributes["sqlobs.target.name"] == "shop"
    assert rig.counts("sqlobs.comparisons", *LABELS) == {labels: 1}


def test_sqlalchemy_records_text_that_is_run_inside_a_generation(rig, traced_engine):
    """An agent's statements; what the application builds with constructs is its own business."""
    orders = sqlalchemy.Table("orders", sqlalchemy.MetaData(), autoload_with=traced_engine)

    @rig.sqlobs.trace_generation(sql=None)
    def agent(question):
        with traced_engine.connect() as connection:
            connection.execute(sqlalchemy.select(orders).limit(3))
            with suppress(SQLAlchemyError):
                connection.exec_driver_sql(BAD)
            return connection.execute(sqlalchemy.text(GOOD)).fetchall()

    agent("q")
    assert rig.tree == "invoke_workflow agent(sqlobs.execute, sqlobs.execute)"
    assert rig.verdict == ("answered", "ok")
    assert rig.generation.attributes["sqlobs.attempts"] == 2
    assert executions(rig) == [
        {
            "sqlobs.target.name": "shop",
            "sqlobs.execution.status": "error",
            "error.type": "sqlite3.OperationalError",
        },
        result(None, **{"sqlobs.target.name": "shop"}),
    ]


def test_sqlalchemy_tells_a_statement_as_it_was_written(rig, traced_engine):
    """Parameters keep their names, and a colon that was escaped is one."""
    sql = "SELECT total FROM orders WHERE id = :id AND customer <> ':x'"
    generate = rig.sqlobs.trace_generation(lambda question: sql)
    with rig.sqlobs.context() as ctx, traced_engine.connect() as connection:
        clause = sqlalchemy.text(generate("q").replace("':x'", "'\\:x'"))
        assert connection.execute(clause, {"id": 1}).scalar() == 5
    (execution,) = [span for span in rig.spans if span.name == "sqlobs.execute"]
    assert execution.attributes["sqlobs.generation.id"] == ctx.generation.id


def test_all_statements_of_an_engine(rig, engine):
    """Told so, every statement is recorded; told again, what was told last holds."""
    trace_engine(engine, records="all", target="first", instance=rig.sqlobs)
    trace_engine(engine, records="all", target="shop", instance=rig.sqlobs)
    with engine.connect() as connection:
        connection.execute(sqlalchemy.select(sqlalchemy.literal(1)))
        connection.execute(sqlalchemy.text(NOBODY))
    assert executions(rig) == [result(None, **{"sqlobs.target.name": "shop"})] * 2


def test_an_asynchronous_engine(rig):
    """Its statements run in greenlets; they are recorded as those of any engine."""
    for name in ("aiosqlite", "greenlet"):
        pytest.importorskip(name, reason=f"{name} is NOT INSTALLED: nothing of this test ran")
    from sqlalchemy.ext.asyncio import create_async_engine

    async def run():
        engine = create_async_engine("sqlite+aiosqlite://", poolclass=StaticPool)
        trace_engine(engine, instance=rig.sqlobs)
        async with engine.connect() as connection:
            for statement in DDL:
                await connection.exec_driver_sql(statement)
            generate = rig.sqlobs.trace_generation(lambda question: GOOD)
            with rig.sqlobs.context():
                await connection.execute(sqlalchemy.text(generate("q")))
        await engine.dispose()

    asyncio.run(run())
    assert rig.counts("sqlobs.comparisons", *LABELS) == {("pass", "pass"): 1}


# -- DB-API ---------------------------------------------------------------------------------------


@pytest.fixture
def connection(rig):
    """A SQLite connection with the rig's tables, its generated statements recorded."""
    plain = sqlite3.connect(":memory:")
    for statement in DDL:
        plain.execute(statement)
    yield trace_connection(plain, instance=rig.sqlobs)
    plain.close()


def fetched(connection, sql):
    """Read all rows at once."""
    return connection.execute(sql).fetchall()


def iterated(connection, sql):
    """Read by iterating."""
    return list(connection.cursor().execute(sql))


def one_by_one(connection, sql):
    """Read row by row."""
    cursor = connection.cursor()
    cursor.execute(sql)
    rows = []
    while (row := cursor.fetchone()) is not None:
        rows.append(row)
    return rows


def in_portions(connection, sql):
    """Read a portion at a time."""
    cursor = connection.cursor()
    cursor.execute(sql)
    rows = []
    while portion := cursor.fetchmany(1):
        rows += portion
    return rows


@pytest.mark.parametrize("read", [fetched, iterated, one_by_one, in_portions])
def test_rows_are_counted_as_they_are_read(rig, connection, read):
    """SQLite knows no number of rows beforehand: the reader does, and gets the same rows."""
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    with rig.sqlobs.context():
        assert read(connection, generate("q")) == [(5,), (7,)]
        assert read(connection, NOBODY) == []
    assert executions(rig) == [result(2)]
    assert rig.counts("sqlobs.comparisons", *LABELS) == {("pass", "pass"): 1}


def test_an_empty_result_is_reported(rig, connection):
    """An invented answer often begins with one."""
    with rig.sqlobs.context():
        sql = rig.sqlobs.trace_generation(lambda question: NOBODY)("q")
        assert fetched(connection, sql) == []
    assert executions(rig) == [result(0)]


def test_a_reader_that_stops(rig, connection):
    """Rows that were read are a part; a cursor that was never read tells nothing of them."""

    @rig.sqlobs.trace_generation(sql=None)
    def agent(question):
        cursor = connection.cursor()
        cursor.execute(GOOD)
        assert cursor.fetchone() == (5,)
        cursor.execute("SELECT id FROM orders")
        cursor.close()
        connection.execute("SELECT customer FROM orders").fetchone()
        gc.collect()

    agent("q")
    part = result(1, **{"sqlobs.result.truncated": True})
    assert executions(rig) == [part, result(None), part]


def test_what_is_run_inside_a_generation_is_recorded(rig, connection):
    """Statements of all kinds, those that fail while they are read among them."""

    @rig.sqlobs.trace_generation(sql=None)
    def agent(question):
        with connection:
            connection.executemany("UPDATE orders SET total = ? WHERE id = ?", [(1, 1), (2, 2)])
        with suppress(sqlite3.Error):
            connection.execute(BAD)
        late = "SELECT abs(id - 9223372036854775807 - 2) FROM orders ORDER BY id DESC"
        with suppress(sqlite3.Error):
            connection.execute(late).fetchall()
        return fetched(connection, GOOD)

    assert agent("q") == [(1,), (2,)]
    assert [one["sqlobs.execution.status"] for one in executions(rig)] == [
        *("ok", "error", "error", "ok")
    ]


def test_a_traced_connection_is_the_connection(rig, connection):
    """Attributes, kinds and blocks are the driver's; nothing outside a generation is recorded."""
    assert isinstance(connection, sqlite3.Connection)
    connection.row_factory = sqlite3.Row
    with connection as same:
        assert same is connection
    cursor = connection.cursor()
    assert cursor.execute(GOOD) is cursor
    assert cursor.connection.row_factory is sqlite3.Row
    assert [row["total"] for row in cursor] == [5, 7]
    assert not hasattr(connection, "fetchall")
    assert executions(rig) == []


def test_duckdbs_connection_is_its_cursor(rig):
    """`execute` gives the connection back, and that is read."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as plain:
        connection = trace_connection(plain, instance=rig.sqlobs)
        for statement in DDL:
            connection.execute(statement)

        @rig.sqlobs.trace_generation(sql=None)
        def agent(question):
            assert connection.execute(GOOD) is connection
            return connection.fetchall()

        assert len(agent("q")) == 2
    assert executions(rig) == [result(2)]


class AsyncConnection:
    """A driver's connection for event loops."""

    async def commit(self):
        """Commit."""


def test_an_asynchronous_connection_is_refused():
    """PEP 249 knows none: one sentence says what to do."""
    with pytest.raises(InputError, match="decorate the function that runs the SQL with trace_exec"):
        trace_connection(AsyncConnection())


class Unspeakable:
    """A statement that cannot be spelled."""

    def __str__(self):
        raise ValueError


def test_a_statement_that_cannot_be_recorded_runs_all_the_same(rig, connection, faults):
    """The driver's own answer reaches the host, and the failure inside is counted."""
    with pytest.raises(TypeError):
        connection.execute(Unspeakable())
    assert faults.new == {"sql": 1}


@pytest.mark.postgres
def test_postgresql_counts_its_rows_by_itself(rig):
    """psycopg holds the whole result: the execution ends where `execute` returns."""
    psycopg = pytest.importorskip("psycopg")
    server = PostgresServer()
    try:
        server.start()
        engine = sqlalchemy.create_engine(server.url().replace("postgresql", "postgresql+psycopg"))
        trace_engine(engine, instance=rig.sqlobs)
        with psycopg.connect(server.url()) as plain, engine.connect() as through:
            connection = trace_connection(plain, instance=rig.sqlobs)
            connection.execute("CREATE TEMP TABLE orders (id integer, total numeric)")
            through.exec_driver_sql("CREATE TEMP TABLE orders (id integer, total numeric)")

            total = psycopg.sql.Identifier("total")

            @rig.sqlobs.trace_generation(sql=None)
            def agent(question):
                with connection.cursor() as cursor:
                    cursor.execute("INSERT INTO orders VALUES (1, 5), (2, 7)")
                    cursor.execute(psycopg.sql.SQL("SELECT {} FROM orders").format(total))
                    cursor.execute(GOOD.encode())
                    through.execute(sqlalchemy.text(GOOD))
                    with suppress(psycopg.Error):
                        cursor.execute(BAD)

            agent("q")
            assert rig.generation.attributes["sqlobs.attempts"] == 4
            with rig.sqlobs.context() as ctx:
                like = "SELECT total FROM orders WHERE 'a' LIKE '%a%'"
                generate = rig.sqlobs.trace_generation(lambda question: like)
                through.execute(sqlalchemy.text(generate("q")))  # the driver is given LIKE '%%a%%'
        engine.dispose()
    finally:
        server.stop()
    assert executions(rig) == [
        {"sqlobs.execution.status": "ok"},
        result(2),
        result(2),
        result(0),
        {
            "sqlobs.execution.status": "error",
            "error.type": "psycopg.errors.UndefinedColumn",
            "sqlobs.execution.sqlstate_class": "42",
        },
        result(0),
    ]
    last = [span for span in rig.spans if span.name == "sqlobs.execute"][-1]
    assert last.attributes["sqlobs.generation.id"] == ctx.generation.id
