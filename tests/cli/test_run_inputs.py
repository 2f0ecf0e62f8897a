"""A run's directory remembers what decided about its cases: evaluated again, or only rescored."""

from __future__ import annotations

import json

import pytest

from sqlobs.cli import main
from sqlobs.runs.run import Run
from tests.cli.test_benchmarks import QUESTIONS, ROWS, TABLES, database

RAISED = "def test_case(*_):\n    assert 1 == 1"


@pytest.fixture
def school(tmp_path, monkeypatch):
    """A folder with a database, Spider's tables, a result in a file, and cases."""
    monkeypatch.chdir(tmp_path)
    database(tmp_path / "school.sqlite", ROWS)
    (tmp_path / "tables.json").write_text(json.dumps([TABLES]))
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "q0.csv").write_text("Name\nAnn\nBo\nCy\n")
    return tmp_path


def write(path, *records):
    """Write records as JSON Lines."""
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def evaluate(*more):
    """Evaluate on the school's database."""
    return main(["evaluate", "--dsn", "sqlite:///school.sqlite", *more])


def again(place, *more):
    """Evaluate the run once more from its directory, then rescore it; return the three runs."""
    runs = [Run.read(place / "r")]
    assert evaluate("--run-dir", "r", *more) == 0
    runs.append(Run.read(place / "r"))
    assert main(["evaluate", "--rescore", "r"]) == 0
    return [*runs, Run.read(place / "r")]


def test_spiders_tables_are_remembered(school, capsys):
    """The parts of Spider's match and its hardness stay; without the file, one sentence says so."""
    cases = [
        {"db_id": "school", "question": "?", "query": gold, "prediction": predicted}
        for gold, predicted in QUESTIONS
    ]
    write(school / "cases.jsonl", *cases)
    given = ("--input", "cases.jsonl", "--run-dir", "r", "--spider-tables", "tables.json")
    assert evaluate(*given) == 0
    found = [
        [(case.scores.get("spider_em"), case.difficulty, case.clauses) for case in run.cases]
        for run in again(school)
    ]
    assert found[0] == found[1] == found[2]
    assert found[0][0][2] is not None
    (school / "tables.json").rename(school / "moved.json")
    capsys.readouterr()
    anew = ("--run-dir", "r", "--dsn", "sqlite:///school.sqlite")
    for command in (("--rescore", "r"), anew):
        assert main(["evaluate", *command]) == 2
        assert "does not exist; give its place with --spider-tables FILE" in capsys.readouterr().err
    assert evaluate("--run-dir", "r", "--spider-tables", "moved.json") == 0
    assert main(["evaluate", "--rescore", "r"]) == 0


def test_results_in_files_are_remembered(school):
    """A case without a reference of SQL is not read as unanswerable the second time."""
    write(
        school / "cases.jsonl",
        {"id": "q0", "question": "?", "prediction": "SELECT Name FROM Pupil"},
        {"id": "q1", "question": "?", "gold": "SELECT 1", "prediction": "SELECT 2"},
    )
    given = ("--input", "cases.jsonl", "--run-dir", "r", "--gold-results", "gold")
    assert evaluate(*given) == 0
    found = [[(case.bucket, case.decided_by) for case in run.cases] for run in again(school)]
    assert found == [[("ok", "results"), ("mismatch", "reference")]] * 3


def test_test_cases_are_kept_and_run_only_if_they_are_asked_for(school, capsys):
    """They are code: the directory alone runs none of them, and the command says so."""
    task = {
        "selected_database": "school",
        "query": "What?",
        "preprocess_sql": ["DELETE FROM Mark"],
        "test_cases": [RAISED],
        "pred_sqls": ["SELECT Name FROM Pupil"],
    }
    write(
        school / "tasks.jsonl",
        {**task, "instance_id": "with", "sol_sql": ["SELECT Name FROM Pupil"]},
        {**task, "instance_id": "without", "sol_sql": []},
    )
    given = ("--input", "tasks.jsonl", "--run-dir", "r", "--run-test-cases")
    assert evaluate(*given) == 0
    for _ in range(2):
        cases = Run.read(school / "r").cases
        found = [(case.bucket, case.scores.get("tests_pass")) for case in cases]
        assert found == [("ok", 1.0), ("ok", 1.0)]
        assert evaluate("--run-dir", "r", "--run-test-cases") == 0
    capsys.readouterr()
    assert evaluate("--run-dir", "r") == 0
    assert "2 cases have test cases or setup; --run-test-cases runs" in capsys.readouterr().err
    cases = Run.read(school / "r").cases
    assert [(case.bucket, case.has_reference) for case in cases] == [("ok", True), ("skipped", False)]  # fmt: skip
    write(school / "plain.jsonl", {"gold": "SELECT 1", "prediction": "SELECT 1"})
    assert evaluate("--input", "plain.jsonl", "--run-test-cases") == 2
    assert "plain.jsonl: no case has test cases or setup" in capsys.readouterr().err


def test_what_was_skipped_is_counted_in_every_later_report(school, capsys):
    """Cases and predictions of another dialect, and predictions of no case, with their reasons."""
    write(
        school / "cases.jsonl",
        {"id": "a", "question": "?", "gold": "SELECT 1"},
        {"id": "b", "question": "?", "gold": "SELECT 1", "dialect": "oracle"},
    )
    write(
        school / "answers.jsonl",
        {"id": "a", "prediction": "SELECT 1"},
        {"id": "b", "prediction": "SELECT 1", "dialect": "oracle"},
        {"id": "c", "prediction": "SELECT 1"},
    )
    given = ("--input", "cases.jsonl", "--predictions", "answers.jsonl", "--run-dir", "r")
    assert evaluate(*given) == 0
    shown = capsys.readouterr()
    assert "predictions skipped: 1 belong to no case, such as c" in shown.err
    assert "1 predictions skipped: another dialect" in shown.out
    wanted = {"other_dialect": 1, "prediction_other_dialect": 1, "prediction_no_case": 1}
    assert [dict(run.left_out) for run in again(school)] == [wanted] * 3
    capsys.readouterr()
    assert main(["report", "r", "--fail-on", "prediction_no_case>0"]) == 1


def test_a_rescored_run_has_the_hints_and_the_name_of_its_system(school):
    """A judge and a metric of the user's own see the hints again."""
    case = {"id": "a", "question": "?", "evidence": "in cents", "gold": "SELECT 1"}
    write(school / "cases.jsonl", {**case, "prediction": "SELECT 1"})
    given = ("--input", "cases.jsonl", "--run-dir", "r", "--system", "ours")
    assert evaluate(*given) == 0
    assert main(["evaluate", "--rescore", "r"]) == 0
    run = Run.read(school / "r")
    assert (run.cases[0].hint, run.settings["model"]) == ("in cents", "ours")


def test_a_broken_file_is_one_sentence(school, capsys):
    """Nothing is evaluated with other inputs than the first time."""
    write(school / "cases.jsonl", {"gold": "SELECT 1", "prediction": "SELECT 1"})
    assert evaluate("--input", "cases.jsonl", "--run-dir", "r") == 0
    (school / "r" / "inputs.json").write_text("[]")
    capsys.readouterr()
    assert evaluate("--run-dir", "r") == 2
    assert capsys.readouterr().err == (
        "sqlobs evaluate: r/inputs.json is broken; delete it, or evaluate with --input\n"
    )
