"""Several techniques of partial credit in one run: each has the scores that it has alone."""

from __future__ import annotations

import json
import sqlite3

import pytest

from sqlobs.cli import main
from sqlobs.runs.run import Run

EXACT, FREE = "EXACT_COLUMN_AND_EXACT_CELL", "FREE_COLUMN_AND_PARTIAL_CELL"
FURTHER = ("exp_free_column_and_partial_cell", "exr_free_column_and_partial_cell", "f1_free_column_and_partial_cell")  # fmt: skip
CASES = [
    ("SELECT id, v FROM t", "SELECT id, v FROM t"),
    ("SELECT id, v FROM t", "SELECT v AS w FROM t WHERE id > 2"),
    ("SELECT id, v FROM t", "SELECT gone FROM t"),
    ("SELECT gone FROM t", "SELECT id FROM t"),
    ("None", "SELECT id FROM t"),
    ("SELECT id, v FROM t WHERE id < 0", "SELECT id FROM t"),
    ("SELECT a.id FROM t a, t b", "SELECT a.id FROM t a, t b ORDER BY 1"),
]
"""Equal, close, failing, without a reference's rows, unanswerable, empty, too large to fetch."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a database and cases."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("t.db") as connection:
        connection.execute("CREATE TABLE t (id INTEGER, v TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, f"v{n}") for n in range(6)])
    connection.close()
    lines = ({"gold": gold, "prediction": predicted} for gold, predicted in CASES)
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def evaluated(place, name, *techniques):
    """Evaluate with techniques and return the run."""
    chosen = [word for technique in techniques for word in ("--technique", technique)]
    fixed = ("--input", "cases.jsonl", "--dsn", "sqlite:///t.db", "--max-rows", "30")
    assert main(["evaluate", *fixed, "--run-dir", name, *chosen]) == 0
    return Run.read(place / name)


def credits_of(run, names):
    """Return the partial credit of each case, and why there is none."""
    return [[(case.scores.get(n), case.unscored.get(n)) for n in names] for case in run.cases]


def test_each_technique_has_the_scores_that_it_has_alone(place, capsys):
    """Also where a statement fails, nothing is expected, or a result is cut."""
    both = evaluated(place, "both", EXACT, FREE)
    parts = ("exp", "exr", "f1")
    assert credits_of(both, parts) == credits_of(evaluated(place, "exact", EXACT), parts)
    alone = credits_of(evaluated(place, "free", FREE), parts)
    assert credits_of(both, FURTHER) == alone
    assert alone[1] != credits_of(both, parts)[1]
    assert {case.cell_mode.get(FURTHER[0]) for case in both.cases} == {None, "text"}
    assert both.settings["technique"] == f"{EXACT}, {FREE}"
    capsys.readouterr()
    assert main(["report", "both", "--json", "--fail-on", f"{FURTHER[2]}<0.1"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert {name: figures[name]["total"] for name in FURTHER} == dict.fromkeys(FURTHER, 6)


def test_another_technique_needs_no_second_execution(place):
    """A rescored run has the techniques that it was asked for, from its stored results."""
    both = evaluated(place, "both", EXACT, FREE)
    evaluated(place, "later", EXACT)
    (place / "t.db").unlink()
    chosen = ("--technique", EXACT, "--technique", FREE, "--max-rows", "30")
    assert main(["evaluate", "--rescore", "later", *chosen]) == 0
    assert credits_of(Run.read(place / "later"), FURTHER) == credits_of(both, FURTHER)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ((FREE, FREE), f"--technique {FREE} is given twice; give each technique once"),
        (
            (EXACT, "EXECUTION_ACCURACY"),
            "--technique EXECUTION_ACCURACY credits no cells; omit it: `ex` is always computed",
        ),
    ],
)
def test_a_mistake_is_one_sentence(place, capsys, names, sentence):
    """Nothing is executed."""
    chosen = [word for name in names for word in ("--technique", name)]
    assert main(["evaluate", "--input", "cases.jsonl", "--dsn", "sqlite:///t.db", *chosen]) == 2
    assert capsys.readouterr().err == f"sqlobs evaluate: {sentence}\n"
