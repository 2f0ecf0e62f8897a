"""Evaluation gives the figures of a direct script."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tests.parity import databases

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
    assert first == "5 cases: ours 2, direct 2; {'ok': 2, 'mismatch': 2, 'pred_fail': 1}"


@pytest.mark.shared
@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_recorded_completions_have_the_direct_scripts_figures(engine, capsys):
    """All cases, every gold alternative, two kills."""
    shared = os.environ.get("SQLOBS_SHARED")
    if shared is None:
        pytest.skip("SQLOBS_SHARED is not set")
    assert databases.main([str(Path(shared) / "data" / "databases"), "--engine", engine]) == 0
