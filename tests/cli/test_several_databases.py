"""Cases of several databases in one run: `--dsn NAME=URL` for each."""

from __future__ import annotations

import json
import sqlite3

import duckdb
import pytest

from sqlobs.cli import main

CASES = [
    {
        "id": "1",
        "db": "shop",
        "question": "a",
        "solution": "SELECT v FROM t",
        "sql": "SELECT v FROM t",
    },
    # Valid for DuckDB only: each case is checked and run as its own database's dialect has it.
    {
        "id": "2",
        "db": "lake",
        "question": "b",
        "solution": "SELECT * FROM t",
        "sql": "SELECT v::BIGINT FROM t",
    },
    {
        "id": "3",
        "db": "lake",
        "question": "c",
        "solution": "SELECT * FROM t",
        "sql": "SELECT ghost FROM t",
    },
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with two databases of different systems and the cases of both."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("shop.db") as shop:
        shop.execute("CREATE TABLE t (v INTEGER)")
        shop.execute("INSERT INTO t VALUES (1)")
    shop.close()
    with duckdb.connect("lake.duckdb") as lake:
        lake.execute("CREATE TABLE t (v INTEGER, w INTEGER); INSERT INTO t VALUES (2, 3)")
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    return tmp_path


SHOP, LAKE = "shop=sqlite:///shop.db", "lake=duckdb:///lake.duckdb"


def test_each_case_runs_on_the_database_of_its_name(place, capsys):
    """In its own dialect; the run shows both places."""
    asked = ["evaluate", "--input", "cases.jsonl", "--column", "prediction=sql", "--no-em"]
    assert main([*asked, "--dsn", SHOP, "--dsn", LAKE]) == 0
    assert "ESM - 1/3" in capsys.readouterr().out
    folder = place / "run" / "cases" / "eval"
    rows = [json.loads(line) for line in (folder / "details.jsonl").read_text().splitlines()]
    assert [(row["id"], row["dialect"], row["bucket"]) for row in rows] == [
        ("1", "sqlite", "ok"),
        ("2", "duckdb", "mismatch"),
        ("3", "duckdb", "pred_fail"),
    ]
    summary = json.loads((folder / "eval_summary.json").read_text())
    assert f"{SHOP}, {LAKE}" in json.dumps(summary)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--dsn", SHOP], "no DSN for the cases of lake: give --dsn NAME=URL for each"),
        (["--dsn", SHOP, "--dsn", "sqlite:///x.db"], "repeated --dsn options need distinct names"),
        (["--dsn", SHOP, "--dsn", SHOP], "repeated --dsn options need distinct names"),
    ],
)
@pytest.mark.usefixtures("place")
def test_what_is_missing_is_one_sentence(given, sentence, capsys):
    """Exit code 2, before anything is run."""
    asked = ["evaluate", "--input", "cases.jsonl", "--column", "prediction=sql", *given]
    assert main(asked) == 2
    assert sentence in capsys.readouterr().err
