"""Mistaken and hostile command lines: one sentence on stderr, exit code 2, nothing lost."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlobs.cli import main

DSN = "sqlite:///shop.db"
EVALUATE = f"evaluate --input cases.jsonl --dsn {DSN}"
REPORT = "report run/cases"
JUDGE = "--judge-url http://127.0.0.1:9/v1 --judge-model m"
QUESTIONS = "generate --input questions.jsonl"
CASES = [
    {
        "id": "1",
        "question": "All?",
        "gold": "SELECT id FROM orders",
        "pred": "SELECT id FROM orders",
    },
    {"id": "2", "question": "None?", "gold": "SELECT 1", "pred": "SELECT gone FROM orders"},
]
FILES = {
    "questions.jsonl": '{"id": "1", "question": "All?", "gold": "SELECT id FROM orders"}\n',
    "answers.jsonl": '{"id": "1", "sql": "SELECT 1"}\n',
    "lake.jsonl": '{"db": "lake", "gold": "SELECT 1", "pred": "SELECT 1"}\n',
    "twice.jsonl": '{"id": "1", "gold": "SELECT 1"}\n{"id": "1", "gold": "SELECT 2"}\n',
    "broken.jsonl": '{"id": 1\n',
    "empty.jsonl": "",
    "object.json": "{}",
    "notes.docx": "x",
    "doubled.csv": "gold,gold\nSELECT 1,SELECT 1\n",
    "schema.sql": "CREATE TABLE orders (id INTEGER);",
    "select.sql": "SELECT 1;",
    "targets.txt": "shop\n",
    "secret.txt": "shop=env:SQLOBS_TEST_NOT_SET\n",
    "scores.csv": "name,ex\nA,high\n",
    "items.jsonl": '{"id": "1"}\n',
}

MISTAKES = {
    # the input of an evaluation
    "evaluate --run-dir folder": "folder has no run_* directory; give the directory of a run",
    f"evaluate --input absent.jsonl --dsn {DSN}": "absent.jsonl: no such file or directory",
    f"evaluate --input folder --dsn {DSN}": "folder: neither gold.txt and preds.txt nor one of",
    f"evaluate --input broken.jsonl --dsn {DSN}": "broken.jsonl, line 1: not JSON",
    f"evaluate --input object.json --dsn {DSN}": "object.json: not a JSON list of objects",
    f"evaluate --input empty.jsonl --dsn {DSN}": "empty.jsonl contains no case",
    f"evaluate --input binary.jsonl --dsn {DSN}": "binary.jsonl, line 1: not UTF-8 text",
    f"evaluate --input notes.docx --dsn {DSN}": "cases are read from .jsonl",
    f"evaluate --input doubled.csv --dsn {DSN}": "two columns have the name gold",
    f"evaluate --input answers.jsonl --dsn {DSN}": "give --no-gold if its statements are predictions",
    f"evaluate --input twice.jsonl --predictions answers.jsonl --dsn {DSN}": "two cases have the id 1",
    f"{EVALUATE} --predictions absent.jsonl": "absent.jsonl: no such file or directory",
    f"{EVALUATE} --predictions folder": "folder: is a directory",
    f"{EVALUATE} --column answer=x": "--column answer=x: write ROLE=NAME with a role of question",
    f"{EVALUATE} --column id=id --column id=question": "--column id=question: id is already id",
    f"{EVALUATE} --column solution=absent": "cases.jsonl, line 1: no field 'absent'",
    f"{EVALUATE} --question-rows many": "many is not a whole number above 0",
    # the database
    "evaluate --input cases.jsonl": "no database to run on; give --dsn, set SQLOBS_DSN",
    "evaluate --input cases.jsonl --dsn shop.db": "not a database URL; write it as sqlite:///shop.db",
    "evaluate --input cases.jsonl --dsn warp://x": "cannot execute on 'warp'",
    "evaluate --input cases.jsonl --dsn sqlite:///{db}.db": "contains {db}, but a case names no database",
    f"evaluate --input lake.jsonl --dsn shop={DSN}": "no case has a DSN; give --dsn NAME=URL for lake",
    f"evaluate --input cases.jsonl --dsn a={DSN} --dsn a={DSN}": "need distinct names: --dsn NAME=URL",
    "evaluate --input cases.jsonl --targets absent.txt": "absent.txt: no such file or directory",
    "evaluate --input cases.jsonl --targets targets.txt": "targets.txt, line 1: write NAME=URL",
    "evaluate --input cases.jsonl --targets secret.txt": "SQLOBS_TEST_NOT_SET is not set",
    "evaluate --input cases.jsonl --query-url nowhere": "must start with http:// or https://",
    "evaluate --input cases.jsonl --query-url http://127.0.0.1:9/ --query-body {": "not JSON",
    # options of an evaluation
    f"{EVALUATE} --no-such-option": "unknown option: --no-such-option",
    f"{EVALUATE} --exec-timeout soon": "soon is not a number of seconds above 0",
    f"{EVALUATE} --exec-timeout nan": "nan is not a number of seconds above 0",
    f"{EVALUATE} --technique GUESS": "unknown value of --technique: GUESS",
    f"{EVALUATE} --technique SEMANTIC_COLUMN_AND_EXACT_CELL": "needs --embedding-model",
    f"{EVALUATE} --schema schema.sql": "schema.sql is a DDL script; give its dialect with --dialect",
    f"{EVALUATE} --schema select.sql --dialect sqlite": "the script defines no table or view",
    f"{EVALUATE} --dialect klingon": "unknown SQL dialect 'klingon'",
    f"{EVALUATE} --fail-on esm": "'esm' is not a valid gate; write one like",
    f"{EVALUATE} --fail-on accuracy<1": "unknown metric accuracy",
    f"{EVALUATE} --output report.doc": "the file name must end in .html, .xlsx, .xml",
    f"{EVALUATE} --html absent/r.html": "--html absent/r.html: the directory absent does not exist",
    f"{EVALUATE} --summary folder": "--summary folder: is a directory; give the name of a file",
    f"{EVALUATE} --no-gold --ves 3": "--ves needs references, which --no-gold leaves out",
    # its judges
    f"{EVALUATE} --judge flex": "no judge is configured: give --judge-url and --judge-model",
    f"{EVALUATE} --judge-url http://127.0.0.1:9/v1": "--judge-url and --judge-model must be given",
    f"{EVALUATE} --judge-key secret {JUDGE}": "--judge-key: write env:NAME",
    f"{EVALUATE} --judge-budget -1 {JUDGE}": "-1 is not an amount in US dollars of at least 0",
    f"{EVALUATE} --judge-price 1 much {JUDGE}": "much is not an amount in US dollars",
    f"{EVALUATE} --judge-model m2 {JUDGE}": "an ensemble needs an odd number of judges",
    f"{EVALUATE} --judge-calibration object.json {JUDGE}": "create one with `sqlobs judge calibrate`",
    f"{EVALUATE} --no-esm {JUDGE}": "a judge needs results; give --dsn, and omit --no-esm",
    # a collector, a system under test
    f"evaluate --admin http://127.0.0.1:9 --dsn {DSN} --input cases.jsonl": "do not combine it",
    f"evaluate --admin http://127.0.0.1:9 --dsn {DSN} --since yesterday": "write it as 2026-01-31",
    f"evaluate --admin http://127.0.0.1:9 --dsn {DSN} --admin-token secret": "write env:NAME",
    f"evaluate --admin http://127.0.0.1:9 --dsn {DSN}": "no collector responds at http://127.0.0.1:9",
    f"{QUESTIONS}": "give exactly one system under test",
    f"{QUESTIONS} --call json": "--call json: write module:function",
    f"{QUESTIONS} --call absent.module:f": "No module named 'absent'",
    f"{QUESTIONS} --api-url ftp://x": "--api-url ftp://x: write http:// or https://",
    f"{QUESTIONS} --api-url http://": "the host is missing or invalid; write http://HOST/PATH",
    f"{QUESTIONS} --api-url http://127.0.0.1:9/ --header X=1": "--header X: write env:NAME",
    f"{QUESTIONS} --call json:loads --timeout 0": "0 is not a number of seconds above 0",
    # reports
    "report absent": "absent: no such directory",
    "report cases.jsonl": "cases.jsonl, line 1: not a unit of a collector's export",
    f"{REPORT} --where nothing=1": "unknown field nothing; valid fields are",
    f"{REPORT} --where difficulty>1": "difficulty is text; compare it with = or !=",
    f"{REPORT} --where db=moon": "no case of cases matches 'db=moon'",
    f"{REPORT} --since 2026-01-01": "--since cannot be combined with a run",
    f"{REPORT} --html folder": "--html folder: is a directory",
    "report --compare run/cases": "a comparison needs at least two runs",
    "report --compare run/cases cases.jsonl": "cases.jsonl: a file, not a run's directory",
    "report --compare run/cases run/cases --xlsx x.xlsx": "--xlsx cannot be combined with --compare",
    "report --leaderboard scores.csv": "scores.csv, line 2: the number ex is missing",
    "report --leaderboard absent.csv": "absent.csv: no such file or directory",
    "report --leaderboard run/cases run/cases": "have the same name, cases",
    "inspect --run-dir absent": "absent: no such directory",
    "inspect --run-dir run/cases --max-examples -1": "-1 is not a whole number of at least 0",
    "inspect --run-dir run/cases --where x": "'x' is not a valid condition; write one like",
    # judges on their own
    "judge guess": "unknown command: guess. Choose from",
    "judge label absent.jsonl --rater ada": "absent.jsonl: no such file or directory",
    "judge label items.jsonl --rater ada": "items.jsonl, line 1: no predicted_sql",
    f"judge calibrate broken.jsonl {JUDGE}": "broken.jsonl, line 1: not JSON",
    f"judge tune items.jsonl {JUDGE}": "items.jsonl, line 1: no predicted_sql",
    "judge canaries": "no judge is configured: give --judge-url and --judge-model",
    "judge canaries --judge-url nowhere --judge-model m": "write it as https://host/v1",
    "judge agreement --flex absent": "no such file or directory",
    # checks, golden sets, schemas, rules
    "check absent.sql": "absent.sql: no such file or directory",
    "check cases.jsonl --schema absent.sql": "absent.sql: no such file or directory",
    "check cases.jsonl --schema object.json": 'lacks "format": "sqlobs.schema/1"',
    "check empty.jsonl --schema schema.sql --dialect sqlite": "empty.jsonl has no lines to check",
    "golden": "give a golden file, or an option such as --list",
    "golden g.jsonl --input cases.jsonl --admin http://127.0.0.1:9": "give either a collector",
    "golden broken.jsonl --input cases.jsonl --yes": "broken.jsonl, line 1: not JSON",
    "golden --list --admin http://127.0.0.1:9": "no collector responds at http://127.0.0.1:9",
    "schema pull absent.db": "absent.db: no such file or directory",
    "schema pull sqlite:///absent.db": "absent.db cannot be read: no such file",
    "schema show schema.sql": "schema.sql is a DDL script; give its dialect with --dialect",
    "schema diff schema.sql": "the following arguments are required: new",
    "rules guess": "unknown command: guess. Choose from generate, backtest, test-fire",
    "rules backtest --prometheus http://127.0.0.1:9": "cannot reach Prometheus",
    "rules generate": "the following arguments are required: --output",
    "nothing": "unknown command: nothing",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with a database, files right and wrong, and an evaluated run."""
    folder, before = tmp_path_factory.mktemp("mistakes"), Path.cwd()
    os.chdir(folder)
    try:
        with closing(sqlite3.connect("shop.db")) as shop:
            shop.execute("CREATE TABLE orders (id INTEGER)")
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        Path("binary.jsonl").write_bytes(b"\xff\xfe\x00")
        Path("folder").mkdir()
        Path("cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
        assert main(EVALUATE.split()) == 0
    finally:
        os.chdir(before)
    return folder


def files_of(folder):
    """Return all files of a directory with their content."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_sentence_that_names_it(line, place, monkeypatch, capsys):
    """Exit code 2, before anything is run, asked or written."""
    monkeypatch.chdir(place)
    for name in ("SQLOBS_DSN", "SQLOBS_LLM_BASE_URL", "SQLOBS_LLM_MODEL", "SQLOBS_LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    before = files_of(place)
    assert main(line.split()) == 2
    shown = capsys.readouterr()
    assert MISTAKES[line] in shown.err
    assert shown.err.count("\n") == 1, "one line"
    assert not shown.out
    assert files_of(place) == before
