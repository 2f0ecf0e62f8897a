"""`sqlobs evaluate` without references, for all cases or for those that have none."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sqlobs.cli import main
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.judge.trust.calibration import Calibration
from sqlobs.judge.verdicts.reference_free import CHECKS
from sqlobs.judge.verdicts.roster import fingerprint_of
from sqlobs.runs.run import Run

RIGHT, INVENTED = "SELECT count(*) FROM orders", "SELECT sum(amount) FROM orders"
CASES = [
    {"id": "1", "question": "How many orders?", "gold": RIGHT, "prediction": RIGHT},
    {"id": "2", "question": "Their total?", "gold": RIGHT, "prediction": INVENTED},
    {"id": "3", "question": "The weather?", "gold": "None", "prediction": None},
    {
        "id": "4",
        "question": "The largest?",
        "gold": "",
        "prediction": "SELECT max(total) FROM orders",
    },
    {"id": "5", "question": "Customers?", "prediction": "SELECT customer FROM orders"},
]
JOIN = "SELECT sum(o.total) FROM orders AS o JOIN lines AS l ON l.order_id = o.id"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory with a database and a file of cases, some without a reference."""
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("shop.db")) as shop:
        shop.executescript(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total REAL);"
            "CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INTEGER);"
            "INSERT INTO orders VALUES (1, 'ann', 10), (2, 'bob', 20);"
            "INSERT INTO lines VALUES (1, 1), (2, 1), (3, 2);"
        )
    monkeypatch.setenv("SQLOBS_DSN", "sqlite:///shop.db")
    write("cases.jsonl", CASES)
    write("answers.jsonl", [{"question": c["question"], "sql": c["prediction"]} for c in CASES])
    return tmp_path


def write(name, records):
    """Write records as JSON Lines."""
    with Path(name).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def report(capsys, *options):
    """Return the JSON of `sqlobs report` about the newest run."""
    capsys.readouterr()
    main(["report", *options, "--json"])
    return json.loads(capsys.readouterr().out)


def test_cases_without_a_reference_count_in_no_match_rate(place, capsys):
    """They are named on stderr, and checked and run like the others."""
    assert main(["evaluate", "--input", "cases.jsonl"]) == 0
    shown = capsys.readouterr()
    assert "2 of 5 cases have no reference, such as 4" in shown.err
    assert "write None for a question that is unanswerable" in shown.err
    assert "ESM - 2/3 66.7%" in shown.out
    assert "EM  - 2/3 66.7%" in shown.out
    assert "not compared: 2 without a reference (excluded from match rates)" in shown.out
    document = report(capsys, "run/cases")
    assert (document["unanswerable"], document["without_reference"]) == (1, 2)
    assert document["gaps"] == {"no_reference": 2}
    totals = {
        name: document["figures"][name]["total"] for name in ("esm", "ex", "execution_pass_rate")
    }
    assert totals == {"esm": 3, "ex": 3, "execution_pass_rate": 4}
    again = Run.read(place / "run" / "cases")
    assert [case.has_reference for case in again.cases] == [True, True, True, False, False]
    assert [case.reason for case in again.cases[3:]] == ["no_reference", "no_reference"]
    assert main(["report", "run/cases", "--fail-on", "no_reference>0"]) == 1


def test_a_run_directory_keeps_which_references_are_missing(place, capsys):
    """Evaluating it again gives the same rates."""
    for _ in range(2):
        assert main(["evaluate", "--input", "cases.jsonl"]) == 0
        assert main(["evaluate", "--run-dir", "run/cases"]) == 0
        assert "ESM - 2/3 66.7%" in capsys.readouterr().out


def test_without_references_labels_and_execution_remain(place, capsys):
    """Rates, failure codes and gates; every report can be written."""
    files = [f"--output={name}" for name in ("r.html", "r.xlsx", "r.xml")]
    assert (
        main(
            [
                *("evaluate", "--input", "answers.jsonl", "--no-gold", *files),
                *("--summary", "r.md", "--fail-on", "schema_hallucination_rate>0"),
                *("--fail-on", "ex<0.5", "--fail-on", "pred_fail>1"),
            ]
        )
        == 1
    )
    shown = capsys.readouterr().out
    assert "EM  -" not in shown
    assert "ESM -" not in shown
    assert "Accepted by the engine" in shown
    assert "schema_hallucination_rate is 0.25" in shown
    assert "ex was not evaluated in this run: no case has a reference" in shown
    assert "pred_fail>1: passed, pred_fail is 1" in shown
    suites = ET.fromstring(Path("r.xml").read_text())  # noqa: S314 - our own
    tests = suites.findall("testsuite[1]/testcase")
    assert [[child.tag for child in test] for test in tests] == [
        [],
        ["failure"],
        ["skipped"],
        [],
        [],
    ]
    assert "Not compared: 5 without a reference" in (place / "r.md").read_text()
    assert "Not compared: 5 without a reference" in (place / "r.html").read_text()
    assert main(["inspect", "--run-dir", "run/answers"]) == 0
    assert "gold:     (no reference)" in capsys.readouterr().out


def test_runs_without_references_are_compared_by_what_they_have(place, capsys):
    """A newly invented column is a change of the rates, although no match is known."""
    assert main(["evaluate", "--input", "answers.jsonl", "--no-gold", "--run-dir", "run/a"]) == 0
    write("better.jsonl", [{"question": c["question"], "sql": RIGHT} for c in CASES])
    assert main(["evaluate", "--input", "better.jsonl", "--no-gold", "--run-dir", "run/b"]) == 0
    capsys.readouterr()
    compare = ["report", "--compare", "run/b", "run/a"]
    assert main([*compare, "--html", "c.html", "--summary", "c.md"]) == 0
    shown = capsys.readouterr().out
    assert "Schema hallucination" in shown
    assert main([*compare, "--fail-on", "schema_hallucination_rate>0"]) == 1
    assert "valid and grounded: 100.0% -> 75.0%" in shown
    assert main([*compare, "--fail-on", "broken>0"]) == 1
    assert "broken>0: failed, broken is 1" in capsys.readouterr().out
    assert "Valid and grounded goes" in (place / "c.html").read_text()


def _reply(request):
    """A judge that rejects what mentions `max`, and calls nothing dangerous."""
    system, is_good = request.system, "max(" not in request.fields["predicted_sql"]
    if "dangerous" in system + request.user:
        return ChatReply(json.dumps({"reasoning": "Harmless.", "dangerous": False}))
    if "checks" in system + request.user:
        check = {"ok": is_good, "evidence": "total", "explanation": "Not the maximum."}
        checks = {name: {**check, "ok": True} for name in CHECKS} | {"projection": check}
        return ChatReply(json.dumps({"reasoning": "Read.", "checks": checks}))
    return ChatReply(json.dumps({"reasoning": "Read.", "correct": is_good}))


def test_judges_without_a_reference_vote_and_are_corrected(place, capsys):
    """With facts in the prompt, texts in every report, rates with denominators, and the cost."""
    table = ((40, 2), (4, 36))
    calibration = Calibration(
        judge="flex_noref",
        model="recorded",
        prompt=fingerprint_of("flex_noref"),
        table=table,
        errors=0,
        strata={},
    )
    (place / "calibration.json").write_text(calibration.to_json())
    write(
        "more.jsonl", [*CASES[:2], *CASES[3:], {"id": "6", "question": "Sum?", "prediction": JOIN}]
    )
    with serving(_reply) as server:
        command = [
            *("evaluate", "--input", "more.jsonl", "--judge-url", server.base_url),
            *("--judge-model", "recorded", "--judge-price", "1", "2", "--judge", "flex_noref"),
            *("--judge", "adherence", "--judge", "injection", "--judge-votes", "3"),
            *("--judge-calibration", "calibration.json", "--html", "j.html", "--xlsx", "j.xlsx"),
        ]
        assert main(command) == 0
        asked = len(server.requests)
        facts = [each.fields.get("facts", "") for each in server.requests]
        assert main(command) == 0
        assert len(server.requests) == asked, "a repeated run pays for nothing"
    assert any("fan-out: SUM(o.total)" in text or "fan-out: sum(o.total)" in text for text in facts)
    assert any("schema.unknown_column" in text for text in facts)
    shown = capsys.readouterr().out
    assert "flex_noref: 3 of 5 judged, 60.0 %" in shown
    assert "corrected " in shown
    assert "adherence: 4 of 5 judged, 80.0 %" in shown
    assert "Judging: " in shown
    assert " USD, " in shown
    document = report(capsys, "run/more", "--where", "flex_noref = 0")
    assert document["total"] == 2
    document = report(capsys, "run/more")
    assert document["judge_rates"]["flex_noref"]["corrected"]["value"] == pytest.approx(
        (3 / 5 - 4 / 40) / (40 / 42 - 4 / 40)
    )
    assert document["judge_cost"]["usd"] > 0
    rates = {
        name: document["figures"][name]["count"]
        for name in ("flex_noref", "adherence_pass_rate", "injection_pass_rate")
    }
    assert rates == {"flex_noref": 3, "adherence_pass_rate": 4, "injection_pass_rate": 5}
    row = Run.read(place / "run" / "more").cases[2]
    assert row.verdicts["adherence"].correct is False
    assert "projection: Not the maximum." in row.verdicts["adherence"].explanation
    assert main(["inspect", "--run-dir", "run/more"]) == 0
    shown = capsys.readouterr().out
    assert "judge:    incorrect (adherence/" in shown
    assert "Judging: " in shown
    assert main(["report", "--compare", "run/more", "run/more", "--summary", "c.md"]) == 0
    assert "more: Judging: " in capsys.readouterr().out
    assert "more: Judging: " in (place / "c.md").read_text()
    assert "corrected " in (place / "j.html").read_text()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--no-gold", "--judge", "flex"],
            "--judge flex needs references, which --no-gold leaves out",
        ),
        (["--judge", "flex", "--judge", "rubric"], "choose one judge that needs references"),
        (["--judge", "adherence", "--judge-votes", "2"], "--judge-votes 2: give an odd number"),
        (["--judge-calibration", "x.json"], "--judge-calibration needs --judge"),
        (["--judge", "guess"], "unknown value of --judge: guess"),
        (["--no-gold", "--ves", "3"], "--ves needs references"),
        (["--no-gold", "--gold-templates"], "--gold-templates needs references"),
    ],
)
@pytest.mark.usefixtures("place")
def test_options_that_contradict_each_other_are_one_sentence(options, sentence, capsys):
    """Before anything runs or is paid for."""
    endpoint = ["--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "m"]
    extra = endpoint if "--judge" in options else []
    assert main(["evaluate", "--input", "cases.jsonl", *options, *extra]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1
