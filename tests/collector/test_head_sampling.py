from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from prometheus_client.parser import text_string_to_metric_families

from sqlobs import Schema, Sqlobs
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector.running import wait_until

REQUESTS = 300
SCHEMA = Schema.from_ddl(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, total REAL)", dialect="sqlite"
)
RIGHT = "SELECT count(*) FROM orders"
WRONG = "SELECT count(region) FROM orders"
INVENTED = "SELECT sum(revenue) FROM orders"
SHARES = {RIGHT: 0.6, WRONG: 0.3, INVENTED: 0.1}


class SeededIds(RandomIdGenerator):
    """The same traces in every run: an interval of 95 % misses one time in twenty."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def generate_trace_id(self) -> int:
        return self._random.getrandbits(128)

    def generate_span_id(self) -> int:
        return self._random.getrandbits(64)


@pytest.fixture
def library(launch, shop, monkeypatch):
    """A collector that evaluates a fifth, and the library in an application that records a few."""
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED", "SQLOBS_COLLECTOR_HEADERS"):
        monkeypatch.delenv(name, raising=False)
    collector = launch(
        sampling__rate=0.2, targets={"shop": {"url": f"sqlite:///{shop}", "default": True}}
    )
    sampler = ParentBased(TraceIdRatioBased(0.05))
    tracers = TracerProvider(sampler=sampler, id_generator=SeededIds(5))
    made = Sqlobs(
        service_name="sales", schema=SCHEMA, collector=collector.http, tracer_provider=tracers
    )
    yield collector, made, tracers.get_tracer("web")
    made.shutdown()
    tracers.shutdown()


def application(library: Sqlobs, tracer) -> FastAPI:
    """A service whose request spans are head-sampled, as an instrumentation makes them."""
    app = FastAPI()

    @app.middleware("http")
    async def trace_request(request, call_next):
        with tracer.start_as_current_span("GET /ask"):
            return await call_next(request)

    @library.trace_generation(reference=RIGHT)
    async def generate_sql(question: str) -> str:
        return question

    @app.get("/ask")
    async def ask(sql: str) -> dict[str, str]:
        return {"sql": await generate_sql(sql)}

    return app


def test_head_sampling_at_5_percent_loses_no_failure_and_biases_no_rate(library):
    """Every request is a unit; the kept set is full of failures, the weighted rates are right."""
    collector, sqlobs, tracer = library
    answers = random.Random(3).choices(list(SHARES), list(SHARES.values()), k=REQUESTS)
    with TestClient(application(sqlobs, tracer)) as client:
        for sql in answers:
            assert client.get("/ask", params={"sql": sql}).status_code == 200
    assert sqlobs.flush(60)

    def query(statement: str) -> list[tuple]:
        with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
            return connection.execute(statement).fetchall()

    settled = "SELECT count(*) FROM unit WHERE state IN ('done', 'sampled_out')"
    wait_until(lambda: query(settled) == [(REQUESTS,)], within_s=50)
    [(recorded,)] = query("SELECT count(*) FROM unit WHERE trace_sampled")
    assert 0.01 * REQUESTS < recorded < 0.12 * REQUESTS
    invented = answers.count(INVENTED)
    assert query("SELECT state, count(*) FROM unit WHERE verdict = 'failed' GROUP BY 1") == [
        ("done", invented)
    ]
    assert query("SELECT DISTINCT head_probability FROM unit") == [(1.0,)]

    [(right, kept)] = query(
        "SELECT sum(label = 'pass'), count(*) FROM evaluation WHERE metric = 'ex'"
    )
    truth = answers.count(RIGHT) / REQUESTS
    raw = pytest.approx(right / kept)
    figures = wait_until(
        lambda: found if (found := rates(collector).get("ex", {})).get("raw") == raw else None,
        within_s=30,
    )
    assert figures["weighted_lower"] <= truth <= figures["weighted_upper"]
    assert abs(figures["raw"] - truth) > abs(figures["weighted"] - truth)
    hallucinated = rates(collector)["schema_hallucination"]
    assert hallucinated["raw"] == hallucinated["weighted"] == 1 - invented / REQUESTS


def rates(collector) -> dict[str, dict[str, float]]:
    """The quality rates of the last hour, by evaluation and statistic."""
    found: dict[str, dict[str, float]] = {}
    page = collector.metrics()
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            if sample.name == "sqlobs_quality_pass_rate" and sample.labels["window"] == "1h":
                known = found.setdefault(sample.labels["evaluation"], {})
                known[sample.labels["stat"]] = sample.value
    return found
