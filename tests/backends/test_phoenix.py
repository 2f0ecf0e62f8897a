"""What Phoenix shows of traces, evaluations and the demo; against the real server."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing, suppress
from datetime import datetime

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from sqlobs import Schema
from sqlobs.tracing.instance import Sqlobs
from tests.collector.running import RunningCollector, wait_until

pytestmark = [pytest.mark.backends, pytest.mark.slow, pytest.mark.timeout(600)]

DDL = "CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, total REAL)"
GOOD = "SELECT SUM(total) FROM orders WHERE region = 'Ada'"
BAD = "SELECT SUM(totl) FROM orders WHERE region = 'Ada'"
PROJECT = "shop"
OURS = ("invoke_workflow ", "sqlobs.", "chat ", "retrieval ")


def spans_of(url, project):
    """The spans of a project; none where it does not exist yet."""
    answer = httpx.get(f"{url}/v1/projects/{project}/spans", params={"limit": 1000})
    return answer.json()["data"] if answer.status_code == 200 else []


def annotations_of(url, project, spans):
    ids = [("span_ids", span["context"]["span_id"]) for span in spans]
    answer = httpx.get(
        f"{url}/v1/projects/{project}/span_annotations", params=[*ids, ("limit", 1000)]
    )
    return answer.json()["data"] if answer.status_code == 200 else []


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(DDL)
        connection.execute("INSERT INTO orders VALUES (1, 'Ada', 10), (2, 'Bo', 20)")
        connection.commit()
    return path


@pytest.fixture
def collector(tmp_path, phoenix, shop):
    """A collector that executes what it gets, and tells Phoenix."""
    target = {"url": f"sqlite:///{shop}", "default": True}
    running = RunningCollector(
        tmp_path / "data",
        **{"emit.url": phoenix, "emit.phoenix.url": phoenix, "targets": {"shop": target}},
    ).start()
    yield running
    running.stop()


def answer(collector, phoenix, shop, monkeypatch):
    """Two requests with their executions, one of which fails."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "span_only")
    provider = TracerProvider(
        resource=Resource({"service.name": "shop", "openinference.project.name": PROJECT})
    )
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{phoenix}/v1/traces")))
    instance = Sqlobs(
        tracer_provider=provider,
        collector=collector.http,
        schema=Schema.from_ddl(DDL, dialect="sqlite"),
    )
    with closing(sqlite3.connect(shop)) as connection:
        generate = instance.trace_generation(name="generate")(lambda question: question)
        run = instance.trace_execution(lambda sql: list(connection.execute(sql)))
        for sql in (GOOD, BAD):
            with instance.context(user="u1"), suppress(sqlite3.Error):
                run(generate(sql))
    assert instance.shutdown(20)
    provider.shutdown()


def test_phoenix_shows_errors_kinds_texts_and_annotations(phoenix, collector, shop, monkeypatch):
    """An error is red, each evaluated span is annotated, and no trace is stretched."""
    answer(collector, phoenix, shop, monkeypatch)
    generations, evaluated = [], []

    def have_arrived():
        spans = spans_of(phoenix, PROJECT)
        generations[:] = [one for one in spans if one["name"] == "invoke_workflow generate"]
        evaluated[:] = annotations_of(phoenix, PROJECT, generations)
        return len(generations) == 2 and len({one["span_id"] for one in evaluated}) == 2

    wait_until(have_arrived, within_s=90)
    spans = spans_of(phoenix, PROJECT)
    assert {span["span_kind"] for span in spans} == {"CHAIN", "TOOL"}
    good, bad = sorted(generations, key=lambda one: one["start_time"])
    assert (good["status_code"], bad["status_code"]) == ("UNSET", "ERROR")
    assert bad["status_message"] == "failed: schema.unknown_column"
    assert [event["name"] for event in bad["events"]] == ["sqlobs.finding"]
    assert good["attributes"]["input.value"] == GOOD
    assert good["attributes"]["output.value"] == GOOD.replace("'Ada'", "?")
    roots = sorted(
        (span for span in spans if span["name"] == "sqlobs.context"),
        key=lambda one: one["start_time"],
    )
    assert [root["status_code"] for root in roots] == ["UNSET", "ERROR"]
    assert [root["attributes"]["input.value"] for root in roots] == [GOOD, BAD]
    executions = [span for span in spans if span["name"] == "sqlobs.execute"]
    assert [one["status_message"] for one in executions if one["status_code"] == "ERROR"] == [
        "no such column: totl"
    ]
    by_name = Counter((one["name"], one["result"]["label"]) for one in evaluated)
    assert by_name["execution", "pass"] == 1
    assert_traces_are_as_long_as_their_requests(spans)


def assert_traces_are_as_long_as_their_requests(spans):
    """Evaluations are traces of their own, so a trace ends with its root."""
    for root in (span for span in spans if span["name"] == "sqlobs.context"):
        trace = [s for s in spans if s["context"]["trace_id"] == root["context"]["trace_id"]]
        assert len(trace) == 3
        ends = {moment(span["end_time"]) for span in trace}
        assert max(ends) == moment(root["end_time"])


def moment(text):
    return datetime.fromisoformat(text)


def test_evaluations_are_linked_traces_named_with_their_verdict(
    phoenix, collector, shop, monkeypatch
):
    """Phoenix files them under the service, as the kind EVALUATOR."""
    answer(collector, phoenix, shop, monkeypatch)

    def evaluations():
        spans = spans_of(phoenix, "default")
        return [span for span in spans if span["name"].startswith("sqlobs.evaluate execution ")]

    wait_until(lambda: len(evaluations()) >= 2, within_s=60)
    assert {span["span_kind"] for span in evaluations()} == {"EVALUATOR"}
    assert {span["name"] for span in evaluations()} >= {"sqlobs.evaluate execution pass"}
    assert {span["parent_id"] for span in evaluations()} == {None}


def test_the_demo_forwards_to_phoenix_without_a_refusal(phoenix, sqlobs_command, tmp_path):
    """Traces only, as Phoenix has no endpoint for metrics; it knows every span kind."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    command = [sqlobs_command, "demo", "--requests", "20", "--output", tmp_path]
    done = subprocess.run(
        [*command, "--forward", phoenix],
        env=kept,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")

    def requests():
        return [
            span
            for span in spans_of(phoenix, "default")
            if span["name"].startswith("invoke_workflow")
        ]

    wait_until(lambda: len(requests()) == 20, within_s=60)
    ours = [span for span in spans_of(phoenix, "default") if span["name"].startswith(OURS)]
    assert [span["name"] for span in ours if span["span_kind"] == "UNKNOWN"] == []
