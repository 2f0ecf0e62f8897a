from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

from sqlobs import Schema, Sqlobs
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector.running import wait_until
from tests.collector.test_units import why

SCHEMA = Schema.from_ddl(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, total REAL)", dialect="sqlite"
)
ANSWERS = {
    "How many orders?": "SELECT count(*) FROM orders",
    "What is the revenue?": "SELECT customer_revenue FROM orders",
    "How many regions?": "SELECT count(region) FROM orders",
}
REFERENCES = {
    "How many orders?": "SELECT count(id) FROM orders",
    "What is the revenue?": "SELECT sum(total) FROM orders",
    "How many regions?": "SELECT count(DISTINCT region) FROM orders",
}


@pytest.fixture
def library(monkeypatch):
    """The library in this process, sending to the collector alone."""
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED", "SQLOBS_COLLECTOR_HEADERS"):
        monkeypatch.delenv(name, raising=False)
    made = Sqlobs()
    yield made
    made.shutdown()


def test_a_decorated_function_s_requests_become_scores(launch, library, shop):
    """From the decorator to the score: units, schema, feedback and metrics, all of one request."""
    collector = launch(targets={"shop": {"url": f"sqlite:///{shop}", "default": True}})
    library.configure(service_name="sales", schema=SCHEMA, collector=collector.http)

    @library.trace_generation
    def answer(question: str) -> str:
        return ANSWERS[question]

    identities = {}
    for question in ANSWERS:
        with library.context(reference=REFERENCES[question]) as context:
            answer(question)
            identities[question] = context.generation.id
    library.record_feedback(identities["How many regions?"], kind="thumb", value="down")
    assert library.flush()

    def done() -> dict[str, dict] | None:
        paths = {
            question: path
            for question, identity in identities.items()
            for path in why(collector, identity)
        }
        is_done = len(paths) == len(ANSWERS) and all(
            path["state"] == "done" for path in paths.values()
        )
        return paths if is_done else None

    paths = wait_until(done, within_s=40)
    assert {
        question: (
            path["verdict"],
            path["failure_code"],
            *(label(path, metric) for metric in ("execution", "ex")),
        )
        for question, path in paths.items()
    } == {
        "How many orders?": ("ok", None, "pass", "pass"),
        "What is the revenue?": ("failed", "schema.unknown_column", "fail", "fail"),
        "How many regions?": ("ok", None, "pass", "fail"),
    }

    def has_feedback() -> bool:
        [path] = why(collector, identities["How many regions?"])
        return "feedback" in [step["step"] for step in path["steps"]]

    wait_until(has_feedback)

    with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
        [(version, document)] = connection.execute("SELECT version, document FROM schema_document")
        versions = connection.execute("SELECT DISTINCT schema_version FROM unit").fetchall()
    assert Schema.from_json(document) == SCHEMA
    assert versions == [(version,)] == [(SCHEMA.version,)]

    def counted() -> str | None:
        page = collector.metrics()
        return page if "sqlobs_generations_total{" in page else None

    library.flush()
    generations = [
        line.rpartition(" ")[2]
        for line in wait_until(counted).splitlines()
        if line.startswith("sqlobs_generations_total{") and 'service_name="sales"' in line
    ]
    assert sum(map(float, generations)) == len(ANSWERS)


def test_what_an_application_leaves_unchecked_raises_the_collector_s_gauge(launch, library):
    """From `check="off"` to the rate that the shipped rules alert on, without any target."""
    collector = launch()
    library.configure(service_name="sales", schema=SCHEMA, collector=collector.http, check="off")

    @library.trace_generation
    def answer(question: str) -> str:
        return ANSWERS[question]

    for question in ANSWERS:
        answer(question)
    assert library.flush()
    rate = re.compile(
        r'^sqlobs_quality_pass_rate{.*evaluation="schema_hallucination".*stat="weighted",'
        r'window="1h".*} (.*)$',
        re.MULTILINE,
    )

    def shown() -> float | None:
        found = rate.search(collector.metrics())
        return float(found[1]) if found else None

    # The gauge may be computed when some of the units are stored.
    assert wait_until(lambda: shown() == pytest.approx(2 / 3), within_s=40)
    headline = (
        r'^sqlobs_quality_pass_rate{.*evaluation="sql_correctness".*stat="raw",.*"1h".*} (.*)$'
    )
    found = re.search(headline, collector.metrics(), re.MULTILINE)
    assert found is not None
    assert float(found[1]) == pytest.approx(2 / 3)


def label(path: dict, metric: str) -> str | None:
    """The label of one evaluation of a path."""
    found = [step["label"] for step in path["steps"] if step.get("metric") == metric]
    return found[0] if found else None


def test_requests_beyond_a_quota_are_counted_by_the_sdk_and_not_sent_again(launch, library):
    """Both sides count each once; what came before is stored, and their spans are only relayed."""
    collector = launch(quotas={"default": {"requests_per_hour": 2}})
    library.configure(service_name="sales", schema=SCHEMA, collector=collector.http)

    @library.trace_generation
    def answer(question: str) -> str:
        return ANSWERS[question]

    def counts() -> tuple[list[float], list[float]]:
        page = collector.metrics()
        return tuple(
            [float(line.rpartition(" ")[2]) for line in page.splitlines() if re.match(name, line)]
            for name in (
                r'sqlobs_collector_rejected_total\{.*reason="quota"',
                r'sqlobs_export_failures_total\{.*service_name="sales"',
            )
        )

    for questions in (list(ANSWERS)[:2], ANSWERS):
        for question in questions:
            answer(question)
        assert library.flush()
    assert library.flush()
    wait_until(lambda: counts() == ([3.0], [3.0]), within_s=40)
    assert library.flush()
    assert counts() == ([3.0], [3.0])
    with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
        units = connection.execute("SELECT source, count(*) FROM unit GROUP BY 1 ORDER BY 1")
        assert units.fetchall() == [("unit", 2)]
