"""Targets on ClickHouse: chDB is the engine, behind ClickHouse's HTTP interface."""

from __future__ import annotations

import pytest

pytest.importorskip("clickhouse_connect")
pytest.importorskip("chdb")

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.check import check_sql
from sqlobs.cli import main
from sqlobs.execution.access import Access, CostLimits
from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits, Target
from sqlobs.schema import Schema, SchemaSource, changes
from tests.warehouses.clickhouse_server import ClickHouseServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.execution.outcome import Execution

SHOP = """
CREATE TABLE customers (id Int64, name String, city Nullable(String)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE orders (id Int64, customer_id Int64, total Decimal(10, 2), placed Date)
  ENGINE = MergeTree ORDER BY id;
INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', NULL);
CREATE TABLE events (id Int64) ENGINE = MergeTree ORDER BY id;
INSERT INTO orders SELECT number, 1 + number % 2, number / 2, '2026-01-01' FROM numbers(1000);
INSERT INTO events SELECT number FROM numbers(1000000)
"""
COST = CostLimits(max_bytes=1_000_000, daily_bytes=20_000_000)
HUGE = "SELECT sum(a.id * b.id) FROM events AS a CROSS JOIN events AS b CROSS JOIN events AS c"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[ClickHouseServer]:
    """The shop on a server."""
    running = ClickHouseServer(tmp_path_factory.mktemp("clickhouse"), SHOP)
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture
def target(server) -> Target:
    """The shop, with a limit of cost."""
    return Target.from_url("shop", server.url, access=Access(cost=COST))


@pytest.fixture(scope="module")
def executor(server) -> Iterator[Executor]:
    """An executor for many statements."""
    access = Access(cost=replace(COST, daily_bytes=10**12), settings={"max_threads": "1"})
    target = Target.from_url(
        "shop", server.url, access=access, session=("SQL_tenant",), max_connections=2
    )
    with Executor([target], workers=1) as running:
        yield running


def run(executor: Executor, sql: str, *, timeout_s: float = 10, tenant: str = "a") -> Execution:
    limits = Limits(timeout_s=timeout_s)
    session = {"SQL_tenant": tenant}
    request = ExecutionRequest(sql=sql, target="shop", limits=limits, session=session)
    return executor.run(request).prediction


def test_rows_are_returned_and_the_bytes_read_are_counted(executor):
    found = run(executor, "SELECT name, city FROM customers ORDER BY id")
    assert found.outcome.table is not None
    assert found.outcome.table.rows == (("Ann", "Oslo"), ("Bob", None))
    assert found.outcome.table.columns == ("name", "city")
    assert found.usage is not None
    assert found.usage.bytes > 10


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT nam FROM customers", "schema.unknown_column"),
        ("SELECT c.total FROM customers AS c", "schema.unknown_column"),
        ("SELECT id FROM customer", "schema.unknown_table"),
        ("SELECT id FROM nowhere.customers", "schema.unknown_table"),
        ("SELECT frobnicate(id) FROM customers", "syntax.dialect_mismatch"),
        ("SELECT sumIff(id, 1) FROM customers", "syntax.dialect_mismatch"),
        ("SELECT toYear(placed, 1, 2, 3) FROM orders", "syntax.dialect_mismatch"),
        ("SELECT name + 1 FROM customers", "schema.type_mismatch"),
        ("SELECT name, count(*) FROM customers", "schema.grouping"),
        ("SELECT max(max(id)) FROM customers", "schema.grouping"),
        ("SELECT id FROM customers WHERE", "syntax.parse_error"),
    ],
)
def test_a_fault_has_its_failure_code(executor, sql, code):
    found = run(executor, sql)
    assert (found.failure_code, found.accepted) == (code, False), found


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT quantileExactIf(0.5)(total, id > 1) FROM orders",
        "SELECT sumIfOrNull(total, id > 1) FROM orders",
    ],
)
def test_functions_of_the_server_are_not_called_unknown(executor, sql):
    assert run(executor, sql).failure_code is None


def test_a_statement_without_a_verdict_is_not_run(executor, server):
    """The gate's refusal stays where the server only knows the function; nothing is executed."""
    server.seen.clear()
    found = run(executor, "SELECT hostName(), (SELECT * FROM url('http://127.0.0.1:1/', 'CSV'))")
    assert (found.outcome.status, found.refusal) == ("refused", "function_not_allowed")
    ours = ("EXPLAIN AST", "\nSELECT count() FROM (\n")
    assert [sql for sql, _ in server.seen if not sql.startswith(ours)] == []


def test_settings_and_limits_are_sent_with_each_statement(executor, server):
    run(executor, "SELECT count(*) FROM orders", timeout_s=7, tenant="acme")
    sent = dict(next(given for sql, given in reversed(server.seen) if "FROM orders" in sql))
    assert {
        name: sent[name]
        for name in ("max_execution_time", "max_bytes_to_read", "readonly", "max_threads")
    } == {
        "max_execution_time": "7",
        "max_bytes_to_read": "1000000",
        "readonly": "2",
        "max_threads": "1",
    }
    assert sent["SQL_tenant"] == "acme"


def test_a_statement_that_reads_too_much_is_stopped_by_the_server(executor):
    found = run(executor, "SELECT sum(id) FROM events")
    assert (found.outcome.status, found.failure_code) == ("error", "efficiency.cost")
    assert found.accepted is None


def test_the_server_ends_a_statement_in_time(server):
    access = Access(cost=CostLimits(max_bytes=10**15, daily_bytes=10**16))
    target = Target.from_url("shop", server.url, access=access)
    with Executor([target], workers=1) as executor:
        [found] = executor.run_all([(HUGE, Limits(timeout_s=1))], target="shop")
    assert (found.outcome.status, found.failure_code) == ("timeout", "execution.timeout")


def test_a_query_whose_worker_is_killed_is_killed_on_the_server(server, monkeypatch):
    """The server here does not watch its time, as one that is overloaded."""
    monkeypatch.setattr(
        server, "answer", lambda sql, given, was=server.answer: was(sql, without_time(given))
    )
    access = Access(cost=CostLimits(max_bytes=10**15, daily_bytes=10**16))
    target = Target.from_url("shop", server.url, access=access)
    server.killed.clear()
    with Executor([target], workers=1) as executor:
        [found] = executor.run_all([(HUGE, Limits(timeout_s=1))], target="shop")
        assert (found.outcome.status, found.engine_class) == ("timeout", "killed")
        assert executor.held == {}
    assert len(server.killed) == 1
    assert server.running == {}


def without_time(given: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name != "max_execution_time"}


def test_a_used_up_budget_stops_statements(server, monkeypatch):
    """Each statement may read 1 MB, so that the day's 2.5 MB cover one pair and one statement."""
    monkeypatch.setattr(server, "read_bytes", 720_000)
    access = Access(cost=CostLimits(max_bytes=1_000_000, daily_bytes=2_500_000))
    target = Target.from_url("shop", server.url, access=access)
    many = "SELECT sum(id) FROM orders"
    with Executor([target], workers=1) as executor:
        found = executor.run_all([(many, Limits())] * 2, target="shop")
        found += executor.run_all([(many, Limits())], target="shop")
        found += executor.run_all([(many, Limits())], target="shop")
    assert [one.outcome.status for one in found] == ["ok", "ok", "ok", "not_run"], found
    assert found[-1].reason == "budget"


def test_wrong_credentials_make_a_target_unavailable():
    access = Access(cost=COST)
    target = Target.from_url("shop", "clickhouse://ann:secret@127.0.0.1:1/shop", access=access)
    with Executor([target], workers=1) as executor:
        [found] = executor.run_all([("SELECT 1", Limits())], target="shop")
    assert (found.reason, found.outcome.error) == (
        "target_unavailable",
        "the connection failed (OperationalError)",
    )


def test_another_driver_is_rejected(server):
    url = server.url.replace("clickhousedb://", "clickhouse+native://")
    target = Target.from_url("shop", url, access=Access(cost=COST))
    with Executor([target], workers=1) as executor:
        [found] = executor.run_all([("SELECT 1", Limits())], target="shop")
    assert found.reason == "target_unavailable"
    assert "write clickhousedb://" in str(found.outcome.error)


NESTED = """
CREATE TABLE visits (id Int64 COMMENT 'number', person Tuple(name String, city Nullable(String)),
  tags Array(String), goals Nested(name String, at DateTime)) ENGINE = MergeTree ORDER BY id;
CREATE VIEW recent AS SELECT id, person FROM visits;
CREATE DATABASE archive;
CREATE TABLE archive.visits (id Int64) ENGINE = MergeTree ORDER BY id
"""


@pytest.fixture(scope="module")
def nested(tmp_path_factory) -> Iterator[ClickHouseServer]:
    """A server with nested columns."""
    running = ClickHouseServer(tmp_path_factory.mktemp("nested"), NESTED)
    try:
        yield running
    finally:
        running.stop()


def test_a_schema_is_read_from_the_system_catalog(nested, capsys):
    """By the query of `sqlobs schema query clickhouse`, of the database in the URL."""
    assert main(["schema", "pull", nested.url]) == 0
    schema = Schema.from_json(capsys.readouterr().out)
    person = "Tuple(name String, city Nullable(String))"
    columns = {
        table.full_name: [(one.name, one.type, one.description) for one in table.columns]
        for table in schema.tables
    }
    assert columns == {
        "default.recent": [("id", "Int64", None), ("person", person, None)],
        "default.visits": [
            ("id", "Int64", "number"),
            ("person", person, None),
            ("tags", "Array(String)", None),
            ("goals.name", "Array(String)", None),
            ("goals.at", "Array(DateTime)", None),
        ],
    }
    assert [table.kind for table in schema.tables] == ["view", "table"]
    [finding] = check_sql("SELECT person.nam FROM visits", schema=schema, native=False).findings
    assert (finding.identifier, finding.suggestion) == ("nam", "name")
    other = Schema.from_database(nested.url, namespaces=["archive"])
    assert [table.full_name for table in other.tables] == ["archive.visits"]


def test_a_schema_source_sees_a_changed_table(tmp_path):
    """Freshness and drift are those of every live schema."""
    running = ClickHouseServer(tmp_path, "CREATE TABLE t (a Int64) ENGINE = MergeTree ORDER BY a")
    try:
        source = SchemaSource.from_database(running.url, connect_args={})
        assert source.wait(60)
        before = source.get()
        for engine in running._idle:
            engine.ask("ALTER TABLE t ADD COLUMN b Tuple(c String)", "TSV")
        after = Schema.from_database(running.url)
        assert [change.name for change in changes(before, after)] == ["default.t.b"]
    finally:
        running.stop()
