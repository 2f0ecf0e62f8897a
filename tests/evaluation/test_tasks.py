"""LiveSQLBench's tasks: predictions that write, and test cases, on a copy that is thrown away."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import psycopg
import pytest

from sqlobs.cli import main
from sqlobs.evaluation.tasks.copies import PREFIX
from sqlobs.runs.run import Run
from tests.servers import PostgresServer

ROWS = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC);
INSERT INTO item VALUES (1, 'pen', 1.239), (2, 'cup', 4.5);
"""
RAISED = """
def test_case(pred_sqls, sol_sqls, db_name, conn):
    rows, _ = perform_query_on_sqlite_databases("SELECT price FROM item WHERE id = 3", db_name, conn)
    print("a test case may print")
    assert preprocess_results(rows) == [(2.35,)], f"price is {rows}"
    assert check_sql_function_usage(pred_sqls, ["update"])
"""
FLEEING = "ATTACH DATABASE '{}' AS other"
TASKS = [
    # instance_id, setup, prediction, solution, test cases, expected bucket and reason
    ("raise", "UPDATE item SET price = price + 1.111 WHERE id = 3", [RAISED], "ok", None),
    ("wrong", "UPDATE item SET price = 9 WHERE id = 3", [RAISED], "mismatch", "test 1: price is"),
    ("broken", "UPDATE itm SET price = 9", [RAISED], "pred_fail", "prediction: no such table: itm"),
    ("loop", "SELECT 1", ["def test_case(*_):\n    1 / 0"], "mismatch", "test 1: division by zero"),
    ("same", "SELECT DISTINCT ROUND(price, 1) FROM item -- x", [], "ok", None),
    ("other", "SELECT price + 1 FROM item", [], "mismatch", "test 1: the results differ"),
    ("empty", "", [RAISED], "skipped", "empty_prediction"),
]


def task(name, sql, tests, **fields):
    """Return a record in LiveSQLBench's form; the solution is that of a query."""
    record = {
        "instance_id": name,
        "selected_database": "shop",
        "query": "What?",
        "preprocess_sql": ["INSERT INTO item VALUES (3, 'hat', 1.239)"],
        "sol_sql": ["SELECT price FROM item"],
        "test_cases": tests,
        "clean_up_sqls": [],
        "conditions": {"order": False},
        "difficulty_tier": "Simple",
        "pred_sqls": [sql] if sql else [],
    }
    return json.dumps({**record, **fields})


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a database."""
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_task_runs_on_a_copy_and_its_test_cases_decide(place, capsys):
    """The original keeps its rows; a failed test case says why."""
    before = (place / "shop.sqlite").read_bytes()
    lines = [task(name, sql, tests) for name, sql, tests, _, _ in TASKS]
    (place / "tasks.jsonl").write_text("\n".join(lines))
    command = ["evaluate", "--input", "tasks.jsonl", "--dsn", "sqlite:///{db}.sqlite"]
    assert main([*command, "--run-test-cases", "--fail-on", "tests_pass<50%"]) == 1
    assert "tests_pass<50%: failed, tests_pass is 28.57%" in capsys.readouterr().out
    cases = Run.read(place / "run" / "tasks").cases
    for case, (name, _, _, bucket, reason) in zip(cases, TASKS, strict=True):
        assert (case.id, case.bucket) == (name, bucket)
        assert (case.reason or "").startswith(reason or "")
        assert case.scores["tests_pass"] == (bucket == "ok")
    assert cases[0].difficulty == "Simple"
    assert (place / "shop.sqlite").read_bytes() == before


def test_a_prediction_reaches_no_other_file_and_ends_in_time(place):
    """ATTACH and VACUUM INTO are denied; a statement and a test case that do not end are stopped."""
    victim = place / "other.sqlite"
    copied = f"VACUUM INTO '{victim}'"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    ending = "import os\ndef test_case(*_):\n    os._exit(0)"
    lines = [
        task("attach", FLEEING.format(victim), [RAISED]),
        task("copy", copied, [RAISED]),
        task("endless", endless, [RAISED]),
        task("exit", "SELECT 1", [ending]),
    ]
    (place / "tasks.jsonl").write_text("\n".join(lines))
    command = ["evaluate", "--input", "tasks.jsonl", "--dsn", "sqlite:///{db}.sqlite"]
    assert main([*command, "--run-test-cases", "--exec-timeout", "0.5"]) == 0
    found = [(case.bucket, case.reason) for case in Run.read(place / "run" / "tasks").cases]
    assert found == [
        ("pred_fail", "prediction: not authorized"),
        ("pred_fail", "prediction: authorization denied"),
        ("timeout", "prediction: time limit"),
        ("other_error", "the process of the test cases ended without an outcome"),
    ]
    assert not victim.exists()


def test_a_run_of_tasks_has_no_results_to_score_again(place, capsys):
    """The message says what to do instead; nothing of the run changes."""
    (place / "tasks.jsonl").write_text(task("same", "SELECT DISTINCT price FROM item", []))
    command = ["evaluate", "--input", "tasks.jsonl", "--dsn", "sqlite:///{db}.sqlite"]
    assert main([*command, "--run-test-cases"]) == 0
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(["evaluate", "--rescore", "run/tasks"]) == 2
    assert capsys.readouterr().err == (
        "sqlobs evaluate: run/tasks: its cases were decided by test cases, which leave no results to"
        " score again; run them again with --input and --run-test-cases, or show the run with"
        " `sqlobs report`\n"
    )
    judge = ["--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "m"]
    assert main([*command, "--run-test-cases", *judge]) == 2
    assert capsys.readouterr().err == (
        "sqlobs evaluate: a judge needs results, which test cases do not leave; omit the judge\n"
    )
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_without_the_flag_nothing_of_a_task_runs_but_queries(place, capsys):
    """The command says how many cases it concerns; what writes is rejected as before."""
    lines = [task("q", "SELECT price FROM item", []), task("w", "DELETE FROM item", [RAISED])]
    (place / "tasks.jsonl").write_text("\n".join(lines))
    command = ["evaluate", "--input", "tasks.jsonl", "--dsn", "sqlite:///{db}.sqlite"]
    assert main(command) == 0
    assert "2 cases have test cases or setup; --run-test-cases runs" in capsys.readouterr().err
    found = [case.bucket for case in Run.read(place / "run" / "tasks").cases]
    assert found == ["ok", "non_select"]


def test_the_public_files_without_solutions_are_not_evaluated(place):
    """They keep back solution and test cases: nothing is counted as wrong."""
    (place / "tasks.jsonl").write_text(task("a", "SELECT 1", [], sol_sql=[]))
    command = ["evaluate", "--input", "tasks.jsonl", "--dsn", "sqlite:///{db}.sqlite"]
    assert main([*command, "--run-test-cases"]) == 0
    [case] = Run.read(place / "run" / "tasks").cases
    assert (case.bucket, case.reason, case.esm) == ("skipped", "no_reference", None)
    assert case.scores.get("tests_pass") is None


@pytest.fixture
def server():
    """A PostgreSQL with a role that owns a database and may create others."""
    started = PostgresServer().start()
    with psycopg.connect(started.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE tester LOGIN CREATEDB")
        connection.execute("CREATE DATABASE shop OWNER tester")
    with psycopg.connect(started.url("shop", user="tester")) as connection:
        connection.execute(ROWS)
    yield started
    started.stop()


@pytest.mark.postgres
def test_a_postgresql_database_is_copied_by_its_owner(server, tmp_path, monkeypatch):
    """A superuser is refused; the copies are dropped."""
    monkeypatch.chdir(tmp_path)
    code = RAISED.replace("on_sqlite_", "on_postgresql_").replace("2.35", "Decimal('2.35')")
    code = f"from decimal import Decimal\n{code}"
    sql = "UPDATE item SET price = price + 1.111 WHERE id = 3"
    (tmp_path / "tasks.jsonl").write_text(task("raise", sql, [code]))
    command = ["evaluate", "--input", "tasks.jsonl", "--run-test-cases", "--dsn"]
    assert main([*command, server.url("{db}", user="tester")]) == 0
    [case] = Run.read(tmp_path / "run" / "tasks").cases
    assert (case.bucket, case.reason) == ("ok", None)
    assert main([*command, server.url("shop")]) == 0
    [case] = Run.read(tmp_path / "run" / "tasks").cases
    assert "do not run as a superuser" in case.reason
    with psycopg.connect(server.url()) as connection:
        [(count,)] = connection.execute(
            "SELECT count(*) FROM pg_database WHERE datname LIKE %s", [f"{PREFIX}%"]
        ).fetchall()
    assert count == 0
