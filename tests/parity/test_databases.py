"""Evaluation gives the figures of a direct script."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.execution_accuracy import ex, ex_set
from sqlobs.metrics.order_by import ordering_of
from sqlobs.types import ResultTable
from tests.parity import databases, direct

GOLD = {
    "all": ("SELECT {id, name} FROM t", "SELECT name FROM t"),
    "few": ("SELECT count(*) FROM t", "SELECT count(*) FROM t WHERE id > 1"),
    "gone": ("SELECT id FROM t", "SELECT idd FROM t"),
    "tie": (
        "SELECT name, kind FROM t ORDER BY kind",
        "SELECT name, kind FROM t ORDER BY kind, id DESC",
    ),
    "order": ("SELECT id FROM t ORDER BY id", "SELECT id FROM t ORDER BY id DESC"),
}


def test_a_small_set_has_the_direct_scripts_figures(tmp_path, capsys):
    """Alternatives, ties, errors: decided alike by two programs."""
    (tmp_path / "sqlite").mkdir()
    (tmp_path / "completions").mkdir()
    with sqlite3.connect(tmp_path / "sqlite" / "one.sqlite") as connection:
        connection.execute("CREATE TABLE t (id INTEGER, name TEXT, kind TEXT)")
        rows = [(1, "a", "x"), (2, "b", "x"), (3, "c", "y")]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    connection.close()
    cases = [
        json.dumps({"id": name, "db": "one", "question": name, "gold": {"sqlite": gold}})
        for name, (gold, _) in GOLD.items()
    ]
    answers = [
        json.dumps({"id": name, "db": "one", "dialect": "sqlite", "completion": f"```{sql}```"})
        for name, (_, sql) in GOLD.items()
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(cases))
    (tmp_path / "completions" / "model.sqlite.jsonl").write_text("\n".join(answers))
    assert databases.main([str(tmp_path), "--kills", "0"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert (
        first
        == "5 cases: ex ours 2, direct 2; ex_set ours 3, direct 3; {'ok': 2, 'mismatch': 2, 'pred_fail': 1}"
    )


CELLS = st.sampled_from([None, 0, 1, 1.0, 1 + 1e-12, 2.5, "1", "a", b"a", True])
ROWS = st.lists(st.tuples(CELLS, CELLS), max_size=5)
STATEMENTS = [
    "SELECT a, b FROM t",
    "SELECT a, b FROM t ORDER BY b",
    "SELECT a, b FROM t ORDER BY 1 DESC, b NULLS LAST",
    "SELECT a, b FROM t ORDER BY c",
    "SELECT a, b AS n FROM t ORDER BY lower(b), n LIMIT 3",
    "SELECT a, upper(b) FROM t ORDER BY upper(b)",
    "SELECT a, b FROM (SELECT * FROM t ORDER BY a) AS u -- ORDER BY b",
    "SELECT a, row_number() OVER (ORDER BY b) FROM t",
    "SELECT a, b FROM t UNION SELECT a, b FROM u ORDER BY b",
    "SELECT a, b FROM t ORDER BY b LIMIT 1",
]


@given(ROWS, ROWS, st.sampled_from(STATEMENTS), st.randoms())
def test_two_readings_of_the_rules_agree(rows, others, statement, random):
    """`ex` and `ex_set` decide as a second program does that was written from the rules' text."""
    names = ["a", "n" if " AS n " in statement else "b"]
    shuffled = random.sample(rows, len(rows))
    for other in (others, shuffled, rows):
        left, right = ResultTable.of(names, rows), ResultTable.of(names, other)
        one, two = direct.Answer(names, rows), direct.Answer(names, other)
        found = ex(left, right, ordering=ordering_of(statement)).equal
        assert found == direct.equal(statement, one, two)
        assert ex_set(left, right).equal == direct.equal_sets(one, two)


@pytest.mark.shared
@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_recorded_completions_have_the_direct_scripts_figures(engine, capsys):
    """All cases, every gold alternative, two kills."""
    shared = os.environ.get("SQLOBS_SHARED")
    if shared is None:
        pytest.skip("SQLOBS_SHARED is not set")
    assert databases.main([str(Path(shared) / "data" / "databases"), "--engine", engine]) == 0
