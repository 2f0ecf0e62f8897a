"""One known mix of traffic, through a real SDK and a real collector: every surface, same numbers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
from collections import Counter
from dataclasses import dataclass
from itertools import product

import duckdb
import httpx
import openpyxl
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from sqlobs import Schema, Sqlobs, current_generation
from sqlobs.cli import main
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.monitoring.exposition import picked, read_metrics
from tests.collector.running import RunningCollector, wait_until

DDL = "CREATE TABLE orders (id INTEGER PRIMARY KEY, region VARCHAR(20), total DOUBLE PRECISION)"
ROWS = "INSERT INTO orders VALUES (1, 'north', 10), (2, 'south', 20)"
COUNT = "SELECT count(*) FROM orders"
OTHER = "SELECT count(*) + 1 FROM orders"
SUSPECT = "SELECT id FROM orders WHERE region = NULL"
INVENTED = "SELECT revenue FROM orders"
TENANTS = {"acme": ("shop", "sqlite"), "beta": ("store", "duckdb")}


@dataclass(frozen=True)
class Ending:
    """How a request ends, and what is known of it."""

    outcome: str
    verdict: str = "not_evaluated"
    labels: tuple[bool | None, bool | None] = (None, None)
    hallucinated: bool | None = None


ENDINGS = {
    "ok": Ending("answered", "ok", (True, True), hallucinated=False),
    "suspect": Ending("answered", "suspect", (True, True), hallucinated=False),
    "invented": Ending("answered", "failed", (True, False), hallucinated=True),
    "no_sql": Ending("answered", "failed", (False, None)),
    "undecided": Ending("answered"),
    "abstained": Ending("abstained"),
    "clarified": Ending("clarified"),
    "cancelled": Ending("cancelled"),
    "error": Ending("error"),
}
MIX = [*product(TENANTS, ENDINGS, (1, 2, 3))]
"""Tenant, ending and number of attempts of each request; all before the last invent a name."""
ON_PURPOSE = {"abstained", "clarified"}


def question(tenant, ending, attempts):
    return f"{tenant}, {ending}, {attempts}: how many orders?"


def final(ending, attempts):
    """Return what the function gives at last; only the first of the right answers is right."""
    answers = {
        "ok": COUNT if attempts == 1 else OTHER,
        "suspect": SUSPECT,
        "invented": INVENTED,
        "no_sql": "Add them up.",
        "undecided": object(),
        "abstained": "I am sorry, I cannot answer that.",
        "clarified": "Which year do you mean?",
    }
    if ending == "cancelled":
        raise asyncio.CancelledError
    if ending == "error":
        raise ValueError("no model")
    return answers[ending]


def expected_rates():
    """Numerator and denominator of every rate that the mix alone decides."""
    known = [(ENDINGS[ending], attempts) for _, ending, attempts in MIX]
    answered = [end for end, _ in known if end.outcome == "answered"]
    headline = [False not in end.labels for end in answered if end.labels != (None, None)]
    names = [end.hallucinated for end in answered if end.hallucinated is not None]
    first = [
        ("failed", True) if attempts > 1 else (end.verdict, end.hallucinated)
        for end, attempts in known
        if end.outcome not in ON_PURPOSE
    ]
    first_verdicts = [verdict != "failed" for verdict, _ in first if verdict != "not_evaluated"]
    first_names = [hallucinated for _, hallucinated in first if hallucinated is not None]
    decided = {
        "sql_correctness_pass_rate": headline,
        "schema_hallucination_rate": names,
        "first_attempt_pass_rate": first_verdicts,
        "first_attempt_schema_hallucination_rate": first_names,
        "abstained_rate": [end.outcome == "abstained" for end, _ in known],
        "clarified_rate": [end.outcome == "clarified" for end, _ in known],
    }
    return {name: (sum(values), len(values)) for name, values in decided.items()}


OUTCOMES = Counter(ENDINGS[ending].outcome for _, ending, _ in MIX)
VERDICTS = Counter((ENDINGS[ending].outcome, ENDINGS[ending].verdict) for _, ending, _ in MIX)
RATES = expected_rates()


@pytest.fixture(scope="module")
def engines(tmp_path_factory):
    """Two engines with the same two orders, and a golden file of their questions."""
    folder = tmp_path_factory.mktemp("engines")
    with contextlib.closing(sqlite3.connect(folder / "shop.db")) as shop:
        shop.executescript(f"{DDL}; {ROWS};")
    with contextlib.closing(duckdb.connect(str(folder / "store.duckdb"))) as store:
        store.execute(DDL)
        store.execute(ROWS)
    golden = [
        {"question": question(tenant, ending, attempts), "sql": COUNT, "target": TENANTS[tenant][0]}
        for tenant, ending, attempts in MIX
        if ending in {"ok", "invented"}
    ]
    (folder / "golden.jsonl").write_text("\n".join(map(json.dumps, golden)))
    return folder


@pytest.fixture(scope="module")
def judge():
    """A model that accepts what counts orders, and nothing else."""

    def respond(request):
        correct = request.fields["predicted_sql"] == COUNT
        return ChatReply(json.dumps({"reasoning": "because", "correct": correct}))

    with serving(respond) as server:
        yield server


@pytest.fixture(scope="module")
def sent(tmp_path_factory, engines, judge):
    """The mix, sent: the collector that has evaluated it, and the spans that were written."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED"):
            environment.delenv(name, raising=False)
        collector = RunningCollector(
            tmp_path_factory.mktemp("same") / "data",
            **{
                "targets": {
                    "shop": {"url": f"sqlite:///{engines / 'shop.db'}"},
                    "store": {"url": f"duckdb:///{engines / 'store.duckdb'}"},
                },
                "golden.file": str(engines / "golden.jsonl"),
                "judge.base_url": judge.base_url,
                "judge.model": "a-judge",
            },
        ).start()
        exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        library = Sqlobs(tracer_provider=provider)
        library.configure(service_name="sales", collector=collector.http)
        send(library)
        assert library.flush(60)
        wait_until(lambda: is_settled(collector), within_s=120)
        yield collector, exporter.get_finished_spans()
        library.shutdown()
        provider.shutdown()
        collector.stop()


def send(library):
    """Make each request of the mix once."""
    schemas = {
        tenant: Schema.from_ddl(DDL, dialect=dialect) for tenant, (_, dialect) in TENANTS.items()
    }

    @library.trace_generation(name="answer")
    def answer(question, ending, attempts):
        del question
        generation = current_generation()
        for number in range(1, attempts):
            assert not generation.attempt(f"SELECT ghost{number} FROM orders").ok
        return final(ending, attempts)

    for tenant, ending, attempts in MIX:
        with (
            library.context(schema=schemas[tenant], target=TENANTS[tenant][0], tenant=tenant),
            contextlib.suppress(ValueError, asyncio.CancelledError),
        ):
            answer(question(tenant, ending, attempts), ending, attempts)


def is_settled(collector):
    """Return whether all is evaluated and judged, and the gauges have seen it."""
    page = httpx.get(f"{collector.admin}/v1/units", headers=collector.bearer).json()
    if {unit["state"] for unit in page["units"]} & {"queued", "running", "held"}:
        return False
    samples = sampled(collector)
    waiting = picked(samples, "sqlobs_collector_queue_size")
    judged = Counter(
        one["metric"]
        for unit in page["units"]
        for one in unit["evaluations"]
        if one["label"] != "not_evaluated"
    )
    counted = {
        one.labels["evaluation"]: one.value
        for one in picked(samples, "sqlobs_quality_requests", window="7d")
    }
    generations = picked(samples, "sqlobs_generations_total")
    return (
        len(page["units"]) == len(MIX)
        and not any(one.value for one in waiting)
        and sum(one.value for one in generations) == len(MIX)
        and counted.get("outcome") == len(MIX)
        and all(
            counted.get(name) == judged[name] for name in ("execution", "ex", "flex", "flex_noref")
        )
    )


def sampled(collector):
    return read_metrics(collector.admin)


def gauges(collector, name, **labels):
    """Return one gauge of the last week as counted, by its own label or alone."""
    found = picked(sampled(collector), name, window="7d", **labels)
    return {
        tuple(v for k, v in one.labels.items() if k in {"outcome", "verdict"}): one.value
        for one in found
    }


@pytest.fixture
def document(sent, capsys):
    """What `sqlobs report --json` says."""
    collector, _ = sent
    capsys.readouterr()
    assert main(["report", "--admin", collector.admin, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_mix_is_what_it_is_meant_to_be():
    """54 requests; every outcome, and every verdict that an answer can have."""
    assert len(MIX) == 54
    assert {"answered": 30, **dict.fromkeys(set(OUTCOMES) - {"answered"}, 6)} == OUTCOMES
    assert {verdict for _, verdict in VERDICTS} == {"ok", "suspect", "failed", "not_evaluated"}
    assert RATES == {
        "sql_correctness_pass_rate": (12, 24),
        "schema_hallucination_rate": (6, 18),
        "first_attempt_pass_rate": (4, 36),
        "first_attempt_schema_hallucination_rate": (30, 34),
        "abstained_rate": (6, 54),
        "clarified_rate": (6, 54),
    }


def test_spans_show_the_known_mix(sent):
    """Each request is one span with its outcome and verdict."""
    _, spans = sent
    seen = Counter(
        (span.attributes["sqlobs.outcome"], span.attributes["sqlobs.verdict"])
        for span in spans
        if span.name == "invoke_workflow answer"
    )
    assert seen == VERDICTS


def test_metrics_show_the_known_mix(sent):
    """The SDK's counters, the collector's shares, and every rate with its denominator."""
    collector, _ = sent
    samples = sampled(collector)
    counted = Counter()
    for one in picked(samples, "sqlobs_generations_total"):
        counted[one.labels["sqlobs_outcome"], one.labels["sqlobs_verdict"]] += round(one.value)
    assert counted == VERDICTS
    shares = gauges(collector, "sqlobs_quality_outcome_share", stat="raw")
    assert {key[0]: round(share * len(MIX)) for key, share in shares.items()} == OUTCOMES
    verdicts = gauges(collector, "sqlobs_quality_verdict_share", stat="raw")
    answered = {verdict: n for (outcome, verdict), n in VERDICTS.items() if outcome == "answered"}
    assert {key[0]: round(share * 30) for key, share in verdicts.items()} == answered
    first = Counter()
    for one in picked(samples, "sqlobs_attempts_total", sqlobs_attempt_number="1"):
        first[one.labels["sqlobs_schema_hallucination_label"]] += round(one.value)
    count, total = RATES["first_attempt_schema_hallucination_rate"]
    assert (first["fail"], first["fail"] + first["pass"]) == (count, total)
    named = {name: rate for name, rate in RATES.items() if not re.match("abst|clar|sql", name)}
    for name, (count, total) in named.items():
        assert gauges(collector, f"sqlobs_{name}", stat="raw") == {(): count / total}
    shown = picked(
        samples, "sqlobs_quality_pass_rate", evaluation="sql_correctness", window="7d", stat="raw"
    )
    assert [one.value for one in shown] == [12 / 24]
    sizes = picked(samples, "sqlobs_quality_requests", evaluation="sql_correctness", window="7d")
    assert [one.value for one in sizes] == [24]


def test_why_tells_the_mix(sent, capsys):
    """The list of the latest requests, by outcome and verdict."""
    collector, _ = sent
    capsys.readouterr()
    asked = ["why", "--admin", collector.admin, "--verdict", "any", "--last", "100", "--json"]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert Counter((one["outcome"], one["verdict"]) for one in found) == VERDICTS


def test_watch_shows_the_known_mix(sent, capsys, document):
    """Requests, outcomes, verdicts of answers, and the same rates as the report."""
    collector, _ = sent
    capsys.readouterr()
    asked = ["watch", "--admin", collector.admin, "--once", "--window", "7d", "--json"]
    assert main(asked) == 0
    (view,) = json.loads(capsys.readouterr().out)["workflows"]
    assert view["requests"] == len(MIX)
    assert {name: round(share * 54) for name, share in view["outcomes"].items()} == OUTCOMES
    assert sum(view["verdicts"].values()) == pytest.approx(1)
    figures = {one["name"]: one["value"] for one in view["figures"]}
    titles = {
        "valid and grounded": "sql_correctness_pass_rate",
        "schema hallucination": "schema_hallucination_rate",
        "first-attempt pass rate": "first_attempt_pass_rate",
        "first-attempt hallucination": "first_attempt_schema_hallucination_rate",
        "runs": "execution_pass_rate",
        "EX": "ex",
        "judged correct, with reference": "flex",
        "judged correct, without": "flex_noref",
    }
    assert {titles[name]: value for name, value in figures.items() if name in titles} == {
        name: pytest.approx(document["figures"][name]["value"]) for name in titles.values()
    }


def test_the_console_shows_the_known_mix(sent, capsys, document):
    """The list, its export, the groups of failures and the comparison: the report's numbers."""
    collector, _ = sent

    def got(path):
        return httpx.get(collector.admin + path, headers=collector.bearer, timeout=30)

    page = got("/v1/requests?since=1h&limit=500").json()
    assert page["count"] == len(MIX)
    assert Counter((one["outcome"], one["verdict"]) for one in page["requests"]) == VERDICTS
    exported = [json.loads(line) for line in got("/v1/requests/export?since=1h").text.splitlines()]
    assert Counter((one["outcome"], one["verdict"]) for one in exported) == VERDICTS
    assert f"{len(MIX)} requests," in got("/requests?since=1h").text
    groups = got("/v1/failures?since=1h").json()["groups"]
    assert sum(one["requests"] for one in groups) == VERDICTS["answered", "failed"]
    assert {one["of"] for one in groups} == {OUTCOMES["answered"]}
    assert {one["name"]: one["requests"] for one in groups if one["name"]} == {
        "revenue": RATES["schema_hallucination_rate"][0]
    }
    capsys.readouterr()
    assert main(["report", "--admin", collector.admin, "--compare", "--at", "1h", "--json"]) == 0
    rates = {one["name"]: one["now"] for one in json.loads(capsys.readouterr().out)["rates"]}
    assert {name: (rates[name]["count"], rates[name]["of"]) for name in RATES} == RATES
    figures = document["figures"]
    counted = {name: (one["count"], one["total"]) for name, one in figures.items()}
    assert (rates["execution_pass_rate"]["count"], rates["execution_pass_rate"]["of"]) == counted[
        "execution_pass_rate"
    ]


def test_the_overview_shows_the_known_mix_and_the_alerts_that_watch_shows(sent, capsys):
    """Page, endpoint and terminal: the same rates, and the alerts that the notifier found."""
    collector, _ = sent

    def got(path):
        return httpx.get(collector.admin + path, headers=collector.bearer, timeout=30)

    alerts = wait_until(lambda: got("/v1/alerts").json()["alerts"], within_s=100)
    [about] = {one["labels"]["sqlobs_workflow"] for one in alerts}
    assert about == "answer"
    found = got("/v1/overview?since=7d").json()
    assert (found["requests"], found["alerts"]) == (len(MIX), alerts)
    shown = {one["name"]: (one["counted"], one["requests"]) for one in found["rates"]}
    assert shown["schema_hallucination_rate"] == RATES["schema_hallucination_rate"]
    assert shown["sql_correctness"] == RATES["sql_correctness_pass_rate"]
    assert shown["first_attempt_pass_rate"] == RATES["first_attempt_pass_rate"]
    page = got("/?since=7d").text
    assert all(f"{count} of {total}" in page for count, total in shown.values())
    assert all(one["alert"] in page for one in alerts)
    asked = ["watch", "--admin", collector.admin, "--once", "--window", "7d"]
    capsys.readouterr()
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["alerts"] == alerts
    assert main(asked) == 0
    text = capsys.readouterr().out
    assert all(one["alert"] in text for one in alerts)


def test_the_json_report_shows_the_known_mix_and_its_parts_add_up(document):
    """Numerators and denominators; each request is in exactly one part of every rate."""
    figures = document["figures"]
    assert {name: (figures[name]["count"], figures[name]["total"]) for name in RATES} == RATES
    of_all = [one for name, one in figures.items() if not name.endswith("_of_failures")]
    assert {one["total"] + one["not_evaluated"] for one in of_all} == {len(MIX)}
    assert sum(document["requests"].values()) == len(MIX)
    assert document["requests"] == {
        "valid_and_grounded": 12,
        "failed": 12,
        "not_evaluated": 6,
        "abstained": 6,
        "clarified": 6,
        "cancelled": 6,
        "error": 6,
    }
    assert (figures["ex"]["count"], figures["ex"]["total"]) == (2, 12)
    assert (figures["esm"]["count"], figures["esm"]["total"]) == (2, 12)


def test_page_terminal_workbook_and_gates_tell_the_same(sent, tmp_path, capsys):
    """The headline with its denominator, wherever it is read."""
    collector, _ = sent
    html, book = tmp_path / "report.html", tmp_path / "report.xlsx"
    capsys.readouterr()
    asked = ["report", "--admin", collector.admin, "--html", str(html), "--xlsx", str(book)]
    asked += ["--fail-on", "sql_correctness_pass_rate<40%"]
    asked += ["--fail-on", "schema_hallucination_rate>40%"]
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert "valid and grounded: 12 of 24 (50.0 %); of all 54: 12 valid and grounded" in told
    assert "sql_correctness_pass_rate is 50%" in told
    assert "schema_hallucination_rate is 33.33%" in told
    page = html.read_text(encoding="utf-8")
    assert "12 of 24 answers are valid and grounded in the schema" in page
    assert "6 not evaluated, 6 abstained, 6 clarified, 6 cancelled, 6 failed with an error" in page
    cells = [
        cell
        for row in openpyxl.load_workbook(book)["Summary"].iter_rows(values_only=True)
        for cell in row
        if isinstance(cell, str)
    ]
    for name, (count, total) in RATES.items():
        assert any(f"{count} of {total} ({name})" in cell for cell in cells), name
