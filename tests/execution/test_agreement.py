"""Real statements on real databases: what comes of them is what a plain driver would have got."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs.check.policy import Policy
from sqlobs.execution.admission import Admission
from sqlobs.execution.executor import Executor
from sqlobs.execution.gate import admit
from sqlobs.execution.outcome import Execution, ExecutionRequest
from sqlobs.execution.target import Target
from tests.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def shared() -> Path:
    """The directory of corpora and databases."""
    if "SQLOBS_SHARED" not in os.environ:
        pytest.skip("SQLOBS_SHARED names no directory of corpora")
    return Path(os.environ["SQLOBS_SHARED"])


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_statements_that_engines_accept_pass_the_gate(shared: Path, dialect: str):
    """Of thousands of statements that a real engine accepted hardly one is rejected."""
    with gzip.open(shared / "corpora" / f"{dialect}.jsonl.gz", "rt") as lines:
        records = [json.loads(line) for line in lines]
    accepted = [record["sql"] for record in records if record["verdict"] == "ok"]
    refused = [
        sql
        for sql in accepted
        if not isinstance(admit(sql, dialect=dialect, policy=Policy()), Admission)
    ]
    assert len(accepted) > 5000
    assert len(refused) <= len(accepted) / 2000, refused


def pairs(shared: Path, dialect: str) -> Iterator[tuple[str, str, str]]:
    """Yield database, predicted SQL and reference SQL of all recorded completions."""
    databases = next(shared.glob("**/cases.jsonl")).parent
    cases = map(json.loads, (databases / "cases.jsonl").read_text().splitlines())
    references = {case["id"]: case["reference"] for case in cases}
    (completions,) = (databases / "completions").glob(f"*.{dialect}.jsonl")
    for record in map(json.loads, completions.read_text().splitlines()):
        found = extract_sql(record["completion"], dialect=dialect)
        reference = references[record["id"]].get(dialect)
        if found is not None and reference is not None:
            yield record["db"], found.sql, reference


def plain(run: Callable[[str], list[tuple[object, ...]]], sql: str) -> object:
    """Return the rows that a driver gives, or the word `error`."""
    try:
        return [tuple(map(comparable, row)) for row in run(sql)]
    except (sqlite3.Error, sqlite3.Warning, psycopg.Error):
        return "error"


def ours(execution: Execution) -> object:
    """Return the rows of an execution, or what became of it."""
    table = execution.outcome.table
    if table is None:
        return execution.outcome.status
    return [tuple(map(comparable, row)) for row in table.rows]


def comparable(cell: object) -> object:
    """Return a cell by its text, instants in one zone."""
    if isinstance(cell, dt.datetime) and cell.tzinfo:
        cell = cell.astimezone(dt.UTC)
    return str(cell)


def compare(
    shared: Path,
    dialect: str,
    executor: Executor,
    run: Callable[[str, str], list[tuple[object, ...]]],
) -> tuple[int, list[tuple[str, object, object]]]:
    """Return how many pairs ran, and where a plain driver got something else."""
    count, different = 0, []
    for database, predicted, reference in pairs(shared, dialect):
        outcome = executor.run(
            ExecutionRequest(sql=predicted, reference=reference, target=database)
        )
        for sql, execution in ((predicted, outcome.prediction), (reference, outcome.reference)):
            expected = plain(lambda text, database=database: run(database, text), sql)
            if ours(execution) != expected:
                different.append((sql, expected, execution))
        count += 1
    return count, different


def test_sqlite_completions_end_as_with_a_plain_driver(shared: Path):
    """Every recorded completion and its reference: the same rows or an error alike."""
    files = {path.stem: path for path in shared.glob("**/sqlite/*.sqlite")}
    targets = [Target.from_url(name, f"sqlite:///{path}") for name, path in files.items()]

    def run(database: str, sql: str) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(f"file:{files[database]}?mode=ro", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    with Executor(targets, workers=1) as executor:
        count, different = compare(shared, "sqlite", executor, run)
    assert count > 150
    assert different == []


@pytest.mark.postgres
def test_postgres_completions_end_as_with_a_plain_driver(shared: Path):
    """Every recorded completion and its reference: the same rows or an error alike."""
    scripts = {path.stem: path for path in shared.glob("**/postgres/*.sql")}
    server = PostgresServer()
    try:
        server.start()
        connections: dict[str, psycopg.Connection] = {}
        for name, path in scripts.items():
            with psycopg.connect(server.url(), autocommit=True) as admin:
                admin.execute(f'CREATE DATABASE "{name}"')
            connections[name] = psycopg.connect(server.url(name), autocommit=True)
            connections[name].execute(path.read_text())
        targets = [Target.from_url(name, server.url(name)) for name in scripts]
        with Executor(targets, workers=1) as executor:
            count, different = compare(
                shared,
                "postgres",
                executor,
                lambda database, sql: connections[database].execute(sql).fetchall(),
            )
        for connection in connections.values():
            connection.close()
    finally:
        server.stop()
    assert count > 150
    assert different == []
