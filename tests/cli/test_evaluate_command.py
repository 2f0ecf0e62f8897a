"""`sqlobs evaluate` and `sqlobs inspect` from the command line, on a real database."""

from __future__ import annotations

import json
import sqlite3
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from sqlobs.cli import main
from sqlobs.evaluation.resumption import held
from sqlobs.judge.replay import ChatReply, serving


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


def test_examples_are_given_to_programs(place, capsys):
    """`inspect --json`: counts of all buckets, and the cases of each as in `details.jsonl`."""
    assert main(["evaluate"]) == 0
    details = place / "run" / "run_20260101_000000" / "eval" / "details.jsonl"
    lines = [json.loads(line) for line in details.read_text().splitlines()]
    capsys.readouterr()
    assert main(["inspect", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["name"], document["total"]) == ("run_20260101_000000", 3)
    assert {name: count for name, count in document["buckets"].items() if count} == {
        "ok": 2,
        "mismatch": 1,
    }
    assert document["examples"] == {"mismatch": [lines[1]]}
    assert main(["inspect", "--json", "--max-examples", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] == {}


@pytest.mark.parametrize("count", ["-1", "1.5", "many"])
def test_an_invalid_number_of_examples_is_rejected(place, capsys, count):
    """A wrong number is wrong usage, not an empty answer."""
    assert main(["inspect", "--max_examples", count]) == 2
    assert f"{count} is not a whole number of at least 0" in capsys.readouterr().err


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
        (["--input", "none.xlsx"], "none.xlsx: no such file or directory"),
        (["--input", "cases.csv", "--predictions", "none"], "none: no such file or directory"),
        (["--input", "cases.csv", "--predictions", "run"], "run: is a directory"),
        (["--input", "cases.csv", "--predictions", "README"], "README: cases are read from"),
        (["--input", "cases.csv"], "cases.csv has no predictions: its fields are"),
        (["--dsn", "sqlite:///none.db"], "cannot evaluate on sqlite:///none.db"),
        (["--exec_timeout", "0"], "0 is not a number of seconds above 0"),
        (["--dsn", "nothing://x"], "cannot execute on 'nothing'"),
    ],
)
def test_invalid_input_gives_one_error_sentence(place, capsys, arguments, message):
    """Exit code 2, a sentence on stderr, no traceback."""
    (place / "cases.csv").write_text("question,solution\nx,SELECT 1\n")
    (place / "README").touch()
    assert main(["evaluate", *arguments]) == 2
    found = capsys.readouterr().err
    assert found.startswith(("sqlobs evaluate: ", "sqlobs: "))
    assert message in found
    assert len(found.splitlines()) == 1


def test_a_broken_disk_or_folder_is_one_sentence(place, capsys):
    """Errors of the operating system name the path; so does a directory that another run uses."""
    (place / "cases.csv").write_text("gold,pred\nSELECT 1,SELECT 1\n")
    (place / "file").touch()
    run = place / "run" / "run_20260101_000000"
    for arguments, message in {
        ("--input", "cases.csv", "--run_dir", "file/x"): "file/x: not a directory",
        (
            "--input",
            "cases.csv",
            "--output",
            "none/x.xlsx",
        ): "none/x.xlsx: the directory none does not exist",
        ("--run_dir", str(run)): "another evaluation is writing to this directory",
    }.items():
        (run / "eval").mkdir(exist_ok=True)
        with held(run / "eval"):
            assert main(["evaluate", *arguments]) == 2
        found = capsys.readouterr().err
        assert message in found
        assert len(found.splitlines()) == 1


def test_unknown_fields_are_listed(place, capsys):
    """The remedy is named; a gold file of Spider brings the database of each line."""
    (place / "cases.csv").write_text("Frage,Antwort\nx,SELECT 1\n")
    assert main(["evaluate", "--input", "cases.csv"]) == 2
    assert (
        "its fields are Frage, Antwort; name their column with --column sol"
        in capsys.readouterr().err
    )
    assert main(["evaluate", "--input", "cases.csv", "--column", "solution=Antwort"]) == 2
    assert "its fields are Frage, Antwort; give --predictions" in capsys.readouterr().err
    (place / "cases.csv").write_text("gold,gold\nSELECT 1,SELECT 2\n")
    assert main(["evaluate", "--input", "cases.csv"]) == 2
    assert "two columns have the name gold" in capsys.readouterr().err
    run = place / "run" / "run_20260101_000000"
    (run / "gold.txt").write_text("SELECT a FROM t\tshop\nSELECT 1\tshop\n")
    (run / "preds.txt").write_text("SELECT a FROM t\nSELECT 1\n")
    assert main(["evaluate", "--dsn", f"sqlite:///{place}/{{db}}.db"]) == 0
    assert "ESM - 2/2" in capsys.readouterr().out


def test_without_a_database_nothing_can_be_executed(place, capsys, monkeypatch):
    """The remedy is named; with --no_esm none is needed."""
    monkeypatch.delenv("SQLOBS_DSN")
    assert main(["evaluate"]) == 2
    assert "give --dsn, set SQLOBS_DSN, or use --no-esm" in capsys.readouterr().err
    assert main(["evaluate", "--no_esm"]) == 0
    assert "ESM" not in capsys.readouterr().out


def test_references_that_are_templates_are_reported(place, capsys):
    """Read as they stand they are no query, and the score is lower for it."""
    (place / "cases.csv").write_text(
        "gold,prediction\n"
        "SELECT {a} FROM t,SELECT a FROM t\n"
        "SELECT a FROM t; SELECT max(a) FROM t,SELECT max(a) FROM t\n"
        "SELECT a FROM t;,SELECT a FROM t\n"
    )
    hint = (
        "2 of 3 references failed and contain several statements (`;`) or sets of columns"
        " (`{a, b}`); evaluate them with --gold-templates\n"
    )
    for more in ([], ["--json"]):
        assert main(["evaluate", "--input", "cases.csv", *more]) == 0
        assert capsys.readouterr().err == hint
    assert main(["evaluate", "--input", "cases.csv", "--gold-templates"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "ESM - 3/3" in shown.out


def test_what_is_for_another_dialect_is_left_out_and_told(place, capsys):
    """Cases, references by dialect, and predictions; a file with nothing else is an error."""
    cases = [
        {"id": "a", "gold": "SELECT a FROM t", "dialect": "sqlite"},
        {"id": "b", "gold": "SELECT a FROM t", "dialect": "postgres"},
        {"id": "c", "gold": {"mysql": "SELECT 1"}},
        {"id": "d", "gold": {"sqlite": "SELECT max(a) FROM t"}},
    ]
    answers = [
        {"id": name, "completion": "SELECT a FROM t", "dialect": dialect}
        for name, dialect in (("a", "sqlite"), ("b", "postgres"), ("d", "postgres"))
    ]
    for name, records in (("cases", cases), ("answers", answers), ("others", answers[1:])):
        text = "".join(json.dumps(record) + "\n" for record in records)
        (place / f"{name}.jsonl").write_text(text)
    command = ["evaluate", "--input", "cases.jsonl", "--predictions"]
    assert main([*command, "answers.jsonl"]) == 0
    shown = capsys.readouterr()
    here = "this DSN runs sqlite only, so evaluate them with their own DSN\n"
    assert shown.err == (
        f"cases skipped: 1 for postgres, 1 for mysql; {here}"
        f"predictions skipped: 2 for postgres; {here}"
    )
    assert "total: 2" in shown.out
    assert main([*command, "others.jsonl"]) == 2
    assert (
        "others.jsonl: all 2 predictions are for postgres, but statements run as sqlite"
        in capsys.readouterr().err
    )


def test_no_gate_passes_where_nothing_ran(place, capsys):
    """`--no-esm` leaves nothing to count."""
    assert main(["evaluate", "--no-esm", "--fail-on", "gold_fail>0"]) == 1
    assert (
        "gold_fail>0: failed, gold_fail was not evaluated in this run: no statement was executed"
        in capsys.readouterr().out
    )


def test_reports_and_gates_come_with_the_evaluation(place, capsys):
    """One command writes the page and fails where a gate says so."""
    assert main(["evaluate", "--output", "report.html", "--output", "junit.xml"]) == 0
    assert (place / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert "<testsuite" in (place / "junit.xml").read_text()
    capsys.readouterr()
    assert main(["evaluate", "--fail-on", "esm<0.9"]) == 1
    assert "esm" in capsys.readouterr().out.splitlines()[-1]
    assert main(["evaluate", "--output", "report.doc"]) == 2
    assert "must end in .html, .xlsx, .xml" in capsys.readouterr().err


class Catalogue(BaseHTTPRequestHandler):
    """Answers every statement with one row that holds its text, as Denodo's catalog does."""

    seen: ClassVar[list[tuple[str, str, object]]] = []

    def do_POST(self):
        """Answer, and remember how it was asked."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.path, self.headers["Authorization"], body["limit"]))
        value = body["vql"].upper().removesuffix(" ")
        content = json.dumps({"rows": [{"values": [{"column": "c", "value": value}]}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Stay silent."""


def test_statements_of_a_language_without_a_parser_run_on_a_service(place, capsys, monkeypatch):
    """Denodo's variables come from a file; VQL passes by its leading keyword."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Catalogue)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    (place / "env").write_text(
        f"# the catalogue\nDATA_CATALOG_URL='http://127.0.0.1:{server.server_port}/catalog/'\n"
        "export DATA_CATALOG_SERVER_ID=3\nDATA_CATALOG_VERIFY_SSL=0\n"
    )
    monkeypatch.setenv("VDP_PASSWORD", "secret")
    run = place / "run" / "run_20260101_000000"
    (run / "gold.txt").write_text("SELECT a FROM v CONTEXT('i18n' = 'x')\nSELECT 1\nDROP VIEW v\n")
    (run / "preds.txt").write_text("select A from v context('i18n' = 'X')\nSELECT 2\nSELECT 1\n")
    arguments = ["--query-user", "ann", "--query-password", "env:VDP_PASSWORD", "--no_em"]
    try:
        assert main(["evaluate", "--query-preset", "denodo", "--env-file", "env", *arguments]) == 0
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    shown = capsys.readouterr().out
    assert "ESM - 1/3" in shown
    assert "non_select: 1" in shown
    login = "Basic " + b64encode(b"ann:secret").decode()
    execute = "/catalog/public/api/askaquestion/execute?serverId=3"
    assert set(Catalogue.seen) == {(execute, login, 100_001)}


class Refusing(BaseHTTPRequestHandler):
    """A service that says of a column that it is not there, and of a value that it is not one."""

    def do_POST(self):
        """Answer what is asked about `t`, and refuse the rest."""
        sql = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["sql"]
        error = "no such column: totl" if "totl" in sql else "not a number: 'ann@shop.example'"
        is_known = sql == "SELECT a FROM t"
        content = json.dumps({"rows": [{"a": 1}]} if is_known else {"error": error}).encode()
        self.send_response(200 if is_known else 400)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Stay silent."""


def test_the_name_that_a_service_does_not_know_is_readable(place, capsys):
    """The invented name is what the user looks for; values stay masked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    (place / "cases.csv").write_text(
        "gold,prediction\nSELECT a FROM t,SELECT totl FROM t\nSELECT a FROM t,SELECT a + b FROM t\n"
    )
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        assert main(["evaluate", "--input", "cases.csv", "--query-url", url]) == 0
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    details = (place / "run" / "cases" / "eval" / "details.jsonl").read_text()
    rows = [json.loads(line) for line in details.splitlines()]
    assert [(row["bucket"], row["reason"]) for row in rows] == [
        ("pred_fail", "prediction: no such column: totl"),
        ("pred_fail", "prediction: not a number: ?"),
    ]
    assert "ann@shop" not in details


def test_a_judge_is_the_one_of_the_environment_or_of_the_options(place, capsys, monkeypatch):
    """`--judge flex` asks whom `SQLOBS_LLM_*` names; options name another."""
    for variable in ("SQLOBS_LLM_BASE_URL", "SQLOBS_LLM_MODEL", "SQLOBS_LLM_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    case = {
        "id": "x",
        "question": "All?",
        "gold": "SELECT a FROM t",
        "prediction": "SELECT a FROM t",
    }
    (place / "cases.jsonl").write_text(json.dumps(case))
    judged = ["evaluate", "--input", "cases.jsonl", "--json", "--judge", "flex"]
    assert main(judged) == 2
    assert "SQLOBS_LLM_MODEL" in capsys.readouterr().err
    with serving(lambda request: ChatReply('```json\n{"correct": true}\n```')) as server:
        monkeypatch.setenv("SQLOBS_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("SQLOBS_LLM_MODEL", "recorded")
        for options in ([], ["--judge-url", server.base_url, "--judge-model", "other"]):
            assert main([*judged, *options]) == 0
        assert {request.document["model"] for request in server.requests} == {"recorded", "other"}
