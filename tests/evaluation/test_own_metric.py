"""Metrics of the user's own: declared, computed, shown everywhere, and never a crash."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

import openpyxl
import pytest

from sqlobs.cli import main
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.runs.run import Run
from sqlobs.scores.registry import CASE_SCORES, OWN_SCORES, SHOWN_SCORES

METRICS = '''
"""Metrics of a user."""
from sqlobs.evaluation import MetricCase, metric


@metric(needs=["rows", "reference"], high=None, better="lower", title="Extra rows")
def extra_rows(case: MetricCase) -> int:
    """Rows that the reference does not have."""
    return max(0, len(case.predicted.rows) - len(case.reference.rows))


@metric(is_share=True)
def has_limit(case):
    return "LIMIT" in (case.predicted_sql or "")


@metric()
def fails_on_two(case):
    if case.id == "q2":
        raise KeyError("no such thing")
    return 0.5


@metric()
def too_high(case):
    return 7


@metric(needs=["judge"])
def judged(case):
    return float(case.judge.correct)


def plain(case):
    return case.scores["f1"]


@metric(name="ex")
def taken(case):
    return 1


@metric(needs=["money"])
def strange(case):
    return 1


@metric(low=1, high=1)
def empty(case):
    return 1
'''
SQL = {
    "q0": "SELECT a FROM t",
    "q1": "SELECT a FROM t LIMIT 1",
    "q2": "SELECT nothing FROM t",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three cases, a database, and a module with metrics."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_metrics", raising=False)
    (tmp_path / "my_metrics.py").write_text(METRICS)
    with sqlite3.connect("t.db") as connection:
        connection.executescript("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2);")
    connection.close()
    lines = (
        {"id": name, "question": "?", "sql": "SELECT a FROM t WHERE a = 1", "prediction": sql}
        for name, sql in SQL.items()
    )
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    yield tmp_path
    for name in [*OWN_SCORES]:  # the scores of other tests stay as they are
        for known in (CASE_SCORES, SHOWN_SCORES, OWN_SCORES):
            del known[name]


def evaluate(*more, name="run/one"):
    """Evaluate the cases into a run."""
    place = ("--dsn", "sqlite:///t.db", "--run-dir", name)
    return main(["evaluate", "--input", "cases.jsonl", *place, *more])


def test_a_metric_is_in_terminal_page_workbook_json_and_gates(folder, capsys):
    """One that counts, lower is better; one that is a share; one with the defaults."""
    names = ("extra_rows", "has_limit", "plain")
    more = [part for name in names for part in ("--metric", f"my_metrics:{name}")]
    pages = ("--html", "page.html", "--xlsx", "book.xlsx")
    gate = ("--fail-on", "extra_rows>0.4", "--fail-on", "has_limit<10%")
    assert evaluate(*more, *pages, *gate) == 1
    told = capsys.readouterr().out
    assert "=== FURTHER METRICS, 95 % intervals ===\nExtra rows" in told
    assert "extra_rows>0.4: failed, extra_rows is 0.5" in told
    assert "has_limit<10%: passed, has_limit is 33.33%" in told
    run = Run.read(folder / "run" / "one")
    assert [case.scores["extra_rows"] for case in run.cases] == [1, 0, None]
    assert run.cases[2].unscored["extra_rows"] == "no_rows"
    assert [case.scores["has_limit"] for case in run.cases] == [0, 1, 0]
    assert [case.scores["plain"] for case in run.cases] == [case.scores["f1"] for case in run.cases]
    assert "Extra rows" in (folder / "page.html").read_text()
    headers = [cell.value for cell in openpyxl.load_workbook("book.xlsx")["Details"][2]]
    assert {"Extra rows", "Has limit", "Plain"} <= set(headers)
    (folder / "my_metrics.py").unlink()  # a report needs none of the user's code
    command = [sys.executable, "-m", "sqlobs", "report", "run/one"]
    asked = [*command, "--json", "--fail-on", "extra_rows>0.4"]
    shown = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert shown.returncode == 1
    figure = json.loads(shown.stdout)["figures"]["extra_rows"]
    assert (figure["value"], figure["total"], figure["better"]) == (0.5, 2, "lower")


def test_runs_are_compared_and_filtered_by_a_metric(folder, capsys):
    """The comparison tests it like any score, and knows that lower is better."""
    more = ("--metric", "my_metrics:extra_rows")
    assert evaluate(*more) == 0
    text = (folder / "cases.jsonl").read_text()
    (folder / "cases.jsonl").write_text(
        text.replace('SELECT a FROM t"', 'SELECT 1 FROM t LIMIT 1"')
    )
    assert evaluate(*more, name="run/two") == 0
    capsys.readouterr()
    assert main(["report", "--compare", "run/one", "run/two", "--json"]) == 0
    [pair] = json.loads(capsys.readouterr().out)["pairs"]
    figure = pair["figures"]["extra_rows"]
    assert (figure["before"], figure["after"]) == (0.5, 0)
    assert (len(figure["improved"]), figure["worsened"]) == (1, [])
    assert main(["report", "run/one", "--where", "extra_rows > 0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 1


def test_an_error_is_one_sentence_and_the_case_is_not_scored(folder, capsys):
    """The run goes on; a value outside the declared range is an error, too."""
    more = ("--metric", "my_metrics:fails_on_two", "--metric", "my_metrics:too_high")
    assert evaluate(*more) == 0
    fault = "ValueError: 7 is outside the declared range 0 to 1"
    not_scored = "cases, which it does not score; on case"
    told = [
        f"metric fails_on_two failed on 1 of 3 {not_scored} q2: KeyError: 'no such thing'",
        f"metric too_high failed on 3 of 3 {not_scored} q0: {fault}",
    ]
    assert capsys.readouterr().err.splitlines()[-2:] == told
    run = Run.read(folder / "run" / "one")
    assert [case.scores["fails_on_two"] for case in run.cases] == [0.5, 0.5, None]


def test_a_metric_that_needs_a_judge_sees_its_verdict(folder):
    """A case without a verdict has no score."""

    def respond(request):
        return ChatReply(json.dumps({"reasoning": "?", "correct": "LIMIT" in request.user}))

    with serving(respond) as server:
        judge = ("--judge-url", server.base_url, "--judge-model", "m")
        assert evaluate("--metric", "my_metrics:judged", *judge) == 0
    run = Run.read(folder / "run" / "one")
    assert [case.scores["judged"] for case in run.cases] == [0, 1, 0]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("nowhere:f",), "--metric nowhere:f: ModuleNotFoundError"),
        (("my_metrics:nothing",), "--metric my_metrics:nothing: AttributeError"),
        (("my_metrics:__doc__",), "--metric my_metrics:__doc__ is not a function"),
        (("unknown",), "--metric unknown: write module:function, or the name of an entry point"),
        (("my_metrics:taken",), "the name ex is taken by a score of sqlobs"),
        (("my_metrics:strange",), "unknown need 'money'; known are reference, execution, rows"),
        (("my_metrics:empty",), "the range 1 to 1 is empty or not of numbers"),
        (("my_metrics:judged",), "the metric judged needs a judge; give --judge"),
        (("my_metrics:extra_rows", "--no-esm"), "extra_rows needs results; omit --no-esm"),
        (("my_metrics:plain", "--metric", "my_metrics:plain"), "two metrics have the name plain"),
    ],
)
def test_a_wrong_metric_is_reported_before_anything_runs(capsys, given, message):
    """One sentence, exit 2."""
    assert evaluate("--metric", *given) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_an_installed_package_offers_metrics_by_name(folder, monkeypatch, capsys):
    """Its entry point is found without a module's name, and rescoring computes it, too."""
    installed = folder / "installed"
    about = installed / "our_metrics-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: our-metrics\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[sqlobs.metrics]\nsurplus = my_metrics:extra_rows\n")
    monkeypatch.syspath_prepend(str(installed))
    assert evaluate("--metric", "surplus") == 0
    first = [case.scores.get("extra_rows") for case in Run.read(folder / "run" / "one").cases]
    assert evaluate(name="run/plain") == 0
    assert main(["evaluate", "--rescore", "run/plain", "--metric", "surplus"]) == 0
    later = Run.read(folder / "run" / "plain")
    assert [case.scores.get("extra_rows") for case in later.cases] == first == [1.0, 0.0, None]
    assert [declared.name for declared in later.metrics] == ["extra_rows"]
    capsys.readouterr()
    assert evaluate("--metric", "suplus") == 2
    assert "installed are surplus" in capsys.readouterr().err
