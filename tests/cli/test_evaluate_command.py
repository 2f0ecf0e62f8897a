"""`sqlobs evaluate` and `sqlobs inspect` from the command line, on a real database."""

from __future__ import annotations

import json
import sqlite3

import pytest

from sqlobs.cli import main


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a database and one run, in which the command is called."""
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.executescript("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2);")
    connection.close()
    run = tmp_path / "run" / "run_20260101_000000"
    run.mkdir(parents=True)
    (run / "gold.txt").write_text("SELECT a FROM t\nSELECT max(a) FROM t\nNone\n")
    (run / "preds.txt").write_text("select A from T;\nSELECT min(a) FROM t\nNone\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQLOBS_DSN", f"sqlite:///{tmp_path}/shop.db")
    return tmp_path


def test_the_newest_run_is_evaluated_and_inspected(place, capsys):
    """Without arguments: the newest run, the DSN from the environment."""
    assert main(["evaluate"]) == 0
    shown = capsys.readouterr().out
    assert "EM  - 2/3 66.7% (of attempted: 2/3 66.7%)" in shown
    assert "ESM - 2/3 66.7% (of attempted: 2/3 66.7%)" in shown
    assert main(["inspect", "--max_examples", "1"]) == 0
    assert "SELECT min(a) FROM t" in capsys.readouterr().out


def test_statements_run_as_written(place, capsys):
    """A literal keeps its capitals in execution though exact match compares canonical text."""
    run = place / "run" / "run_20260101_000000"
    (run / "gold.txt").write_text("SELECT 'A' AS x\n")
    (run / "preds.txt").write_text("select 'A' as X\n")
    assert main(["evaluate", "--run-dir", str(run), "--json", "--exec-timeout", "5"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["em"]["pass"], document["esm"]["pass"]) == (1, 1)
    assert document["exec_timeout"] == 5


def test_cases_of_a_file_become_a_run(place, capsys):
    """`--input` with `--predictions` writes a run directory that can be evaluated again."""
    (place / "cases.jsonl").write_text('{"id": "x", "gold": "SELECT a FROM t"}\n')
    (place / "answers.jsonl").write_text('{"id": "x", "completion": "```SELECT a FROM t```"}\n')
    arguments = ["--input", "cases.jsonl", "--predictions", "answers.jsonl", "--no_em"]
    assert main(["evaluate", *arguments]) == 0
    first = capsys.readouterr().out
    assert "ESM - 1/1" in first
    assert main(["evaluate", "--run_dir", "run/cases", "--no_em"]) == 0
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--run_dir", "nowhere"], "nowhere: no such directory"),
        (["--input", "none.jsonl"], "none.jsonl: no such file or directory"),
        (["--input", "cases.csv"], "cases.csv holds no predictions: give --predictions"),
        (["--dsn", "sqlite:///none.db"], "cannot evaluate on sqlite:///none.db"),
        (["--exec_timeout", "0"], "0 is no whole number above 0"),
        (["--dsn", "nothing://x"], "cannot execute on 'nothing'"),
    ],
)
def test_bad_input_is_one_sentence(place, capsys, arguments, message):
    """Exit code 2, a sentence on stderr, no traceback."""
    (place / "cases.csv").write_text("question,solution\nx,SELECT 1\n")
    assert main(["evaluate", *arguments]) == 2
    found = capsys.readouterr().err
    assert found.startswith(("sqlobs evaluate: ", "sqlobs: "))
    assert message in found
    assert len(found.splitlines()) == 1


def test_without_a_database_nothing_can_be_executed(place, capsys, monkeypatch):
    """The remedy is named; with --no_esm none is needed."""
    monkeypatch.delenv("SQLOBS_DSN")
    assert main(["evaluate"]) == 2
    assert "give --dsn or SQLOBS_DSN, or --no_esm" in capsys.readouterr().err
    assert main(["evaluate", "--no_esm"]) == 0
    assert "ESM" not in capsys.readouterr().out
