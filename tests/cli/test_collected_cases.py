"""`sqlobs evaluate --admin`: units of a running collector, evaluated on a database."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from sqlobs import semconv
from sqlobs.cli import main
from sqlobs.runs.run import Run
from sqlobs_collector.evaluation.golden import GoldenFile
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_references import edit
from tests.collector.test_units import unit

COUNT, WRONG = "SELECT count(*) FROM orders", "SELECT count(region) FROM orders"
QUESTION = "How many orders?"
TOKEN = "a token"  # noqa: S105 - of a collector that lives for this module
UNITS = 450
"""More than two pages."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A database for the references."""
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE orders (id INTEGER, region TEXT); INSERT INTO orders VALUES (1, NULL);"
        )
    return path


@pytest.fixture(scope="module")
def admin(tmp_path_factory, shop):
    """The admin address of a collector process that holds units of every kind."""
    folder = tmp_path_factory.mktemp("collector")
    golden = folder / "golden.jsonl"
    golden.write_text(json.dumps({"question": QUESTION, "sql": COUNT, "target": "shop"}))
    process = subprocess.Popen(
        [sys.executable, "-m", "sqlobs_collector", "serve", "--data-dir", str(folder / "data")],
        env={**os.environ, **_settings(golden, shop)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        http, admin = _addresses(process)
        _send(http, records.logs(*_units()))
        wait_until(lambda: _seen(admin) == UNITS)
        yield admin
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def _settings(golden, shop):
    return {
        "SQLOBS_COLLECTOR__LISTEN__HTTP": "127.0.0.1:0",
        "SQLOBS_COLLECTOR__LISTEN__GRPC": "127.0.0.1:0",
        "SQLOBS_COLLECTOR__LISTEN__ADMIN": "127.0.0.1:0",
        "SQLOBS_COLLECTOR__JOURNAL__MIN_FREE_BYTES": "0",
        "SQLOBS_COLLECTOR__GOLDEN__FILE": str(golden),
        "SQLOBS_COLLECTOR__AUTH__TOKENS": json.dumps(
            {"ours": {"ingest": [TOKEN], "read": [TOKEN]}, "theirs": {"read": ["another"]}}
        ),
        "SQLOBS_COLLECTOR__TARGETS": json.dumps(
            {"shop": {"url": f"sqlite:///{shop}", "workspaces": ["ours"]}}
        ),
        "SQLOBS_COLLECTOR__SAMPLING__RATE": "1e-9",
    }


def _addresses(process) -> tuple[str, str]:
    words = process.stdout.readline().replace(",", "").split()
    return tuple(f"http://{words[words.index(name) + 1]}" for name in ("http", "admin"))


def _said(sql=None, reference=None, question=None):
    texts = {
        "sqlobs.query.text": sql,
        "sqlobs.reference.query.text": reference,
        "sqlobs.question.text": question,
    }
    return {name: text for name, text in texts.items() if text is not None}


def _units():
    """Three cases and a correction, spread over pages of units that are none."""
    told = {
        1: _said(WRONG, question="corrected"),
        2: _said(COUNT, question=QUESTION),
        210: _said(COUNT, COUNT, "its own"),
        449: _said(WRONG, COUNT, "the last"),
        5: _said(WRONG, COUNT, "masked"),
        6: _said(WRONG, COUNT, "redacted"),
        7: _said(WRONG, question="without reference"),
    }
    capture = {5: "masked", 6: "redacted"}
    for number in range(UNITS):
        named = {"body": told[number]} if number in told else {}
        yield unit(
            number,
            sqlobs__query__capture=capture.get(number, "raw"),
            sqlobs__target__name="warehouse" if number == 449 else "shop",
            sqlobs__dialect="sqlite",
            **named,
        )
    yield edit(COUNT)


def _send(http, request) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/x-protobuf"}
    body = request.SerializeToString()
    assert httpx.post(f"{http}/v1/logs", content=body, headers=headers).status_code == 200


def _seen(admin) -> int:
    after, seen = 0, 0
    while after is not None:
        page = _page(admin, after=after).json()
        seen, after = seen + page["units"], page["next"]
    return seen


def _page(admin, **parameters):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return httpx.get(f"{admin}/v1/cases", params=parameters, headers=headers)


@pytest.fixture
def place(tmp_path, monkeypatch, shop):
    """A folder for runs, a token in the environment, a DSN."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADMIN_TOKEN", TOKEN)
    monkeypatch.setenv("SQLOBS_DSN", f"sqlite:///{shop.parent}/{{db}}.db")
    return tmp_path


def test_units_with_a_reference_are_evaluated(place, admin, capsys):
    """A unit's own reference, the golden file's; nothing masked, and no user's correction."""
    asked = ["evaluate", "--admin", admin, "--admin-token", "env:ADMIN_TOKEN", "--target", "shop"]
    assert main(asked) == 0
    assert "ESM - 2/2" in capsys.readouterr().out
    lines = (place / "run" / "collector" / "eval" / "details.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["question"], row["pred"], row["gold"], row["db"]) for row in rows] == [
        (QUESTION, COUNT, COUNT, "shop"),
        ("its own", COUNT, COUNT, "shop"),
    ]
    assert rows[0]["id"] == f"00-{records.trace_id(2).hex()}-{records.span_id(2).hex()}"


def test_units_without_a_reference_are_evaluated_with_no_gold(place, admin, capsys):
    """All units with raw SQL are cases; the others are counted, in the report as on stderr."""
    asked = ["evaluate", "--admin", admin, "--admin-token", "env:ADMIN_TOKEN", "--target", "shop"]
    assert main([*asked, "--no-gold"]) == 0
    shown = capsys.readouterr()
    rows = Run.read(place / "run" / "collector").cases
    assert {"corrected", QUESTION, "without reference"} <= {row.question for row in rows}
    assert not any(row.has_reference for row in rows)
    assert len(rows) == UNITS - 1 - 2, "one is for another target, two are masked"
    assert "2 units skipped: they have no raw SQL" in shown.err
    assert "2 skipped: no raw SQL" in shown.out
    assert main(asked) == 0
    assert "skipped: no raw SQL, or no reference" in capsys.readouterr().out


def _golden(question):
    return {"question": question, "sql": COUNT, "target": "shop"}


def test_units_with_a_reference_become_lines_of_a_golden_file(place, admin, capsys):
    """What the file has is left as it is; a second run adds nothing, and both readers take it."""
    file = place / "golden.jsonl"
    file.write_text(json.dumps({"sql": COUNT, "target": "shop", "question": QUESTION}))
    asked = ["golden", str(file), "--admin", admin, "--admin-token", "env:ADMIN_TOKEN", "--yes"]
    asked += ["--target", "shop"]
    assert main(asked) == 0
    waiting = "1 statement corrected by a user awaits a decision: run without --yes"
    said = capsys.readouterr()
    assert said.out == f"{file}: 1 of 1 new questions added, 1 already present\n"
    assert said.err == f"{waiting} on a terminal\n"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines == [_golden(QUESTION), _golden("its own")]
    assert main(asked) == 0
    assert capsys.readouterr().out == f"{file}: 0 of 0 new questions added, 2 already present\n"
    assert len(GoldenFile.read(file, key=b"key").cases) == 2


def test_a_line_separator_in_a_question_does_not_end_the_line(place, capsys):
    """JSON leaves U+2028 as it is; command and collector read back what was written."""
    asked = {"question": "Orders of\u2028one region?", "solution": COUNT, "db": "shop"}
    (place / "export.jsonl").write_text(json.dumps(asked))
    file = place / "golden.jsonl"
    given = ["golden", str(file), "--input", str(place / "export.jsonl"), "--yes"]
    assert [main(given), main(given)] == [0, 0]
    assert "0 of 0 new questions added, 1 already present" in capsys.readouterr().out
    assert len(GoldenFile.read(file, key=b"key").cases) == 1


def test_an_export_with_corrections_alone_offers_them(tmp_path, capsys, monkeypatch):
    """No unit has a reference: what users put right is not lost, and a person decides about it."""
    said = {"record_id": "r", "occurred_ns": 10**18, "kind": "edit", "value": "corrected"}
    texts = {semconv.SQLOBS_QUERY_TEXT: "SELECT 2", semconv.SQLOBS_QUESTION_TEXT: "How many?"}
    unit = {"trace_id": "aa", "span_id": "bb", "target": "shop", "texts": texts, "evaluations": []}
    unit |= {"occurred_ns": 10**18, "state": "evaluated", "workflow": "ask"}
    unit |= {"attributes": {}, "feedback": [said | {"corrected_sql": COUNT}]}
    (tmp_path / "export.jsonl").write_text(json.dumps(unit) + "\n")
    file = tmp_path / "golden.jsonl"
    given = ["golden", str(file), "--input", str(tmp_path / "export.jsonl")]
    assert main([*given, "--yes"]) == 0
    assert "1 statement corrected by a user awaits a decision" in capsys.readouterr().err
    assert not file.exists()
    (tmp_path / "broken.jsonl").write_text(json.dumps(unit | {"state": 1}) + "\n")
    assert main([*given[:-1], str(tmp_path / "broken.jsonl"), "--yes"]) == 2
    assert "broken.jsonl, line 1: state: " in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: "y")
    assert main(given) == 0
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {"question": "How many?", "sql": COUNT, "target": "shop"}
    ]


def test_each_question_is_decided_by_a_person(place, admin, capsys, monkeypatch):
    """`n` leaves one out, `q` ends; what was decided is kept."""
    answers = iter(["what?", "n", "y", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    file = place / "golden.jsonl"
    assert main(["golden", str(file), "--admin", admin, "--admin-token", "env:ADMIN_TOKEN"]) == 0
    shown = capsys.readouterr().out
    assert f"\n{QUESTION}\n{COUNT}\n" in shown
    assert shown.endswith(f"{file}: 1 of 4 new questions added, 0 already present\n")
    assert [json.loads(line) for line in file.read_text().splitlines()] == [_golden("its own")]


def test_a_correction_is_added_only_after_a_person_accepts_it(place, admin, capsys, monkeypatch):
    """It is shown with what became of it: the last question, behind those with a reference."""
    answers = iter(["n", "n", "n", "y"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    file = place / "golden.jsonl"
    assert main(["golden", str(file), "--admin", admin, "--admin-token", "env:ADMIN_TOKEN"]) == 0
    shown = capsys.readouterr().out
    (facts,) = re.findall(rf"\ncorrected\n{re.escape(COUNT)}\n  (.*)\n", shown)
    assert facts.startswith("proposed by a user, ")
    assert facts.partition("UTC, ")[2] in {
        "not evaluated yet",
        "check: ok, run: pass, same rows as the answer: no",
    }
    assert [json.loads(line) for line in file.read_text().splitlines()] == [_golden("corrected")]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            ["--input", "given.jsonl", "--admin", "http://127.0.0.1:9"],
            "give either a collector (--admin URL) or its export (--input EXPORT)",
        ),
        (["--admin", "http://127.0.0.1:9"], "no collector responds at http://127.0.0.1:9"),
        (
            ["--input", "given.jsonl"],
            "1 questions are new; add them with --yes or run on a terminal",
        ),
        (["--input", "given.jsonl", "--broken"], "golden.jsonl, line 2: not JSON"),
    ],
)
def test_a_golden_file_that_cannot_be_used_gives_one_error_sentence(place, more, sentence, capsys):
    """Exit code 2, and the file is as it was."""
    (place / "given.jsonl").write_text(json.dumps({"question": "How many?", "sql": COUNT}))
    text = "{}\nbroken" if "--broken" in more else "{}\n"
    (place / "golden.jsonl").write_text(text)
    assert main(["golden", "golden.jsonl", *(one for one in more if one != "--broken")]) == 2
    assert sentence in capsys.readouterr().err
    assert (place / "golden.jsonl").read_text() == text


def test_the_first_cases_are_enough_where_few_are_wanted(place, admin, capsys, monkeypatch):
    """`--question-rows` and the token of the variable hold here, too."""
    asked = ["evaluate", "--admin", admin, "--question-rows", "1", "--no-esm"]
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN_TOKEN", TOKEN)
    assert main(asked) == 0
    assert "EM  - 1/1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--admin-token", "env:WRONG"], "does not accept this token"),
        ([], "several workspaces are configured: send a token of one"),
        (["--admin-token", "env:UNSET"], "environment variable UNSET is not set"),
        (["--admin-token", "env:THEIRS"], "has no matching unit"),
        (["--admin-token", "env:ADMIN_TOKEN", "--since", "2100-01-01"], "has no matching unit"),
        (["--admin-token", "env:ADMIN_TOKEN", "--since", "soon"], "'soon' is not a time"),
        (
            ["--admin-token", "env:ADMIN_TOKEN", "--input", "x.csv"],
            "do not combine it with other inputs",
        ),
    ],
)
def test_unreadable_input_gives_one_error_sentence(
    place, admin, capsys, monkeypatch, more, sentence
):
    """Exit code 2; the sentence says what to do."""
    monkeypatch.setenv("WRONG", "nonsense")
    monkeypatch.setenv("THEIRS", "another")
    assert main(["evaluate", "--admin", admin, *more]) == 2
    _one_sentence(capsys, sentence)


def test_units_of_several_targets_need_a_database_each(place, admin, capsys, monkeypatch, shop):
    """One DSN for all would run them on the wrong database."""
    monkeypatch.setenv("SQLOBS_DSN", f"sqlite:///{shop}")
    assert main(["evaluate", "--admin", admin, "--admin-token", "env:ADMIN_TOKEN"]) == 2
    _one_sentence(
        capsys, "several targets (shop, warehouse); choose one with --target, give --dsn TARGET=URL"
    )


def test_a_sample_of_units_for_human_labels_has_rows_and_schema(place, admin, capsys, shop):
    """Both kinds: what returns the reference's result, and what does not, each on its target."""
    given = ["judge", "sample", "--admin", admin, "--admin-token", "env:ADMIN_TOKEN"]
    given += ["--dsn", f"shop=sqlite:///{shop}", "--dsn", f"warehouse=sqlite:///{shop}"]
    assert main([*given, "--count", "2", "--output", "items.jsonl"]) == 0
    shown = capsys.readouterr()
    assert shown.out.endswith("different results: 1 of 1\n  equal results: 1 of 2\n")
    items = [json.loads(line) for line in (place / "items.jsonl").read_text().splitlines()]
    assert {item["results_equal"] for item in items} == {True, False}
    wrong = next(item for item in items if not item["results_equal"])
    assert (wrong["question"], wrong["predicted_sql"], wrong["reference_sql"]) == (
        *("the last", WRONG, COUNT),
    )
    assert wrong["schema"].startswith("CREATE TABLE orders (")
    assert ("0" in wrong["predicted_result"], "1" in wrong["reference_result"]) == (True, True)


def test_units_without_references_are_counted(place, admin, capsys):
    """The sentence says how many were seen and what they lack."""
    asked = ["evaluate", "--admin", admin, "--admin-token", "env:ADMIN_TOKEN"]
    assert main([*asked, "--dsn", "postgresql://nobody@127.0.0.1:9/x"]) == 2
    _one_sentence(capsys, "none of the 3 cases")
    assert main([*asked, "--until", "2027-01-15", "--target", "nowhere"]) == 2
    _one_sentence(capsys, "has no matching unit")


@pytest.mark.parametrize(
    "answer", [b"<html>", b"[]", b'{"cases": [1], "units": 1, "next": null}', b'{"cases": []}']
)
def test_another_server_is_no_collector(place, capsys, answer):
    """Whatever it answers: one sentence."""

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            """Be silent."""

    with HTTPServer(("127.0.0.1", 0), Stranger) as server:
        threading.Thread(target=server.serve_forever).start()
        assert main(["evaluate", "--admin", f"http://127.0.0.1:{server.server_port}"]) == 2
        server.shutdown()
    _one_sentence(capsys, "Is it a collector's admin port?")


def test_pages_are_chosen_by_whole_numbers(admin):
    """Anything else is a bad request, not an error of the server."""
    for parameters in ({"after": "x"}, {"since_ns": -1}, {"until_ns": 2**63}):
        answer = _page(admin, **parameters)
        assert (answer.status_code, list(answer.json())) == (400, ["error"])


def _one_sentence(capsys, sentence: str) -> None:
    found = capsys.readouterr().err
    assert sentence in found
    assert len(found.splitlines()) == 1


def test_the_collector_of_the_environment_is_asked_without_an_option(
    place, admin, capsys, monkeypatch
):
    """`SQLOBS_COLLECTOR_ADMIN` is the default of `golden`, and of a bare `--admin` elsewhere."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN", admin)
    given = ["golden", str(place / "golden.jsonl"), "--admin-token", "env:ADMIN_TOKEN", "--yes"]
    assert main(given) == 0
    assert "3 of 3 new questions added" in capsys.readouterr().out
