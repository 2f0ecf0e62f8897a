"""Verdicts of local engines in `sqlobs evaluate` and in the collector, beside the checker's."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from sqlobs import Schema
from sqlobs.cli import main
from sqlobs.scores.local_verdicts import LocalVerdicts
from sqlobs_collector.settings.evaluating import Evaluate
from tests.collector.test_evaluation import Evaluation
from tests.engines.test_conformance import SCHEMAS

SCHEMA = Schema.from_ddl("CREATE TABLE sales.orders (id INT64);", dialect="bigquery")
CASES = {
    "agree": "SELECT id FROM sales.orders",
    "missed": "SELECT id AS secret FROM sales.orders",
    "false_alarm": "SELECT idd FROM sales.orders",
    "silent": "SELECT id AS undecided FROM sales.orders",
}
"""By what becomes of them; the stand-in rejects `secret` and is silent about `undecided`."""


FIGURES = ("local_engine_pass_rate", "checker_agreement")


def evaluate(path, schema, cases, *options):
    """Evaluate predictions without references."""
    (path / "schema.json").write_text(schema.to_json())
    rows = [json.dumps({"id": name, "prediction": sql}) for name, sql in cases.items()]
    (path / "cases.jsonl").write_text("\n".join(rows))
    arguments = [
        "evaluate",
        "--input",
        "cases.jsonl",
        "--no-gold",
        "--schema",
        "schema.json",
        "--no-esm",
    ]
    return main([*arguments, *options])


def documents(path, capsys):
    """The report as JSON, and the cases by id."""
    capsys.readouterr()
    assert main(["report", "run/cases", "--json", "--output", "report.html"]) == 0
    lines = (path / "run/cases/eval/details.jsonl").read_text().splitlines()
    return json.loads(capsys.readouterr().out), {row["id"]: row for row in map(json.loads, lines)}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_evaluate_shows_the_verdicts_of_the_local_engine(stand_in, place, capsys):
    """In the terminal, in the rows, as rates and gates, in JSON and on the page."""
    gates = ("--fail-on", "checker_agreement<0.5", "--fail-on", "local_engine_pass_rate<0.9")
    assert evaluate(place, SCHEMA, CASES, "--local-engine", *gates) == 1
    shown = capsys.readouterr().out
    document, rows = documents(place, capsys)
    engine = rows["agree"]["local_engine"]["engine"]
    assert shown[shown.index("=== CHECKER") :].splitlines()[:4] == [
        "=== CHECKER AND LOCAL ENGINE ===",
        (
            "4 statements: 1 agree, 1 missed by the checker, 1 false alarm,"
            " 0 undecided by the checker, 1 by the engine"
        ),
        f"missed: {engine} rejects (schema.unknown_column: nothing); the checker accepts",
        f"false_alarm: {engine} accepts; the checker rejects (schema.unknown_column)",
    ]
    scores = {name: row["scores"]["local_engine"] for name, row in rows.items()}
    assert scores == {"agree": 1.0, "missed": 0.0, "false_alarm": 1.0, "silent": None}
    assert rows["silent"]["unscored"] == {"local_engine": "undecided"}
    accepted = {"engine": engine, "failure_code": None, "identifier": None}
    rejected = {"failure_code": "schema.unknown_column", "identifier": "nothing"}
    verdicts = {name: row["local_engine"] for name, row in rows.items()}
    assert verdicts == {
        "agree": accepted,
        "missed": accepted | rejected,
        "false_alarm": accepted,
        "silent": None,
    }
    counts = {name: document["figures"][name]["count"] for name in FIGURES}
    totals = {name: document["figures"][name]["total"] for name in FIGURES}
    assert (counts, totals) == (dict(zip(FIGURES, (2, 1), strict=True)), dict.fromkeys(FIGURES, 3))
    rest = {"sql": CASES["missed"], "checker": None, "engine": engine, **rejected}
    assert document["checker_disagreements"][0] == {"case": "missed", "standing": "missed", **rest}
    assert [one["case"] for one in document["checker_disagreements"]] == ["missed", "false_alarm"]
    page = (place / "report.html").read_text()
    assert "The checker and the local engine disagree." in page
    assert main(["report", "run/cases", "--where", "checker = missed"]) == 0
    assert "1 statement: 0 agree, 1 missed" in capsys.readouterr().out


def test_a_second_evaluation_has_new_verdicts(stand_in, place, capsys):
    """What an earlier one knew of the execution stays."""
    assert evaluate(place, SCHEMA, CASES) == 0
    assert "CHECKER AND LOCAL ENGINE" not in capsys.readouterr().out
    assert evaluate(place, SCHEMA, CASES, "--local-engine") == 0
    assert "4 statements: 1 agree" in capsys.readouterr().out


def test_a_schema_of_another_dialect_is_one_sentence(place, capsys):
    """Nothing is evaluated."""
    other = Schema.from_ddl("CREATE TABLE t (id INT);", dialect="postgres")
    assert evaluate(place, other, {"one": "SELECT id FROM t"}, "--local-engine") == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "sqlobs evaluate: a local engine needs a schema of BigQuery, Spark or ClickHouse; give"
        " --schema with --dialect, or --dsn"
    )


def test_evaluate_asks_the_engines_that_are_installed(dialect, place, capsys):
    """Each says the same as the checker of two plain statements."""
    cases = {"right": "SELECT name FROM customers", "wrong": "SELECT nme FROM customers"}
    assert evaluate(place, SCHEMAS[dialect], cases, "--local-engine") == 0
    assert "2 statements: 2 agree" in capsys.readouterr().out
    _, rows = documents(place, capsys)
    assert {name: row["scores"]["local_engine"] for name, row in rows.items()} == {
        "right": 1.0,
        "wrong": 0.0,
    }


@pytest.fixture
def collected(tmp_path):
    """A collector's evaluator without targets, which asks local engines."""
    stations = []

    def of(dialect, schema, **options):
        station = Evaluation(tmp_path, targets=[], local=LocalVerdicts([dialect]), **options)
        station.receive(schema.to_json().encode(), kind="schema", subject=schema.version)
        stations.append(station)
        return station

    yield of
    for station in stations:
        station.close()


def checked(schema, *, holds):
    """What an application that checked a statement sends of it."""
    return {
        "sqlobs__dialect": schema.dialect,
        "sqlobs__schema__version": schema.version,
        "sqlobs__syntactic": True,
        "sqlobs__schematic": holds,
    }


def test_the_collector_stores_and_counts_the_verdicts(stand_in, collected):
    """Beside the checker's; a silent engine is not compared."""
    station = collected("bigquery", SCHEMA)
    for number, (name, sql) in enumerate(CASES.items()):
        labels = checked(SCHEMA, holds=name != "false_alarm")
        station.evaluate(sql, number=number, **labels)
    rows = station.query(
        "SELECT label, kind, reason, explanation FROM evaluation WHERE metric = 'local_engine'"
        " ORDER BY unit_id"
    )
    assert rows == [
        ("pass", "engine", None, None),
        ("fail", "engine", None, "schema.unknown_column"),
        ("pass", "engine", None, None),
        ("not_evaluated", "engine", "undecided", None),
    ]
    counted = station.counts("evaluations", "evaluation", "label", of=station.evaluated)
    labels = {label: count for (name, label), count in counted.items() if name == "local_engine"}
    assert labels == {"pass": 2, "fail": 1, "not_evaluated": 1}
    matrix = station.counts("comparisons", "static_label", "engine_label", of=station.evaluated)
    assert matrix == {("pass", "pass"): 1, ("pass", "fail"): 1, ("fail", "pass"): 1}
    assert station.query("SELECT DISTINCT state, reason FROM unit") == [("done", "no_target")]


def test_the_collector_asks_the_engines_that_are_installed(dialect, collected):
    """With the schema that the application sent."""
    schema = SCHEMAS[dialect]
    station = collected(dialect, schema)
    scores = station.evaluate("SELECT nme FROM customers", **checked(schema, holds=False))
    assert scores["local_engine"] == ("fail", 0.0, None)


def test_other_dialects_and_declined_requests_are_not_asked(stand_in, collected):
    """They have no row at all."""
    station = collected("bigquery", SCHEMA)
    other = checked(SCHEMA, holds=True) | {"sqlobs__dialect": "postgres"}
    assert "local_engine" not in station.evaluate("SELECT id FROM sales.orders", **other)
    declined = checked(SCHEMA, holds=True) | {"sqlobs__outcome": "abstained"}
    assert "local_engine" not in station.evaluate("SELECT 1", **declined)


def test_an_unknown_local_engine_is_rejected():
    """The sentence names the valid ones."""
    with pytest.raises(ValidationError, match="'mysql' has no local engine: use bigquery, spark"):
        Evaluate(local_engines=["mysql"])
