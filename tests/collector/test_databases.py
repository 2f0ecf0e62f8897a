"""Recorded completions on real databases: the collector's scores against a direct script's."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from sqlobs import Sqlobs
from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector.running import wait_until
from tests.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = Callable[[str, str], "Table | None"]

pytestmark = [pytest.mark.shared, pytest.mark.timeout(600)]

Table = tuple[list[str], list[tuple]]


@pytest.fixture(scope="module")
def databases() -> Path:
    """The directory with cases, completions and databases; another one may be named."""
    found = os.environ.get("SQLOBS_DATABASES")
    if found is None and "SQLOBS_SHARED" in os.environ:
        found = next(Path(os.environ["SQLOBS_SHARED"]).glob("**/cases.jsonl")).parent
    if found is None:
        pytest.skip("neither SQLOBS_DATABASES nor SQLOBS_SHARED names databases")
    return Path(found)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def completions(databases: Path, dialect: str) -> Iterator[tuple[str, str, str]]:
    """Yield database, completion and reference."""
    references = {
        case["id"]: case["reference"][dialect]
        for case in lines(databases / "cases.jsonl")
        if dialect in case["reference"]
    }
    for path in (databases / "completions").glob(f"*.{dialect}.jsonl"):
        for record in lines(path):
            yield record["db"], record["completion"], references[record["id"]]


def replay(launch, databases: Path, dialect: str, urls: dict[str, str]) -> list[dict[str, tuple]]:
    """Send every completion through the decorator; return the scores in the order sent."""
    targets = {name: {"url": url, "limits": {"timeout_s": 20}} for name, url in urls.items()}
    collector = launch(targets=targets)
    library = Sqlobs(service_name="replay", dialect=dialect, collector=collector.http)

    @library.trace_generation
    def answer(completion: str) -> str:
        return completion

    sent = []
    for name, completion, reference in completions(databases, dialect):
        with library.context(target=name, reference=reference) as context:
            answer(completion)
        sent.append(context.generation.id.split("-")[1])
    assert library.flush(60)
    library.shutdown()

    def query(statement: str) -> list[tuple]:
        with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
            return connection.execute(statement).fetchall()

    waiting = "SELECT count(*) FROM unit WHERE state NOT IN ('queued', 'running', 'held')"
    wait_until(lambda: query(waiting) == [(len(sent),)], within_s=400)
    scores: dict[str, dict[str, tuple]] = {}
    for trace, metric, value, reason in query(
        "SELECT trace_id, metric, value, e.reason FROM evaluation e JOIN unit ON unit.id = unit_id"
    ):
        scores.setdefault(trace, {})[metric] = (value, reason)
    return [scores[trace] for trace in sent]


def compare(found: list[dict[str, tuple]], databases: Path, dialect: str, run: Run) -> None:
    """Hold every score against the script's; what was not scored has a reason."""
    expected = []
    for name, completion, reference in completions(databases, dialect):
        sql = extract_sql(completion, dialect=dialect).sql
        right = run(name, reference)
        expected.append(scored(right, run(name, sql) if sql else None) if right else None)
    reasons: Counter[str | None] = Counter()
    for scores, (ex_set, f1) in ((a, b) for a, b in zip(found, expected, strict=True) if b):
        reasons[scores["f1"][1]] += 1
        if scores["f1"][1] is None:
            assert (scores["ex_set"][0], scores["f1"][0]) == (ex_set, pytest.approx(f1))
    decided = reasons.pop(None)
    assert decided > 0.9 * len(found), reasons
    assert set(reasons) <= {"nondeterministic", "truncated", "refused"}
    print(f"{dialect}: {decided} of {len(found)} compared and equal; left out: {dict(reasons)}")  # noqa: T201 - the figure


def scored(reference: Table, predicted: Table | None) -> tuple[float, float]:
    """Score like SQLMorph's exact column and exact cell: set equality, and F1 over cells."""
    if predicted is None:
        return 0.0, 0.0
    (names, rows), (other_names, other_rows) = reference, predicted
    if set(rows) == set(other_rows):
        return 1.0, 1.0
    if not rows or not other_rows:
        return 0.0, 0.0
    shared = sorted((Counter(names) & Counter(other_names)).elements())
    projected = [
        Counter(tuple(row[index] for index in positions(own, shared)) for row in table)
        for own, table in ((names, rows), (other_names, other_rows))
    ]
    matched = (projected[0] & projected[1]).total() * len(shared)
    precision = matched / (len(other_rows) * len(other_names))
    recall = matched / (len(rows) * len(names))
    return 0.0, 2 * precision * recall / (precision + recall) if matched else 0.0


def positions(names: list[str], wanted: list[str]) -> list[int]:
    """The positions of some names; the k-th of a name stands for the k-th wanted."""
    seen: Counter[str] = Counter()
    found = []
    for name in wanted:
        places = [index for index, one in enumerate(names) if one == name]
        found.append(places[seen[name]])
        seen[name] += 1
    return found


def test_sqlite(launch, databases):
    """EX as sets and F1 of every completion are those of a plain driver's rows."""
    urls = {path.stem: f"sqlite:///{path}" for path in (databases / "sqlite").glob("*.sqlite")}

    def run(name: str, sql: str) -> Table | None:
        path = databases / "sqlite" / f"{name}.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            try:
                cursor = connection.execute(sql)
                return [column[0] for column in cursor.description], cursor.fetchall()
            except (sqlite3.Error, TypeError):
                return None

    compare(replay(launch, databases, "sqlite", urls), databases, "sqlite", run)


@pytest.mark.postgres
def test_postgres(launch, databases):
    """The same on PostgreSQL, the databases made from their scripts."""
    server = PostgresServer()
    try:
        server.start()
        urls = {}
        for path in (databases / "postgres").glob("*.sql"):
            with psycopg.connect(server.url(), autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{path.stem}"')
                connection.execute(f"ALTER DATABASE \"{path.stem}\" SET statement_timeout = '20s'")
            with psycopg.connect(server.url(path.stem)) as connection:
                connection.execute(path.read_text())
            urls[path.stem] = server.url(path.stem)

        def run(name: str, sql: str) -> Table | None:
            with psycopg.connect(urls[name]) as connection:
                try:
                    cursor = connection.execute(sql)
                    return [column.name for column in cursor.description], cursor.fetchall()
                except (psycopg.Error, TypeError):
                    return None

        compare(replay(launch, databases, "postgres", urls), databases, "postgres", run)
    finally:
        server.stop()
