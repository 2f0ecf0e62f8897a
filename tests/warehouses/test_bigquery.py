"""Targets on BigQuery: Google's client, against answers written after its documentation."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy_bigquery")

import json
from decimal import Decimal
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from sqlobs.execution.access import Access, CostLimits
from sqlobs.execution.budget import Usage
from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Limits, Target
from tests.warehouses.bigquery_server import ERRORS, PROJECT, BigQueryServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.execution.outcome import Execution

COST = CostLimits(max_bytes=100_000_000, daily_bytes=10_000_000_000)
CODES = {
    "SELECT nam FROM sales.orders": "schema.unknown_column",
    "SELECT o.nam FROM sales.orders AS o": "schema.unknown_column",
    "SELECT name FROM sales.order_lines": "schema.unknown_table",
    "SELECT frobnicate(name) FROM sales.orders": "syntax.dialect_mismatch",
    "SELECT name, COUNT(*) FROM sales.orders": "schema.grouping",
    "SELECT name + 1 FROM sales.orders": "schema.type_mismatch",
    "SELECT CAST(name AS FLOT) FROM sales.orders": "schema.unknown_type",
    "SELECT name FROM sales.secret": "execution.permission",
}


@pytest.fixture(scope="module")
def server() -> Iterator[BigQueryServer]:
    """The documented answers."""
    running = BigQueryServer()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def key_file(server, tmp_path_factory):
    """A service account's key, whose tokens come from the documented answers."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = tmp_path_factory.mktemp("keys") / "reader.json"
    account = {
        "type": "service_account",
        "project_id": PROJECT,
        "private_key": text.decode(),
        "client_email": f"reader@{PROJECT}.iam.gserviceaccount.com",
        "token_uri": f"{server.address}/token",
    }
    path.write_text(json.dumps(account))
    return path


@pytest.fixture(scope="module", autouse=True)
def _address(server) -> Iterator[None]:
    """Have Google's client call the documented answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIGQUERY_EMULATOR_HOST", server.address)
        yield


@pytest.fixture(scope="module")
def executor(key_file) -> Iterator[Executor]:
    """An executor whose target has its credentials by file."""
    access = Access(
        environment=("BIGQUERY_EMULATOR_HOST",), settings={"query_label": "team:data"}, cost=COST
    )
    url = f"bigquery://{PROJECT}/sales?credentials_path={key_file}&location=EU"
    target = Target.from_url("shop", url, access=access)
    with Executor([target], workers=1) as running:
        yield running


def run(executor: Executor, sql: str, *, timeout_s: float = 20) -> Execution:
    [found] = executor.run_all([(sql, Limits(timeout_s=timeout_s))], target="shop")
    return found


def test_a_statement_is_estimated_limited_and_counted(executor, server):
    server.inserted.clear()
    found = run(executor, "SELECT name, total FROM sales.orders", timeout_s=20)
    assert found.outcome.table is not None, found
    assert found.outcome.table.rows == (("Ann", Decimal("12.50")), ("Bob", None))
    assert found.usage == Usage(10_485_760, found.outcome.elapsed_s)
    dry, wet = server.inserted
    assert dry["dryRun"] is True
    assert wet["query"]["maximumBytesBilled"] == "100000000"
    assert wet["jobTimeoutMs"] == "20000"
    assert wet["query"]["connectionProperties"] == [{"key": "query_label", "value": "team:data"}]
    assert wet["query"]["defaultDataset"] == {"projectId": PROJECT, "datasetId": "sales"}


@pytest.mark.parametrize("sql", CODES)
def test_an_error_has_its_failure_code(executor, sql):
    found = run(executor, sql)
    is_fault = not CODES[sql].startswith("execution.")
    assert (found.failure_code, found.accepted) == (CODES[sql], False if is_fault else None)
    assert found.usage is None or found.usage.bytes == 0


def test_every_documented_error_is_tried():
    assert CODES.keys() | {"SELECT name FROM sales.busy"} == ERRORS.keys()


def test_an_exhausted_quota_is_no_verdict(executor):
    found = run(executor, "SELECT name FROM sales.busy")
    assert (found.outcome.status, found.reason) == ("not_run", "target_unavailable")


def test_a_statement_that_would_read_too_much_is_not_run(executor, server):
    server.inserted.clear()
    found = run(executor, "SELECT name, total FROM sales.archive")
    assert (found.failure_code, found.engine_class) == ("efficiency.cost", "max_bytes")
    assert [one.get("dryRun") for one in server.inserted] == [True]
    assert found.usage == Usage()


def test_what_bigquery_calls_no_query_is_not_run(executor, server):
    server.inserted.clear()
    found = run(executor, "SELECT name FROM sales.written")
    assert (found.refusal, found.outcome.error) == ("not_read_only", "not_read_only: merge")
    assert [one.get("dryRun") for one in server.inserted] == [True]


@pytest.mark.parametrize(
    ("sql", "status", "code"),
    [
        ("SELECT name, total FROM sales.grown", "error", "efficiency.cost"),
        ("SELECT name, total FROM sales.late", "timeout", "execution.timeout"),
    ],
)
def test_limits_that_bigquery_enforces_have_their_codes(executor, sql, status, code):
    found = run(executor, sql)
    assert (found.outcome.status, found.failure_code) == (status, code)


def test_a_job_whose_worker_is_killed_is_canceled(executor, server):
    server.canceled.clear()
    found = run(executor, "SELECT name, total FROM sales.slow", timeout_s=3)
    assert (found.outcome.status, found.engine_class) == ("timeout", "killed")
    assert server.canceled == [server.inserted[-1]["jobId"]]
    assert executor.held == {}


def test_missing_default_credentials_make_a_target_unavailable(monkeypatch, tmp_path):
    """The worker sees the variables that the target declares, and no others."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    declared = ("HOME", "NO_GCE_CHECK")
    access = Access(environment=declared, cost=COST)
    target = Target.from_url("shop", f"bigquery://{PROJECT}/sales", access=access)
    with Executor([target], workers=1) as executor:
        found = run(executor, "SELECT 1")
    assert (found.reason, found.outcome.error) == (
        "target_unavailable",
        "the connection failed (DefaultCredentialsError)",
    )


def test_default_credentials_are_found_by_a_declared_variable(server, key_file, monkeypatch):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file))
    names = ("GOOGLE_APPLICATION_CREDENTIALS", "BIGQUERY_EMULATOR_HOST")
    url = f"bigquery://{PROJECT}/sales?location=EU"
    declared = Target.from_url("shop", url, access=Access(environment=names, cost=COST))
    before = server.logins
    with Executor([declared], workers=1) as executor:
        found = run(executor, "SELECT name, total FROM sales.orders")
    assert found.outcome.status == "ok", found
    assert server.logins > before
