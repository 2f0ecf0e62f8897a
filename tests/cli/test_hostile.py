"""Damaged files, mistyped numbers and contradictions: one sentence, exit code 2, nothing lost."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlobs.cli import main
from tests.cli.test_mistakes import CASES, DSN, EVALUATE, JUDGE, QUESTIONS, files_of

MODEL = f"{QUESTIONS} --model m --model-url http://127.0.0.1:9/v1"
SERVICE = f"{QUESTIONS} --api-url http://127.0.0.1:9/"
SAMPLE = f"judge sample run/cases --dsn {DSN} --output i.jsonl"
CALIBRATE = f"judge calibrate items.jsonl {JUDGE}"
OPTIONS = f"{EVALUATE} --target-options"
FILES = {
    "questions.jsonl": '{"id": "1", "question": "All?", "gold": "SELECT id FROM orders"}\n',
    "silent.jsonl": '{"id": "1", "gold": "SELECT id FROM orders"}\n',
    "header.csv": "id,gold,pred\n",
    "empty.csv": "",
    "empty.json": "",
    "empty.xlsx": "",
    "quote.csv": 'id,gold,pred\n1,"SELECT 1,SELECT 1\n',
    "numbers.jsonl": "1\n2\n",
    "list.json": "[1, 2]",
    "deep.json": "[" * 100_000,
    "object.json": "{}",
    "twice.txt": f"a={DSN}\na={DSN}\n",
    "comment.txt": "# none\n",
    "torn.toml": "[connect\n",
    "key.toml": "nothing = 1\n",
    "nan.toml": "connect_timeout_s = nan\n",
    "soon.toml": 'connect_timeout_s = "soon"\n',
    "number.toml": "settings = 3\n",
    "text.toml": 'environment = "HOME"\n',
    "unknown.txt": "{question} {tables}",
    "fixed.txt": "",
    "object_prompt.json": '{"role": "user"}',
    "king.json": '[{"role": "king", "content": "{question}"}]',
    "same.csv": "name,ex\nA,0.5\nA,0.6\n",
    "nameless.csv": "ex\n0.5\n",
    "items.jsonl": json.dumps(
        {"id": "1", "question": "All?", "predicted_sql": "SELECT 1", "reference_sql": "SELECT 1"}
    ),
    "labels.jsonl": '{"id": "1", "rater": "ada", "correct": "maybe"}\n',
    "calibration.json": '{"judge": "flex"}',
    "own.py": (
        "from sqlobs.evaluation import metric\n"
        "number = 1\n"
        "def f(case): return 1\n"
        "@metric()\n"
        "def esm(case): return 1\n"
    ),
    "torn.py": "def f(:\n",
}

HOSTILE = {
    # files of cases
    f"evaluate --input utf16.csv --dsn {DSN}": "utf16.csv, line 1: not UTF-8 text (byte 0xff)",
    f"evaluate --input header.csv --dsn {DSN}": "header.csv contains no case",
    f"evaluate --input empty.csv --dsn {DSN}": "empty.csv: the file is empty",
    f"evaluate --input empty.json --dsn {DSN}": "empty.json: not JSON (Expecting value)",
    f"evaluate --input empty.xlsx --dsn {DSN}": "empty.xlsx: not an Excel workbook",
    f"evaluate --input quote.csv --dsn {DSN}": "quote.csv, line 2: unexpected end of data",
    f"evaluate --input numbers.jsonl --dsn {DSN}": "numbers.jsonl, line 1: not a JSON object",
    f"evaluate --input list.json --dsn {DSN}": "list.json, entry 1: not a JSON object",
    f"evaluate --input deep.json --dsn {DSN}": "deep.json: not JSON (maximum recursion depth",
    f"evaluate --input shop.db --dsn {DSN}": "shop.db: cases are read from .jsonl",
    f"evaluate --input cases.jsonl --run-dir cases.jsonl --dsn {DSN}": "cases.jsonl: file exists",
    f"evaluate --run-dir run/uneven --dsn {DSN}": "run/uneven",
    f"evaluate --run-dir run/binary --dsn {DSN}": "not UTF-8 text",
    f"evaluate --run-dir run/inputs --dsn {DSN}": "inputs.json",
    # databases
    "evaluate --input cases.jsonl --dsn sqlite:///absent.db": "no such file or directory",
    "evaluate --input cases.jsonl --dsn sqlite:///cases.jsonl": "file is not a database",
    "evaluate --input cases.jsonl --dsn ''": "no database to run on; give --dsn",
    "evaluate --input cases.jsonl --targets twice.txt": "two URLs have the name a; databases need",
    "evaluate --input cases.jsonl --targets comment.txt": "no database to run on; give --dsn",
    "evaluate --input cases.jsonl --targets folder": "folder: is a directory",
    f"{OPTIONS} torn.toml": "torn.toml: Expected ']' at the end of a table declaration",
    f"{OPTIONS} key.toml": "key.toml: unknown key nothing; use connect_args",
    f"{OPTIONS} nan.toml": "nan.toml: connect_timeout_s must be greater than 0",
    f"{OPTIONS} soon.toml": "soon.toml: connect_timeout_s must be a number",
    f"{OPTIONS} number.toml": "number.toml: settings must be a table: [settings]",
    f"{OPTIONS} text.toml": 'environment must be a list of names: environment = ["NAME"]',
    # numbers and contradictions
    f"{EVALUATE} --exec-timeout 1e300": "1e300 seconds are more than a day (86400)",
    f"{EVALUATE} --exec-timeout inf": "inf is not a number of seconds above 0",
    f"{EVALUATE} --store-mb 0": "0 is not a whole number above 0",
    f"{EVALUATE} --no-esm --ves 3": "--ves times executions, which --no-esm leaves out",
    f"{EVALUATE} --fail-on esm<80": "esm is between 0 and 1, so that this is always or never true",
    f"{EVALUATE} --fail-on esm<150%": "write the bound like 0.8 or 80%",
    f"{EVALUATE} --fail-on esm<nan": "'esm<nan' is not a valid gate",
    f"{EVALUATE} --fail-on ''": "'' is not a valid gate",
    f"{EVALUATE} --run-test-cases": "no case has test cases or setup",
    f"{EVALUATE} --gold-results folder": "folder: no CSV files, neither there nor in exec_result",
    f"{EVALUATE} --spider-tables object.json": "object.json: not a JSON list of objects",
    f"{EVALUATE} --spider-tables folder": "folder: is a directory",
    "evaluate --rescore run/cases --ves 3": "--ves times executions; evaluate the run again",
    # metrics and techniques
    f"{EVALUATE} --metric absent:f": "--metric absent:f: ModuleNotFoundError",
    f"{EVALUATE} --metric own:number": "--metric own:number is not a function",
    f"{EVALUATE} --metric own": "--metric own: write module:function",
    f"{EVALUATE} --metric torn:f": "--metric torn:f: SyntaxError: invalid syntax (torn.py, line 1)",
    f"{EVALUATE} --metric own:f --metric own:f": "--metric: two metrics have the name f",
    f"{EVALUATE} --metric own:esm": "the name esm is taken by a figure of reports and gates",
    f"{EVALUATE} --technique EXACT_COLUMN_AND_EXACT_CELL --technique EXACT_COLUMN_AND_EXACT_CELL": (
        "EXACT_COLUMN_AND_EXACT_CELL is given twice"
    ),
    f"{EVALUATE} --technique SEMANTIC_COLUMN_AND_EXACT_CELL --embedding-model folder": (
        "folder has no embedding model: model.onnx is missing"
    ),
    # judges
    f"{EVALUATE} {JUDGE} --judge-votes 2": "--judge-votes 2: give an odd number of votes",
    f"{EVALUATE} {JUDGE} --judge flex --judge rubric": "choose one judge that needs references",
    f"{EVALUATE} {JUDGE} --judge-budget nan": "nan is not an amount in US dollars",
    f"{EVALUATE} {JUDGE} --judge-price nan 1": "nan is not an amount in US dollars",
    f"{EVALUATE} {JUDGE} --judge-calibration calibration.json": "is not a judge calibration",
    f"{EVALUATE} {JUDGE} --judge-calibration folder": "folder is not a judge calibration",
    f"{EVALUATE} {JUDGE} --judge-examples folder": "folder is not a file of judge examples",
    f"{EVALUATE} {JUDGE} --judge-model a --judge-model b --judge-batch": (
        "--judge-batch supports only one model"
    ),
    f"{SAMPLE} --count 0": "0 is not a whole number above 0",
    f"judge sample run/torn --dsn {DSN} --output i.jsonl": "details.jsonl, line 2: not JSON",
    f"judge sample folder --dsn {DSN} --output i.jsonl": "folder",
    f"{CALIBRATE} --labels labels.jsonl": "labels.jsonl, line 1",
    f"{CALIBRATE} --labels folder": "folder: is a directory",
    # damaged runs
    "evaluate --rescore run/torn": "run/torn/eval/details.jsonl, line 2: not JSON",
    "evaluate --rescore run/foreign": "run/foreign/eval/details.jsonl, line 1",
    "evaluate --rescore run/summary": "run/summary/eval/eval_summary.json",
    "evaluate --rescore run/frames": "run/frames/eval/frames.db is damaged or of another version",
    "evaluate --rescore run/none": "run/none: the run has no cases",
    f"evaluate --rescore run/cases --dsn {DSN}": "that a run has stored; omit --dsn",
    "evaluate --rescore run/cases --input cases.jsonl": "omit --input",
    "evaluate --rescore run/cases --run-dir run/cases": "omit --run-dir",
    "evaluate --rescore run/cases --compare run/cases run/cases": "omit --compare",
    "evaluate --rescore run/cases --no-gold": "omit --no-gold",
    "evaluate --rescore run/cases --no-esm": "omit --no-esm",
    f"{EVALUATE} --judge-url http://[bad/v1 --judge-model m": "base_url is not a URL",
    "evaluate --rescore run/unstored": "frames.db does not exist; evaluate the run with --dsn",
    "evaluate --rescore folder": "folder/eval/details.jsonl does not exist",
    "report run/torn": "run/torn/eval/details.jsonl, line 2: not JSON",
    "report run/foreign": "run/foreign/eval/details.jsonl, line 1",
    "report run/summary": "run/summary/eval/eval_summary.json",
    "report --compare run/cases run/torn": "run/torn/eval/details.jsonl, line 2: not JSON",
    "inspect --run-dir run/torn": "run/torn/eval/details.jsonl, line 2: not JSON",
    "report --leaderboard same.csv": "A",
    "report --leaderboard nameless.csv": "nameless.csv",
    # systems under test
    "generate --input silent.jsonl --call json:loads": "case 1 has no question",
    "generate --input empty.csv --call json:loads": "empty.csv: the file is empty",
    f"{QUESTIONS} --call json:loads --output cases.jsonl": "cases.jsonl",
    f"{QUESTIONS} --call json:loads --samples 0": "0 is not a whole number above 0",
    f"{QUESTIONS} --call json:loads --max-cost 0": "--max-cost needs --model",
    f"{MODEL} --max-cost inf --model-price 1,2": "--max-cost inf: write a sum above 0",
    f"{MODEL} --max-cost nan --model-price 1,2": "--max-cost nan: write a sum above 0",
    f"{MODEL} --max-cost 1 --model-price nan,2": "--model-price nan,2: write IN,OUT",
    f"{MODEL} --max-cost 1 --model-price=-1,2": "--model-price -1,2: write IN,OUT",
    f"{MODEL} --model-price n=1,2": "--model-price n=1,2: no --model is named n; given are m",
    f"{MODEL} --model-key n=env:HOME": "--model-key n=env:HOME: no --model is named n",
    f"{MODEL} --temperature nan": "--temperature nan: write a number from 0 to 2",
    f"{MODEL} --prompt unknown.txt": "unknown placeholder {tables}",
    f"{MODEL} --prompt fixed.txt": "fixed.txt",
    f"{MODEL} --prompt folder": "folder: is a directory",
    f"{MODEL} --prompt object_prompt.json": "object_prompt.json",
    f"{MODEL} --prompt king.json": "king.json",
    f"{SERVICE} --body {{": "--body",
    f"{SERVICE} --body @absent": "absent: no such file or directory",
    f"{SERVICE} --user u": "--user and --password must be given together",
    f"{SERVICE} --field answer=x": "--field answer=x: write FIELD=PATH",
    f"{QUESTIONS} --api-url http://[bad/": "http://[bad/",
    f"{MODEL} --model-url http://[bad/v1": "http://[bad/v1",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with a database, broken files, and an evaluated run with damaged copies."""
    folder, before = tmp_path_factory.mktemp("hostile"), Path.cwd()
    os.chdir(folder)
    try:
        with closing(sqlite3.connect("shop.db")) as shop:
            shop.execute("CREATE TABLE orders (id INTEGER)")
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        Path("utf16.csv").write_text("id,gold,pred\n1,SELECT 1,SELECT 1\n", encoding="utf-16")
        Path("folder").mkdir()
        Path("cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
        assert main(EVALUATE.split()) == 0
        for name in (
            "torn",
            "foreign",
            "summary",
            "frames",
            "unstored",
            "uneven",
            "binary",
            "inputs",
            "none",
        ):
            shutil.copytree("run/cases", f"run/{name}")
        details = Path("run/cases/eval/details.jsonl").read_text()
        Path("run/torn/eval/details.jsonl").write_text(details[:-200])
        Path("run/foreign/eval/details.jsonl").write_text('{"number": 1}\n')
        Path("run/summary/eval/eval_summary.json").write_text("{")
        Path("run/frames/eval/frames.db").write_bytes(b"garbage" * 100)
        Path("run/unstored/eval/frames.db").unlink()
        Path("run/none/eval/details.jsonl").write_text("")
        Path("run/uneven/preds.txt").write_text("SELECT 1\n")
        Path("run/binary/preds.txt").write_bytes(b"\xff\n\xfe\n")
        Path("run/inputs/inputs.json").write_text("[1]")
    finally:
        os.chdir(before)
    return folder


@pytest.mark.parametrize("line", HOSTILE)
def test_a_hostile_line_is_one_sentence_that_names_the_fault(line, place, monkeypatch, capsys):
    """Exit code 2, before anything is run, asked or written."""
    monkeypatch.chdir(place)
    for name in ("SQLOBS_DSN", "SQLOBS_LLM_BASE_URL", "SQLOBS_LLM_MODEL", "SQLOBS_LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    before = _kept(place)
    assert main(shlex.split(line)) == 2
    shown = capsys.readouterr()
    assert HOSTILE[line] in shown.err
    assert shown.err.count("\n") == 1, "one line"
    assert not shown.out
    assert _kept(place) == before


def _kept(place):
    return {path: text for path, text in files_of(place).items() if path.suffix != ".pyc"}
