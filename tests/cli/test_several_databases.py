"""Cases of several databases in one run: `--dsn NAME=URL` for each."""

from __future__ import annotations

import json
import sqlite3

import duckdb
import openpyxl
import psycopg
import pytest

from sqlobs.cli import main
from sqlobs.runs.run import Run
from tests.servers import MariaDbServer, PostgresServer

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
        (
            ["--dsn", "moon=sqlite:///shop.db"],
            "no case has a DSN; give --dsn NAME=URL for shop, lake",
        ),
        (
            ["--dsn", "sqlite:///x.db", "--dsn", "sqlite:///y.db"],
            "databases need distinct names: --dsn NAME=URL",
        ),
        (["--dsn", SHOP, "--dsn", SHOP], "databases need distinct names: --dsn NAME=URL"),
    ],
)
@pytest.mark.usefixtures("place")
def test_what_is_missing_is_one_sentence(given, sentence, capsys):
    """Exit code 2, before anything is run."""
    asked = ["evaluate", "--input", "cases.jsonl", "--column", "prediction=sql", *given]
    assert main(asked) == 2
    assert sentence in capsys.readouterr().err


TABLE = "CREATE TABLE t (v INTEGER); INSERT INTO t VALUES (1), (2);"
LIMITED = {
    "sqlite": "SELECT v FROM t ORDER BY v LIMIT 1",
    "duckdb": "SELECT v FROM t ORDER BY ALL LIMIT 1",
    "postgres": "SELECT DISTINCT ON (v) v FROM t ORDER BY v FETCH FIRST 1 ROW ONLY",
    "mysql": "SELECT STRAIGHT_JOIN v FROM t ORDER BY v LIMIT 1",
}
"""For each engine a statement that it accepts; the last three are valid for that engine only."""


@pytest.fixture(scope="module")
def engines(tmp_path_factory):
    """A database of each of four engines, by its dialect."""
    folder = tmp_path_factory.mktemp("engines")
    with sqlite3.connect(folder / "s.db") as shop:
        shop.executescript(TABLE)
    shop.close()
    with duckdb.connect(str(folder / "d.duckdb")) as lake:
        lake.execute(TABLE)
    warehouse, legacy = PostgresServer().start(), MariaDbServer().start()
    try:
        with psycopg.connect(warehouse.url(), autocommit=True) as connection:
            connection.execute(TABLE + "CREATE ROLE reader LOGIN; GRANT SELECT ON t TO reader")
        legacy.run(
            f"CREATE DATABASE shop; USE shop; {TABLE}"
            "CREATE USER reader@'%' IDENTIFIED BY 'secret'; GRANT SELECT ON shop.* TO reader@'%';"
        )
        yield {
            "sqlite": f"sqlite:///{folder}/s.db",
            "duckdb": f"duckdb:///{folder}/d.duckdb",
            "postgres": warehouse.url("postgres", user="reader"),
            "mysql": f"mysql://reader:secret@127.0.0.1:{legacy.port}/shop",
        }
    finally:
        warehouse.stop()
        legacy.stop()


@pytest.mark.postgres
@pytest.mark.mariadb
def test_four_engines_are_one_run_and_nothing_is_dropped_silently(
    engines, tmp_path, monkeypatch, capsys
):
    """Each case in its own dialect, from a file of targets; what is left out has a reason."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEGACY_URL", engines["mysql"])
    named = engines | {"mysql": "env:LEGACY_URL"}
    lines = ["# where the cases run", *(f"{name}={url}" for name, url in named.items())]
    (tmp_path / "targets.txt").write_text("\n".join(lines) + "\n")
    cases = [
        {"id": name, "db": name, "gold": {name: sql, "oracle": "SELECT 1"}, "pred": sql}
        for name, sql in LIMITED.items()
    ]
    cases += [
        {"id": "moon", "db": "moon", "gold": "SELECT 1", "pred": "SELECT 1"},
        {
            "id": "foreign",
            "db": "sqlite",
            "gold": "SELECT 1",
            "pred": "SELECT 1",
            "dialect": "tsql",
        },
        {"id": "open", "db": "duckdb", "pred": "SELECT ghost FROM t"},
        {"id": "mute", "db": "sqlite", "gold": "SELECT 1", "pred": ""},
    ]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    command = ["evaluate", "--input", "cases.jsonl", "--targets", "targets.txt"]
    outputs = ["--html", "r.html", "--xlsx", "r.xlsx", "--summary", "r.md"]
    assert main([*command, *outputs, "--fail-on", "no_target>0"]) == 1
    shown = capsys.readouterr()
    assert "ESM - 4/5 80.0%" in shown.out
    assert "no_target>0: failed, no_target is 1" in shown.out
    assert "cases skipped: 1 for moon; give --dsn NAME=URL for each" in shown.err
    assert "cases skipped: 1 for tsql; their targets run another dialect" in shown.err
    gaps = (
        "1 skipped: another dialect; 1 skipped: no database with this name;"
        " 1 without a prediction (count as wrong); 1 without a reference (excluded from match rates)"
    )
    assert f"not compared: {gaps}" in shown.out
    assert gaps in (tmp_path / "r.html").read_text()
    assert gaps in (tmp_path / "r.md").read_text()
    cells = openpyxl.load_workbook(tmp_path / "r.xlsx")["Summary"].iter_rows(values_only=True)
    assert any(gaps in str(row[0]) for row in cells)
    assert main(["report", "run/cases", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["gaps"] == {
        "other_dialect": 1,
        "no_target": 1,
        "no_prediction": 1,
        "no_reference": 1,
    }
    assert document["figures"]["execution_pass_rate"]["total"] == 5
    rows = Run.read(tmp_path / "run" / "cases").cases
    assert {row.id: row.dialect for row in rows if row.id in LIMITED} == {n: n for n in LIMITED}
    assert [row.bucket for row in rows] == ["ok"] * 4 + ["pred_fail", "skipped"]
    assert all(row.check.verdict == "ok" for row in rows[:4])
    assert "secret" not in json.dumps(document["settings"])


def test_a_url_without_a_name_is_that_of_all_other_databases(place, capsys):
    """So that a folder of SQLite files and one database of another engine are one run."""
    command = ["evaluate", "--input", "cases.jsonl", "--column", "prediction=sql", "--no-em"]
    assert main([*command, "--dsn", LAKE, "--dsn", "sqlite:///{db}.db"]) == 0
    assert "ESM - 1/3" in capsys.readouterr().out
    (place / "targets.txt").write_text("*=sqlite:///{db}.db\n")
    assert main([*command, "--targets", "targets.txt", "--dsn", LAKE]) == 0
    assert "ESM - 1/3" in capsys.readouterr().out


def test_predictions_by_position_keep_their_places_when_cases_are_skipped(place, capsys):
    """The file of predictions has a line for each record, also for those without a target."""
    (place / "answers.sql").write_text("SELECT v FROM t\nSELECT v FROM t\nSELECT v, w FROM t\n")
    command = ["evaluate", "--input", "cases.jsonl", "--predictions", "answers.sql", "--no-em"]
    assert main([*command, "--dsn", SHOP]) == 0
    assert "ESM - 1/1" in capsys.readouterr().out
    assert main([*command, "--dsn", LAKE]) == 0
    assert "ESM - 1/2" in capsys.readouterr().out
