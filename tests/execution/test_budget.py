"""What statements on warehouses may cost: limits that a target needs, and the budget of a day."""

from __future__ import annotations

import os
import socket

import pytest

from sqlobs.errors import ConfigError
from sqlobs.execution import conversation
from sqlobs.execution.access import Access, CostLimits
from sqlobs.execution.budget import USED_UP, Budget, MemoryUsage, Usage, cost_of, remaining, today
from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import Execution
from sqlobs.execution.target import Limits, Target
from sqlobs.execution.worker import Worker
from sqlobs.types import ExecutionOutcome

BYTES = Access(cost=CostLimits(max_bytes=100, daily_bytes=250))


def ran(status="ok", *, usage=None, elapsed_s=None, reason=None) -> Execution:
    outcome = ExecutionOutcome(status=status, elapsed_s=elapsed_s)
    return Execution(outcome=outcome, usage=usage, reason=reason)


_NO_SETTINGS = (
    "target shop: settings are for BigQuery, ClickHouse, Redshift and Snowflake; use the URL or"
    " connect_args"
)


@pytest.mark.parametrize(
    ("url", "access", "message"),
    [
        (
            "bigquery://project/sales",
            Access(cost=CostLimits(max_bytes=100)),
            (
                "target shop: bigquery charges for the bytes that a statement reads: set"
                " cost.daily_bytes"
            ),
        ),
        (
            "clickhouse://host/sales",
            Access(),
            (
                "target shop: clickhouse charges for the bytes that a statement reads: set"
                " cost.max_bytes and cost.daily_bytes"
            ),
        ),
        (
            "snowflake://account/sales",
            Access(),
            "target shop: snowflake charges for the time that it runs: set cost.daily_seconds",
        ),
        (
            "redshift://host/sales",
            Access(),
            "target shop: redshift charges for the time that it runs: set cost.daily_seconds",
        ),
        (
            "databricks://token:t@host",
            Access(cost=CostLimits(daily_seconds=60, max_bytes=100)),
            (
                "target shop: the bytes that a statement reads are unknown on databricks: use"
                " cost.daily_seconds"
            ),
        ),
        (
            "sqlite:////shop.db",
            Access(connect_args={"timeout": 5}),
            (
                "target shop: connect_args are for warehouses and other databases of SQLAlchemy; put"
                " the options of sqlite into its URL"
            ),
        ),
        (
            "postgresql://host/shop",
            Access(settings={"a": "b"}),
            _NO_SETTINGS,
        ),
        (
            "databricks://host/",
            Access(settings={"a": "b"}, cost=CostLimits(daily_seconds=1)),
            _NO_SETTINGS,
        ),
    ],
    ids=(
        *("bigquery", "clickhouse", "snowflake", "redshift", "databricks", "sqlite", "postgresql"),
        "databricks settings",
    ),
)
def test_a_target_without_its_limits_is_rejected(url, access, message):
    with pytest.raises(ConfigError) as raised:
        Executor([Target.from_url("shop", url, access=access)])
    assert str(raised.value) == message


def test_the_general_engine_does_not_run_on_a_warehouse_with_an_engine():
    with pytest.raises(ConfigError, match=r"has an engine of its own.*remove sqlalchemy\+"):
        Target.from_url("shop", "sqlalchemy+bigquery://project/sales")


@pytest.mark.parametrize(
    "make",
    [
        lambda: CostLimits(max_bytes=0),
        lambda: Access(environment=("A-B",)),
        lambda: Access(settings={"a; DROP": "1"}),
        lambda: Access(connect_timeout_s=0),
    ],
    ids=("cost", "environment", "settings", "timeout"),
)
def test_invalid_options_are_rejected(make):
    with pytest.raises(ConfigError):
        make()


def test_a_statement_is_reserved_with_the_most_and_counted_with_what_it_cost():
    ledger = MemoryUsage()
    budget, limits = Budget(ledger), Limits(timeout_s=10)
    target = Target.from_url("shop", "bigquery://project/sales", access=BYTES)
    assert budget.reserve(target, [limits, limits])
    assert not budget.reserve(target, [limits])  # 200 of 250 are reserved
    budget.settle(target, [limits, limits], [ran(usage=Usage(10, 1.0)), ran(usage=Usage(50, 2.0))])
    assert ledger.used(today(), "shop") == Usage(60, 3.0)
    assert budget.reserve(target, [limits])
    budget.settle(target, [limits], [ran("timeout", elapsed_s=10.5)])  # killed: 100 are possible
    assert ledger.used(today(), "shop") == Usage(160, 13.5)
    assert not budget.reserve(target, [limits])
    assert remaining(BYTES.cost, ledger.used(today(), "shop"), limits) == {"bytes": 0}


@pytest.mark.parametrize(
    ("execution", "cost"),
    [
        (ran(usage=Usage(7, 1.0)), Usage(7, 1.0)),
        (ran(elapsed_s=3.0), Usage(100, 3.0)),
        (ran("refused"), Usage()),
        (ran("not_run", reason="target_unavailable"), Usage()),
        (ran("not_run", reason="error"), Usage(100, 10.0)),
    ],
    ids=("known", "bytes unknown", "refused", "unavailable", "worker ended"),
)
def test_what_is_unknown_counts_as_the_most(execution, cost):
    assert cost_of(execution, Usage(100, 10.0)) == cost


def test_a_used_up_day_stops_statements_and_the_ledger_outlives_the_executor(tmp_path):
    (tmp_path / "shop.db").touch()
    access = Access(cost=CostLimits(daily_seconds=12))
    target = Target.from_url("shop", f"sqlite:///{tmp_path}/shop.db", access=access)
    ledger = MemoryUsage()
    one = [("SELECT 1", Limits(timeout_s=10))]
    with Executor([target], workers=1, ledger=ledger) as executor:
        assert [found.outcome.status for found in executor.run_all(one, target="shop")] == ["ok"]
        assert [found.outcome.status for found in executor.stream(one, target="shop")] == ["ok"]
    assert 0 < ledger.used(today(), "shop").seconds < 2
    ledger.add(today(), "shop", Usage(0, 2.0))
    with Executor([target], workers=1, ledger=ledger) as executor:
        [found] = executor.run_all(one, target="shop")
    assert (found.reason, found.outcome.error) == ("budget", USED_UP)


def test_a_driver_sees_the_declared_variables_of_its_target_only(monkeypatch):
    access = Access(environment=("DECLARED", "UNSET"))
    target = Target.from_url("shop", "sqlite:////shop.db", access=access)
    monkeypatch.setattr(os, "environ", {"TZ": "UTC", "OTHER": "of another target", "DECLARED": "1"})
    declared = conversation._environment(target)
    monkeypatch.setattr(os, "environ", {"TZ": "UTC"})
    ours, theirs = socket.socketpair()
    with ours, theirs:
        worker = Worker(theirs)
        worker._show({"OTHER": "of another target"})
        worker._show(declared)
        assert os.environ == {"TZ": "UTC", "DECLARED": "1"}
        worker.close()
    assert os.environ == {"TZ": "UTC"}
