from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from sqlobs import Schema, Sqlobs
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector.running import wait_until
from tests.collector.test_units import why

PREDICTIONS = int(os.environ.get("SQLOBS_REPLAY", "4000"))


@pytest.fixture(scope="module")
def corpora() -> Path:
    """Where the corpora lie."""
    if "SQLOBS_SHARED" not in os.environ:
        pytest.skip("SQLOBS_SHARED names no corpora")
    return Path(os.environ["SQLOBS_SHARED"]) / "corpora"


def lines(path: Path):
    """The records of a compressed JSONL file."""
    with gzip.open(path, "rt") as file:
        yield from map(json.loads, file)


@pytest.mark.shared
@pytest.mark.timeout(900)
def test_every_prediction_becomes_a_unit_and_all_counts_agree(launch, corpora, monkeypatch):
    """Decorator, wire, journal, store, counters and `why` tell of the same requests."""
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    collector = launch(sampling__rate=0.25)
    documents = {
        one["schema"]: one
        for one in lines(corpora / "schemas.jsonl.gz")
        if one["dialect"] == "sqlite"
    }
    schemas: dict[str, Schema] = {}
    library = Sqlobs(service_name="replay", dialect="sqlite", collector=collector.http)

    @library.trace_generation
    def answer(question: str) -> str:
        return question

    identities, asked = [], 0
    for prediction in lines(corpora / "sqlite.jsonl.gz"):
        name = prediction["schema"]
        if name not in schemas:
            schemas[name] = schema_of(documents[name])
        with library.context(schema=schemas[name]) as context:
            answer(prediction["sql"])
        identities.append(context.generation.id)
        asked += 1
        if asked == PREDICTIONS:
            break
        if asked % 200 == 0:
            assert library.flush(60)
    assert library.flush(60)
    library.shutdown()

    store = collector.config.data_dir / FILE_NAME

    def query(statement: str) -> list[tuple]:
        with closing(sqlite3.connect(store)) as connection:
            return connection.execute(statement).fetchall()

    wait_until(lambda: query("SELECT count(*) FROM unit") == [(asked,)], within_s=120)
    settled = "SELECT count(*) FROM unit WHERE state IN ('queued', 'held')"
    wait_until(lambda: query(settled) == [(0,)], within_s=300)
    in_store = Counter(dict(query("SELECT state, count(*) FROM unit GROUP BY state")))
    assert in_store.total() == asked
    assert {key for (key,) in query("SELECT '00-' || trace_id || '-' || span_id FROM unit")} == {
        identity.rpartition("-")[0] for identity in identities
    }

    page = collector.metrics()
    flow: Counter[str] = Counter()
    for line in page.splitlines():
        if line.startswith("sqlobs_collector_units_total{"):
            flow[line.split('state="')[1].split('"')[0]] += int(float(line.rpartition(" ")[2]))
    assert flow["received"] == asked
    assert flow["sampled_out"] == in_store["sampled_out"]
    assert flow["queued"] == asked - in_store["sampled_out"]
    assert flow["done"] == in_store["done"]

    with httpx.Client(headers=collector.bearer) as client:
        told = Counter(
            client.get(f"{collector.admin}/v1/why/{identity}").json()["units"][0]["state"]
            for identity in identities
        )
    assert told == in_store
    assert [unit["state"] for unit in why(collector, identities[0])] != []


def schema_of(document: dict) -> Schema:
    """The schema of a corpus record."""
    return Schema.from_ddl(";\n".join(document["ddl"]), dialect="sqlite")
