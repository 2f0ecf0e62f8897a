"""Targets on Redshift: Amazon's driver, with a real PostgreSQL in Redshift's place."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("redshift_connector")
pytest.importorskip("sqlalchemy_redshift")

from sqlobs.check.policy import Policy
from sqlobs.execution.access import Access, CostLimits
from sqlobs.execution.admission import Admission
from sqlobs.execution.budget import Usage
from sqlobs.execution.engines import open_target
from sqlobs.execution.executor import Executor
from sqlobs.execution.gate import admit
from sqlobs.execution.messages import Failed
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits, Target
from tests.warehouses.redshift_server import RedshiftServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.execution.outcome import Execution

PLAIN = {"ssl": False, "sslmode": None}
COST = CostLimits(daily_seconds=10_000)
HUGE = "SELECT count(*) FROM orders AS a, orders AS b, orders AS c, orders AS d"


@pytest.fixture(scope="module")
def server() -> Iterator[RedshiftServer]:
    """The shop on a server."""
    running = RedshiftServer()
    try:
        yield running.open()
    finally:
        running.stop()


@pytest.fixture(scope="module")
def target(server) -> Target:
    """The shop with a setting, and one that each request binds."""
    access = Access(connect_args=PLAIN, cost=COST, settings={"app.team": "data"})
    return Target.from_url(
        "shop",
        server.redshift_url,
        access=access,
        session=("app.city",),
        policy=Policy(allowed_functions=("current_setting",)),
    )


@pytest.fixture(scope="module")
def executor(target) -> Iterator[Executor]:
    """An executor for many statements."""
    with Executor([target], workers=1) as running:
        yield running


def run(
    executor: Executor, sql: str, *, timeout_s: float = 10, city: str = "", **more
) -> Execution:
    limits = Limits(timeout_s=timeout_s, **more)
    session = {"app.city": city}
    request = ExecutionRequest(sql=sql, target="shop", limits=limits, session=session)
    return executor.run(request).prediction


def test_rows_have_their_types_and_the_time_is_counted(executor):
    found = run(executor, "SELECT id, total, day FROM orders WHERE id % 500 = 0 ORDER BY id")
    day = dt.date(2026, 1, 1)
    assert found.outcome.table is not None, found
    assert found.outcome.table.columns == ("id", "total", "day")
    assert found.outcome.table.rows == (
        (500, Decimal("250.00"), day),
        (1000, Decimal("500.00"), day),
    )
    assert found.usage == Usage(0, found.outcome.elapsed_s)


@pytest.mark.parametrize(
    ("max_rows", "count", "is_truncated"),
    [(10, 10, True), (64, 64, True), (500, 500, True), (1000, 1000, False), (5000, 1000, False)],
)
def test_rows_come_in_portions_up_to_the_limit(executor, max_rows, count, is_truncated):
    found = run(executor, "SELECT id FROM orders ORDER BY id", max_rows=max_rows)
    assert found.outcome.table is not None
    assert [row[0] for row in found.outcome.table.rows] == list(range(1, count + 1))
    assert found.is_truncated == is_truncated


@pytest.mark.parametrize(
    ("sql", "code", "state"),
    [
        ("SELECT nam FROM customers", "schema.unknown_column", "42703"),
        ("SELECT id FROM customer", "schema.unknown_table", "42P01"),
        ("SELECT frobnicate(id) FROM customers", "syntax.dialect_mismatch", "42883"),
        ("SELECT name + day FROM customers, orders", "schema.type_mismatch", "42883"),
        ("SELECT name, count(*) FROM customers", "schema.grouping", "42803"),
        ("SELECT id FROM customers, orders", "schema.ambiguous_ref", "42702"),
        ("SELECT CAST(name AS flot) FROM customers", "schema.unknown_type", "42704"),
    ],
)
def test_a_fault_has_its_failure_code(executor, sql, code, state):
    found = run(executor, sql)
    assert (found.failure_code, found.engine_class, found.accepted) == (code, state, False), found
    assert run(executor, "SELECT 1").accepted is True


def test_a_missing_right_is_no_verdict_on_the_sql(executor):
    found = run(executor, "SELECT word FROM secrets")
    assert (found.failure_code, found.accepted) == ("execution.permission", None)


def test_a_division_by_zero_is_no_verdict_on_the_sql(executor):
    found = run(executor, "SELECT 1 / (id - id) FROM customers")
    assert (found.failure_code, found.engine_class, found.accepted) == (
        *("execution.engine_error", "22012"),
        None,
    )


def test_settings_are_bound_in_the_session_and_for_one_request(executor):
    sql = "SELECT name, current_setting('app.team') FROM customers ORDER BY id"
    executions = [run(executor, sql, city=city) for city in ("Oslo", "")]
    tables = [one.outcome.table for one in executions]
    refused = [one.outcome.error for one in executions if one.outcome.table is None]
    assert refused == []
    assert [table and table.rows for table in tables] == [
        (("Ann", "data"),),
        (("Ann", "data"), ("Bob", "data")),
    ]


def test_both_statements_of_a_pair_run_in_one_read_only_transaction(executor):
    sql = "SELECT now(), current_setting('transaction_read_only')"
    request = ExecutionRequest(sql=sql, reference=sql, target="shop", session={"app.city": ""})
    found = executor.run(request)
    assert found.reference is not None
    assert found.same_snapshot
    assert found.prediction.outcome.table == found.reference.outcome.table
    assert found.prediction.outcome.table is not None
    assert found.prediction.outcome.table.rows[0][1] == "on"


def test_a_statement_after_a_failed_one_runs(executor):
    statements = [("SELECT 1 / 0", Limits()), ("SELECT 7", Limits())]
    _, found = executor.run_all(statements, target="shop", session={"app.city": ""})
    assert found.outcome.table is not None
    assert found.outcome.table.rows == ((7,),)


def test_the_server_ends_a_statement_in_time(target):
    engine = open_target(target)
    engine.begin({"app.city": ""})
    admitted = admit(HUGE, dialect="redshift", policy=target.policy)
    assert isinstance(admitted, Admission)
    found = engine.execute(admitted, Limits(timeout_s=1), lambda _rows, _left: 0)
    engine.close()
    assert isinstance(found, Failed)
    assert (found.status, found.failure_code, found.engine_class) == (
        *("timeout", "execution.timeout"),
        "57014",
    )


def test_a_text_that_is_not_admitted_is_analyzed_but_not_run(executor, server):
    found = run(executor, "SELECT pg_sleep(id) FROM customer")
    assert (found.failure_code, found.accepted) == ("schema.unknown_table", False)
    found = run(executor, "SELECT pg_terminate_backend(id) FROM customers")
    assert (found.refusal, found.failure_code) == ("function_not_allowed", None)
    assert run(executor, "SELECT 1").accepted is True


def test_a_session_whose_worker_is_killed_is_terminated(server):
    server.ignore_time()
    access = Access(connect_args=PLAIN, cost=COST)
    target = Target.from_url("shop", server.redshift_url, access=access)
    with Executor([target], workers=1) as executor:
        [found] = executor.run_all([(HUGE, Limits(timeout_s=1))], target="shop")
        assert (found.outcome.status, found.engine_class) == ("timeout", "killed")
        assert executor.held == {}
        running = "SELECT query FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'"
        assert server.ask(running) == []


def test_a_lost_session_is_opened_again(server, executor):
    assert run(executor, "SELECT 1").accepted is True
    server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
    assert run(executor, "SELECT 1").accepted is True


def test_wrong_credentials_make_a_target_unavailable():
    access = Access(connect_args=PLAIN, cost=COST)
    target = Target.from_url("shop", "redshift://ann:secret@127.0.0.1:1/shop", access=access)
    with Executor([target], workers=1) as executor:
        [found] = executor.run_all([("SELECT 1", Limits())], target="shop")
    assert found.reason == "target_unavailable"
    assert "secret" not in str(found.outcome.error)


def test_another_driver_is_rejected():
    access = Access(cost=COST)
    target = Target.from_url("shop", "redshift+psycopg2://ann@127.0.0.1:1/shop", access=access)
    with Executor([target], workers=1) as executor:
        [found] = executor.run_all([("SELECT 1", Limits())], target="shop")
    assert "write redshift+redshift_connector://" in str(found.outcome.error)
