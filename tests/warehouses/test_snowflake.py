"""Targets on Snowflake: its driver, against answers written after Snowflake's documentation."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("snowflake.sqlalchemy")

from sqlobs.execution.access import Access, CostLimits
from sqlobs.execution.budget import Usage
from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Limits, Target
from tests.warehouses.snowflake_server import ERRORS, SnowflakeServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.execution.outcome import Execution

COST = CostLimits(daily_seconds=10_000)
URL = "snowflake://reader:secret@account/sales/public?warehouse=small"
CODES = {
    "SELECT nam FROM orders": "schema.unknown_column",
    "SELECT name FROM order_lines": "schema.unknown_table",
    "SELECT frobnicate(name) FROM orders": "syntax.dialect_mismatch",
    "SELECT abs(total, 1, 2) FROM orders": "syntax.dialect_mismatch",
    "SELECT name + placed FROM orders": "schema.type_mismatch",
    "SELECT name, count(*) FROM orders": "schema.grouping",
    "SELECT id FROM orders, customers": "schema.ambiguous_ref",
    "SELECT CAST(name AS flot) FROM orders": "schema.unknown_type",
}
NO_FAULTS = {
    "SELECT name FROM secrets": ("error", "execution.permission"),
    "SELECT 1 / 0": ("error", "execution.engine_error"),
    "SELECT name FROM late": ("timeout", "execution.timeout"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[SnowflakeServer]:
    """Snowflake's answers."""
    running = SnowflakeServer()
    yield running
    running.stop()


def target_of(server: SnowflakeServer, cost: CostLimits = COST) -> Target:
    settings = {"TIMEZONE": "Europe/O'slo", "ROWS_PER_RESULTSET": "500"}
    access = Access(connect_args=server.connect_args, cost=cost, settings=settings)
    return Target.from_url("shop", URL, access=access)


@pytest.fixture(scope="module")
def executor(server) -> Iterator[Executor]:
    """An executor for many statements."""
    with Executor([target_of(server)], workers=1) as running:
        yield running


def run(executor: Executor, sql: str, *, timeout_s: float = 10) -> Execution:
    limits = Limits(timeout_s=timeout_s)
    return executor.run(ExecutionRequest(sql=sql, target="shop", limits=limits)).prediction


def test_rows_are_returned_and_the_time_is_counted(executor):
    found = run(executor, "SELECT name, total FROM orders")
    assert found.outcome.table is not None, found
    assert found.outcome.table.columns == ("NAME", "TOTAL")
    assert found.outcome.table.rows == (("Ann", Decimal("12.50")), ("Bob", None))
    assert found.usage == Usage(0, found.outcome.elapsed_s)


@pytest.mark.parametrize(("sql", "code"), CODES.items())
def test_a_fault_has_its_failure_code(executor, sql, code):
    found = run(executor, sql)
    assert (found.failure_code, found.engine_class, found.accepted) == (
        *(code, ERRORS[sql][0]),
        False,
    ), found


@pytest.mark.parametrize(("sql", "expected"), NO_FAULTS.items())
def test_other_errors_are_no_verdict_on_the_sql(executor, sql, expected):
    found = run(executor, sql)
    assert (found.outcome.status, found.failure_code) == expected, found
    assert found.accepted is None


def test_a_session_without_a_warehouse_is_no_verdict(executor):
    found = run(executor, "SELECT name FROM suspended")
    assert (found.outcome.status, found.reason) == ("not_run", "target_unavailable")


def test_every_documented_error_is_tried():
    assert ERRORS.keys() == CODES.keys() | NO_FAULTS.keys() | {"SELECT name FROM suspended"}


def test_a_session_starts_with_the_parameters_and_gets_the_time_of_each_statement(server):
    server.asked.clear()
    with Executor([target_of(server)], workers=1) as executor:
        for timeout_s in (7, 7, 2.5):
            assert run(executor, "SELECT name, total FROM orders", timeout_s=timeout_s).accepted
    assert [sql for sql in server.asked if sql.startswith("ALTER")] == [
        "ALTER SESSION SET autocommit=false",  # the driver's own
        (
            "ALTER SESSION SET QUERY_TAG = 'sqlobs' TIMEZONE = 'Europe/O''slo'"
            " ROWS_PER_RESULTSET = 500 ABORT_DETACHED_QUERY = TRUE MULTI_STATEMENT_COUNT = 1"
        ),
        "ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = 7",
        "ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = 3",
    ]


def test_a_statement_that_would_read_too_much_is_not_run(server):
    cost = CostLimits(daily_seconds=10_000, max_bytes=1_000_000, daily_bytes=10**9)
    dear, cheap = "SELECT name, total FROM archive", "SELECT name, total FROM orders"
    with Executor([target_of(server, cost)], workers=1) as executor:
        found = run(executor, dear)
        assert (found.failure_code, found.engine_class) == ("efficiency.cost", "max_bytes")
        assert found.usage == Usage()
        assert dear not in server.asked
        found = run(executor, cheap)
        assert found.usage == Usage(4096, found.outcome.elapsed_s)


def test_a_text_with_a_system_function_is_not_even_compiled(executor, server):
    text = "SELECT SYSTEM$ABORT_SESSION(1), frobnicate(name) FROM orders"
    found = run(executor, text)
    assert (found.outcome.status, found.refusal) == ("refused", "function_not_allowed")
    assert [sql for sql in server.asked if text in sql] == []


def test_the_queries_of_a_killed_worker_are_canceled(executor, server):
    found = run(executor, "SELECT name, total FROM slow", timeout_s=1)
    assert (found.outcome.status, found.engine_class) == ("timeout", "killed")
    assert len(server.canceled) == 1
    assert executor.held == {}


def test_a_wrong_password_makes_a_target_unavailable(server):
    access = Access(connect_args=server.connect_args, cost=COST)
    url = URL.replace("secret", "wrong")
    with Executor([Target.from_url("shop", url, access=access)], workers=1) as executor:
        found = run(executor, "SELECT 1")
    assert (found.reason, found.outcome.error) == (
        "target_unavailable",
        "the connection failed (DatabaseError)",
    )
