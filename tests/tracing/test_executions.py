from __future__ import annotations

import asyncio
import sqlite3
from contextlib import suppress

import pytest
from opentelemetry.context import Context

from sqlobs import current_generation
from tests.tracing.rig import BAD, GOOD, Rig

ROWS = [(1, "a"), (2, "b")]
LABELS = ("sqlobs.static.label", "sqlobs.engine.label")


class DriverError(Exception):
    """A driver's exception with an SQLSTATE."""

    def __init__(self, sqlstate):
        super().__init__(f'column "totl" is not "canary" {sqlstate}')
        self.sqlstate = sqlstate


def raising(sqlstate):
    """Return a body that fails as a PostgreSQL driver does."""

    def body(sql):
        raise DriverError(sqlstate)

    return body


@pytest.fixture
def database():
    """A real SQLite database with the rig's tables."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total NUMERIC)")
    connection.execute("INSERT INTO orders VALUES (1, 'a', 5)")
    yield connection
    connection.close()


def executed(rig):
    """The attributes of the one execution's span."""
    (span,) = [span for span in rig.spans if span.name == "sqlobs.execute"]
    return dict(span.attributes)


def test_an_execution_has_its_row_count(rig):
    """Target, status, size and fingerprint; the rows pass through as the same object."""
    run = rig.sqlobs.trace_execution(target="warehouse")(lambda sql: ROWS)
    assert run(GOOD) is ROWS
    attributes = executed(rig)
    fingerprint = attributes.pop("sqlobs.query.fingerprint")
    assert fingerprint
    assert attributes == {
        "sqlobs.target.name": "warehouse",
        "sqlobs.execution.status": "ok",
        "sqlobs.result.rows": 2,
        "sqlobs.result.columns": 2,
        "sqlobs.result.empty": False,
        "sqlobs.query.text": GOOD,
        "input.value": GOOD,
        "openinference.span.kind": "TOOL",
    }
    assert rig.counts("sqlobs.executions", "sqlobs.execution.status") == {"ok": 1}


@pytest.mark.parametrize(
    ("generated", "body", "labels"),
    [
        (GOOD, lambda sql: ROWS, ("pass", "pass")),
        (BAD, raising("42703"), ("fail", "fail")),
        (GOOD, raising("42P01"), ("pass", "fail")),
        (BAD, lambda sql: ROWS, ("fail", "pass")),
        (GOOD, raising("42501"), ("pass", "not_evaluated")),
        (GOOD, raising("57014"), ("pass", "not_evaluated")),
        (GOOD, raising("22012"), ("pass", "not_evaluated")),
    ],
)
def test_static_and_engine_are_compared_as_a_full_matrix(rig, generated, body, labels):
    """Pass = ran; fail = class 42 without permission; everything else is no verdict."""
    generate = rig.sqlobs.trace_generation(lambda question: generated)
    run = rig.sqlobs.trace_execution(body)
    with rig.sqlobs.context() as ctx:
        sql = generate("q")
        with suppress(DriverError):
            run(sql=sql)
        assert executed(rig)["sqlobs.generation.id"] == ctx.generation.id
    assert rig.counts("sqlobs.comparisons", *LABELS) == {labels: 1}


@pytest.fixture
def sqlite_run(rig, database):
    """A decorated function that runs SQL on the real database."""

    @rig.sqlobs.trace_execution(target="shop")
    def run(sql):
        return database.execute(sql).fetchall()

    return run


@pytest.mark.parametrize(
    ("sql", "engine"),
    [
        ("SELECT total FROM orders", "pass"),
        ("SELECT totl FROM orders", "fail"),
        ("SELECT total FROM order_s", "fail"),
        ("SELECT FROM WHERE", "fail"),
        ("SELECT abs(-9223372036854775808) FROM orders", "not_evaluated"),
    ],
)
def test_the_engine_itself_is_asked(rig, sqlite_run, sql, engine):
    """SQLite has no SQLSTATE: its prepare-time errors are the verdict, run-time errors are not."""
    generate = rig.sqlobs.trace_generation(lambda question: sql)
    with rig.sqlobs.context(), suppress(sqlite3.Error):
        sqlite_run(generate("q"))
    ((_, seen),) = rig.counts("sqlobs.comparisons", *LABELS)
    assert seen == engine


def test_an_execution_joins_by_fingerprint_where_the_text_differs(rig):
    """An application may add its own layout or literals to the generated SQL."""
    generate = rig.sqlobs.trace_generation(lambda question: "SELECT total FROM orders WHERE id = 1")
    run = rig.sqlobs.trace_execution(lambda sql: [])
    with rig.sqlobs.context() as ctx:
        generate("q")
        run("select   total\nfrom orders where id = 2;")
    assert executed(rig)["sqlobs.generation.id"] == ctx.generation.id
    assert executed(rig)["sqlobs.result.empty"] is True
    assert rig.counts("sqlobs.comparisons", *LABELS) == {("pass", "pass"): 1}


def test_foreign_sql_joins_nothing(rig):
    """A statement that nobody generated is counted as an execution and compared with nothing."""
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    run = rig.sqlobs.trace_execution(lambda sql: ROWS)
    with rig.sqlobs.context():
        generate("q")
        run("SELECT name FROM customers")
    assert "sqlobs.generation.id" not in executed(rig)
    assert rig.counts("sqlobs.comparisons", *LABELS) == {}


def test_without_a_context_the_trace_joins(rig):
    """Two calls below one request's span belong together."""
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    run = rig.sqlobs.trace_execution(lambda sql: ROWS)
    with rig.tracer.start_as_current_span("request"):
        run(generate("q"))
    span = rig.generation
    assert f"{span.context.span_id:016x}" in executed(rig)["sqlobs.generation.id"]


def test_an_execution_in_another_trace_links_to_the_generation(rig):
    """A context that spans two traces joins them by a span link."""
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    run = rig.sqlobs.trace_execution(lambda sql: ROWS)
    with rig.sqlobs.context():
        with rig.tracer.start_as_current_span("first", context=Context()):
            sql = generate("q")
        with rig.tracer.start_as_current_span("second", context=Context()):
            run(sql)
    (span,) = [span for span in rig.spans if span.name == "sqlobs.execute"]
    assert [link.context.span_id for link in span.links] == [rig.generation.context.span_id]


def test_an_execution_may_be_a_database_client_span(rig):
    """`kind="client"` makes it a `db.*` CLIENT span."""
    run = rig.sqlobs.trace_execution(kind="client", target="w")(lambda sql: ROWS)
    run(GOOD)
    (span,) = rig.spans
    assert span.kind.name == "CLIENT"
    assert span.name == "SELECT orders"
    assert span.attributes["db.system.name"] == "sqlite"
    assert span.attributes["db.query.summary"] == "SELECT orders"
    assert "db.response.status_code" not in span.attributes


@pytest.mark.parametrize(
    ("capture", "text"),
    [
        ("masked", "SELECT totl FROM orders WHERE customer = ?"),
        ("raw", "SELECT totl FROM orders WHERE customer = 'a'"),
        ("none", None),
    ],
)
def test_a_database_client_span_tells_its_statement_as_it_is_captured(monkeypatch, capture, text):
    """Masked by default, after `redact`; with the engine's own code where it refused."""
    monkeypatch.setenv("SQLOBS_CAPTURE_SQL", capture)
    seen = []

    def redact(kind, text):
        seen.append(kind)
        return text

    with Rig(mode="inline", redact=redact) as rig:
        run = rig.sqlobs.trace_execution(raising("42703"), kind="client")
        with suppress(DriverError):
            run(sql="SELECT totl FROM orders WHERE customer = 'a'")
        (span,) = rig.spans
    assert span.attributes.get("db.query.text") == text
    assert span.attributes["db.response.status_code"] == "42703"
    assert seen == ([] if text is None else ["sql", "message"])


def test_a_block_holds_the_execution(rig):
    """As a context manager `sql` is the statement; the size may be told."""
    with rig.sqlobs.trace_execution(sql=GOOD, target="w") as execution:
        execution.set(rows=7, columns=3, truncated=True)
    attributes = executed(rig)
    assert (attributes["sqlobs.result.rows"], attributes["sqlobs.result.columns"]) == (7, 3)
    assert attributes["sqlobs.result.truncated"] is True


def test_rows_read_in_steps_are_counted(rig):
    """A generator of rows is an execution until its last row."""

    @rig.sqlobs.trace_execution
    async def run(sql):
        for row in ROWS:
            yield row

    async def main():
        return [row async for row in run(GOOD)]

    assert asyncio.run(main()) == ROWS
    assert executed(rig)["sqlobs.result.rows"] == 2


def test_an_exception_says_class_state_and_masked_message(rig):
    """`error.type`, the SQLSTATE and its class, status `error` or `timeout`."""
    run = rig.sqlobs.trace_execution(raising("42P01"))
    with pytest.raises(DriverError):
        run(GOOD)
    (span,) = rig.spans
    assert span.status.status_code.name == "ERROR"
    assert span.status.description == "42P01: column ? is not ? 42P01"
    assert span.attributes["db.response.status_code"] == "42P01"
    assert span.attributes["error.type"] == f"{__name__}.DriverError"
    assert span.attributes["sqlobs.execution.sqlstate_class"] == "42"
    slow = rig.sqlobs.trace_execution(lambda sql: (_ for _ in ()).throw(TimeoutError()))
    with pytest.raises(TimeoutError):
        list(slow(GOOD))
    statuses = [span.attributes["sqlobs.execution.status"] for span in rig.spans]
    assert statuses == ["error", "timeout"]


def test_an_agents_answer_is_its_last_successful_execution(rig, sqlite_run):
    """`sql=None`: executions tell the SQL; earlier ones are attempts, each compared."""

    @rig.sqlobs.trace_generation(sql=None)
    def agent(question):
        for sql in (BAD, GOOD, "SELECT nothing FROM orders"):
            try:
                sqlite_run(sql)
            except sqlite3.Error:
                continue
        return "There are five orders."

    assert agent("q") == "There are five orders."
    attributes = rig.generation.attributes
    assert attributes["sqlobs.outcome"] == "answered"
    assert attributes["sqlobs.verdict"] == "ok"
    assert attributes["sqlobs.attempts"] == 3
    assert attributes["sqlobs.first_attempt.verdict"] == "failed"
    assert attributes["sqlobs.execution.duration"] > 0
    assert rig.counts("sqlobs.comparisons", *LABELS) == {("fail", "fail"): 2, ("pass", "pass"): 1}
    name = rig.generation.name
    assert rig.tree == f"{name}(sqlobs.execute, sqlobs.execute, sqlobs.execute)"


def test_an_agent_that_executes_nothing_abstained(rig):
    """No statement was executed, so none was answered."""
    rig.sqlobs.trace_generation(sql=None)(lambda question: "I cannot know.")("q")
    assert rig.verdict == ("abstained", "not_evaluated")


def test_an_agent_whose_executions_all_fail_answers_with_the_last(rig, sqlite_run):
    """None succeeded: the last statement is the answer's."""

    @rig.sqlobs.trace_generation(sql=None)
    async def agent(question):
        for sql in ("SELECT a FROM orders", BAD):
            try:
                await asyncio.to_thread(_on_own_connection, rig, sql)
            except sqlite3.Error:
                continue

    asyncio.run(agent("q"))
    assert rig.verdict == ("answered", "failed")
    assert rig.generation.attributes["sqlobs.hallucinated.columns"] == ("totl",)


def _on_own_connection(rig, sql):
    @rig.sqlobs.trace_execution
    def run(sql):
        with sqlite3.connect(":memory:") as connection:
            return connection.execute(sql).fetchall()

    return run(sql)


def test_attempts_executed_inside_are_compared_with_their_own_check(rig, sqlite_run):
    """A repair loop that executes each attempt compares each with its own report."""

    @rig.sqlobs.trace_generation
    def generate(question):
        for sql in (BAD, GOOD):
            current_generation().attempt(sql)
            try:
                sqlite_run(sql)
            except sqlite3.Error:
                continue
        return GOOD

    generate("q")
    assert rig.counts("sqlobs.comparisons", *LABELS) == {("fail", "fail"): 1, ("pass", "pass"): 1}
    assert rig.generation.attributes["sqlobs.attempts"] == 2


def test_deferred_executions_wait_for_the_check_of_their_generation():
    """The comparison happens on the worker, after the generation's own check."""
    with Rig(mode="deferred") as rig:
        generate = rig.sqlobs.trace_generation(lambda question: BAD)
        run = rig.sqlobs.trace_execution(lambda sql: ROWS)
        with rig.sqlobs.context() as ctx:
            run(generate("q"))
        assert executed(rig)["sqlobs.generation.id"] == ctx.generation.id
        assert rig.counts("sqlobs.comparisons", *LABELS) == {("fail", "pass"): 1}


def of_driver(module, name, *arguments, **fields):
    """An exception as a driver raises it, without the driver."""
    kind = type(name, (Exception,), fields)
    kind.__module__ = module
    return kind(*arguments)


DRIVERS = {
    "pyodbc's missing table": (
        of_driver("pyodbc", "ProgrammingError", "42S02", "[42S02] Invalid object name 'a' (208)"),
        ("error", "42", "fail"),
    ),
    "pyodbc's missing permission": (
        of_driver("pyodbc", "ProgrammingError", "42000", "[42000] SELECT permission denied (229)"),
        ("error", "42", "not_evaluated"),
    ),
    "pyodbc's timeout": (
        of_driver("pyodbc", "OperationalError", "HYT00", "[HYT00] Query timeout expired (0)"),
        ("timeout", "HY", "not_evaluated"),
    ),
    "mysql-connector's missing permission": (
        of_driver("mysql.connector.errors", "ProgrammingError", 1142, "x", sqlstate="42000"),
        ("error", "42", "not_evaluated"),
    ),
    "mysql-connector's missing table": (
        of_driver("mysql.connector.errors", "ProgrammingError", 1146, "x", sqlstate="42S02"),
        ("error", "42", "fail"),
    ),
    "MariaDB's timeout": (
        of_driver("pymysql.err", "OperationalError", 1969, "x"),
        ("timeout", "57", "not_evaluated"),
    ),
    "pg8000's missing table": (
        of_driver("pg8000.exceptions", "DatabaseError", {"C": "42P01", "M": "x"}),
        ("error", "42", "fail"),
    ),
    "pg8000's closed connection": (
        of_driver("pg8000.exceptions", "InterfaceError", "connection is closed"),
        ("error", None, "not_evaluated"),
    ),
}


@pytest.mark.parametrize(("error", "seen"), DRIVERS.values(), ids=DRIVERS)
def test_the_sqlstate_of_each_driver_is_found(rig, error, seen):
    """Status, class of the state, and the engine's verdict."""

    @rig.sqlobs.trace_execution
    def run(sql):
        raise error

    with rig.sqlobs.context():
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
        with pytest.raises(type(error)):
            run(GOOD)
    (counted,) = rig.counts(
        "sqlobs.executions", "sqlobs.execution.status", "sqlobs.execution.sqlstate_class"
    )
    (label,) = rig.counts("sqlobs.comparisons", "sqlobs.engine.label")
    assert (*counted, label) == seen
