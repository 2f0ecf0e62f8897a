"""`sqlobs report` of what a collector holds: from its admin port, and from its export."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime

import httpx
import pytest

from sqlobs.cli import main
from sqlobs_collector.cli import main as collector_main
from tests.collector import records
from tests.collector.running import RunningCollector, wait_until
from tests.collector.test_units import unit

COUNT = "SELECT count(*) FROM orders"
SEPARATED = "Orders of\u2028one region?"
"""A line separator, which is no end of a line of JSON."""
HOUR = 3600 * 10**9
START = (time.time_ns() // HOUR - 10) * HOUR
"""A time to come would be taken for now, and one long gone would be forgotten."""


def _asked(number, sql, *, reference=COUNT, probability=1.0, **named):
    texts = {"sqlobs.query.text": sql, "sqlobs.question.text": SEPARATED}
    if reference:
        texts["sqlobs.reference.query.text"] = reference
    return unit(
        number,
        body=texts,
        at_ns=START + number * HOUR,
        sqlobs__query__capture="raw",
        sqlobs__target__name="shop",
        sqlobs__dialect="sqlite",
        sqlobs__workflow="answer" if number % 2 else "explain",
        sqlobs__syntactic=True,
        sqlobs__outcome="answered",
        **{
            "sqlobs__schematic": True,
            "sqlobs__sampling__probability": probability,
            "sqlobs__usage__cost": 0.5,
            **named,
        },
    )


def _units():
    """Two answers that are right, a wrong one of a rare kind, an invented name, no reference."""
    return [
        _asked(1, COUNT),
        _asked(2, "SELECT count(id) FROM orders"),
        _asked(3, "SELECT 7", probability=0.02),
        _asked(
            4,
            "SELECT revenue FROM orders",
            sqlobs__verdict="failed",
            sqlobs__schematic=False,
            sqlobs__failure__code="schema.unknown_column",
            sqlobs__failure__codes=["schema.unknown_column", "schema.grouping"],
            sqlobs__hallucinated__columns=["revenue"],
            sqlobs__suggestions=["revenue -> total"],
        ),
        _asked(5, COUNT, reference=None),
    ]


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    """A collector that has evaluated five units."""
    folder = tmp_path_factory.mktemp("collector")
    shop = folder / "shop.db"
    with closing(sqlite3.connect(shop)) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL)")
        connection.execute("INSERT INTO orders VALUES (1, 2.5)")
        connection.commit()
    targets = {"shop": {"url": f"sqlite:///{shop}"}}
    running = RunningCollector(folder / "data", targets=targets).start()
    body = records.logs(*_units()).SerializeToString()
    headers = {"Content-Type": "application/x-protobuf"}
    answer = httpx.post(f"{running.http}/v1/logs", content=body, headers=headers)
    assert answer.status_code == 200
    wait_until(lambda: _states(running) == ["done"] * 5, within_s=40)
    yield running
    running.stop()


def _page(collector, **parameters):
    return httpx.get(
        f"{collector.admin}/v1/units", params=parameters, headers=collector.bearer
    ).json()


def _states(collector):
    return [one["state"] for one in _page(collector)["units"]]


@pytest.fixture
def export(collector, tmp_path):
    """What `sqlobs-collector export --texts` writes of it."""
    out = tmp_path / "units.jsonl"
    where = ["--data-dir", str(collector.config.data_dir)]
    assert collector_main(["export", "--texts", "--output", str(out), *where]) == 0
    return out


def _document(capsys, *arguments):
    assert main(["report", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_page_of_units_ends_with_the_id_to_go_on_from(collector):
    """The admin port and the export give one and the same; periods and targets choose."""
    first = _page(collector, until_ns=START + 3 * HOUR)
    assert [one["texts"]["sqlobs.query.text"] for one in first["units"]] == [
        COUNT,
        "SELECT count(id) FROM orders",
    ]
    assert first["units"][0]["attributes"]["sqlobs.usage.cost"] == 0.5
    rest = _page(collector, after=first["next"])
    assert len(rest["units"]) == 3
    assert _page(collector, after=rest["next"]) == {"units": [], "next": None}
    assert _page(collector, target="elsewhere") == {"units": [], "next": None}


def test_a_report_says_the_same_of_the_admin_port_and_of_an_export(collector, export, capsys):
    """Figures, codes, names, slices; only what the run is called differs."""
    asked = _document(capsys, "--admin", collector.admin)
    read = _document(capsys, str(export))
    assert asked.pop("name") == f"collector {collector.addresses.admin}"
    assert read.pop("name") == "units"
    assert asked == read


def test_rates_are_of_all_requests_not_of_those_that_were_kept(export, capsys):
    """A request that was kept with probability 1/50 stands for fifty: weights, and a warning."""
    figures = _document(capsys, str(export))["figures"]
    matched = figures["esm"]
    assert (matched["count"], matched["total"], matched["not_evaluated"]) == (2, 4, 1)
    assert matched["value"] == pytest.approx(2 / 53)
    assert matched["naive"] == 0.5
    assert matched["effective_count"] == pytest.approx(53**2 / (2500 + 3))
    assert (matched["weight_ratio"], matched["has_heavy_weights"]) == (50.0, True)
    assert figures["schematic_pass_rate"]["value"] == pytest.approx(53 / 54)
    assert figures["schema_hallucination_rate"]["value"] == pytest.approx(1 / 54)
    assert figures["execution_pass_rate"]["value"] == pytest.approx(53 / 54)


def test_weights_can_be_trimmed_and_the_report_says_so(export, capsys):
    """A bias for a narrower interval: only on request, and told."""
    document = _document(capsys, str(export), "--trim-weights", "5")
    matched = document["figures"]["esm"]
    assert matched["value"] == pytest.approx(2 / 8)
    assert (matched["weight_ratio"], matched["has_heavy_weights"]) == (5.0, False)
    note = "1 cases limited to 5 x the median weight: rates are biased toward requests with a high sampling probability"
    assert document["settings"]["trimmed_weights"] == note


def test_what_was_not_evaluated_is_in_no_rate_and_names_are_known(export, capsys):
    """A request without a reference fails nothing; the invented name comes with what was meant."""
    document = _document(capsys, str(export))
    assert document["esm_breakdown"] == {
        "ok": 2,
        "mismatch": 1,
        "skipped": 1,
        "non_select": 0,
        "gold_fail": 0,
        "pred_fail": 1,
        "timeout": 0,
        "other_error": 0,
    }
    assert document["esm"]["pass"] == 2
    assert document["unanswerable"] == 0
    assert document["failure_codes"] == {
        "result.mismatch": 1,
        "schema.grouping": 1,
        "schema.unknown_column": 1,
    }
    assert document["invented_names"] == [{"name": "revenue", "suggestion": "total", "cases": 1}]
    assert document["expenses"]["cost"]["per_correct"] == 2.5 / 2
    workflows = document["slices"]["workflow"]
    assert {name: level["total"] for name, level in workflows.items()} == {
        "answer": 3,
        "explain": 2,
    }


def test_the_terminal_shows_what_weights_do(collector, capsys):
    """The effective number of cases stands beside the count, with a warning where it is small."""
    assert (
        main(["report", "--admin", collector.admin, "--fail-on", "schema_hallucination_rate>2%"])
        == 0
    )
    shown = capsys.readouterr().out.splitlines()
    assert shown[:3] == [
        f"=== collector {collector.addresses.admin} ===",
        "requests: 5 ; compared with a reference: 4 ; judged: 0",
        "verdicts: 4 ok, 1 failed",
    ]
    line = next(line for line in shown if line.startswith("Execution match"))
    assert line.endswith("  2 of 4, worth 1 case, heavy weights (50 x)")
    assert (
        sum(
            line.startswith("Heavy weights: single cases weigh more than 20 times")
            for line in shown
        )
        == 1
    )
    assert shown[-1] == "schema_hallucination_rate>2%: passed, schema_hallucination_rate is 1.852%"


def test_files_are_written_of_production_too(export, tmp_path, capsys):
    """The page leads with what the checker says, which every request has."""
    html, xlsx, junit = (tmp_path / f"r.{kind}" for kind in ("html", "xlsx", "xml"))
    files = ["--html", str(html), "--xlsx", str(xlsx), "--junit", str(junit)]
    assert main(["report", str(export), *files]) == 0
    page = html.read_text(encoding="utf-8")
    assert "sqlobs <span>production</span>" in page
    assert "<strong>4 of 5 answers are valid and grounded in the schema</strong>" in page
    assert "Valid and grounded by kind of question" in page
    assert xlsx.stat().st_size > 0
    assert junit.read_text(encoding="utf-8").count("<testcase") == 5


def test_periods_and_targets_choose_among_the_lines_of_an_export(export, capsys):
    """As they choose among a collector's units."""
    since, until = (
        datetime.fromtimestamp((START + hours * HOUR) // 10**9, UTC).isoformat() for hours in (2, 4)
    )
    document = _document(capsys, str(export), "--since", since, "--until", until)
    assert (document["total"], document["settings"]) == (
        2,
        {"since": since, "until": until, "target": None},
    )
    assert main(["report", str(export), "--target", "elsewhere"]) == 2
    assert "units has no matching unit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["broken.jsonl"], "broken.jsonl, line 2: not JSON"),
        (["other.jsonl"], "other.jsonl, line 1: not a unit of a collector's export (trace_id:"),
        (["empty.jsonl"], "empty has no matching unit"),
        (
            ["other.jsonl", "--admin", "http://127.0.0.1:9"],
            "give either a collector (--admin URL) or a",
        ),
        (["--admin", "http://127.0.0.1:9"], "no collector responds at http://127.0.0.1:9"),
        ([".", "--since", "2026-01-01"], "--since cannot be combined with a run"),
        (["empty.jsonl", "--trim-weights", "0.5"], "0.5 is not a number of at least 1"),
        (["--compare", ".", "--admin"], "--admin cannot be combined with several runs"),
    ],
)
def test_an_invalid_report_gives_one_error_sentence(
    tmp_path, monkeypatch, capsys, arguments, sentence
):
    """Exit code 2, and what to do instead."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.jsonl").write_text("\n{")
    (tmp_path / "other.jsonl").write_text('{"question": "How many?"}')
    (tmp_path / "empty.jsonl").write_text("")
    assert main(["report", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1
