"""A system under test is asked all questions once, and what it answers becomes a run."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import openpyxl
import pytest

import sqlobs
from sqlobs.cli import main
from sqlobs.errors import InputError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.generation import http
from sqlobs.evaluation.generation.call import CallSystem
from sqlobs.evaluation.generation.directory import PROGRESS
from sqlobs.evaluation.generation.placeholders import PLACEHOLDERS
from sqlobs.evaluation.generation.run import GenerationSettings, generate_run
from sqlobs.evaluation.loading.run_files import read_run_directory
from sqlobs.execution.json_template import at_path, filled, read_template
from sqlobs.runs.case import GenerationRecord
from tests.evaluation.service import STAGES, Service, serving

QUESTIONS = 50


@pytest.fixture
def questions(tmp_path):
    """A workbook as Denodo's evaluator reads it."""
    book = openpyxl.Workbook()
    book.active.append(["Question", "Solution", "difficulty", "context"])
    for number in range(QUESTIONS):
        book.active.append([f"What is {number}", f"SELECT {number}", number % 3 + 1, 'say "so"'])
    path = tmp_path / "questions.xlsx"
    book.save(path)
    return path


@pytest.fixture
def service():
    """A service that takes a little while."""
    with serving(Service(delay_s=0.05)) as running:
        yield running


def command(questions, service, output):
    return [
        *("generate", "--input", str(questions), "--output", str(output)),
        *("--api-url", service.url, "--user", "ann", "--password", "env:API_PASSWORD"),
        *("--concurrency", "5"),
    ]


def asked_in_the_end(service):
    """Return how many questions came, once those that were in progress have come too."""
    count = -1
    while count != len(service.asked):
        count = len(service.asked)
        time.sleep(0.3)
    return count


def test_an_interrupted_run_asks_no_question_twice_and_keeps_the_times(
    tmp_path, questions, service, monkeypatch, capsys
):
    """50 questions with delays, errors and a kill: times equal the service's own log."""
    monkeypatch.setenv("API_PASSWORD", "secret")
    arguments = command(questions, service, tmp_path / "run")
    process = subprocess.Popen([sys.executable, "-m", "sqlobs", *arguments], env=os.environ)
    while len(service.asked) < QUESTIONS // 3:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    [partial] = (tmp_path / "run").glob(f"run_*/{PROGRESS}")
    kept = len(partial.read_text().splitlines()) - 1
    assert 0 < kept < QUESTIONS
    asked_before = asked_in_the_end(service)
    assert main(arguments) == 0
    assert len(service.asked) - asked_before == QUESTIONS - kept
    directory = partial.parent
    assert capsys.readouterr().out == (
        f"{directory}: 50 questions (35 answered, 10 error, 5 refused)\n"
    )
    assert not partial.exists()
    lines = [json.loads(line) for line in (directory / "summary.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        assert list(line)[:6] == ["index", "id", "difficulty", "status", "error", "model"]
        if number % 10 in {3, 4}:
            assert line["status"] == "error"
            continue
        assert {name: line[name] for name in STAGES} in service.log[f"What is {number}"]
        assert (line["model"], line["tokens"], line["output_tokens"]) == ("m", 7 + number, number)
    assert lines[3]["error"] == 'RefusedError: HTTP 500: {"detail": "no model"}'
    assert lines[4]["error"].startswith("RefusedError: the answer is not JSON: <html>")
    predictions = (directory / "preds.txt").read_text().splitlines()
    assert predictions[2:7] == ["SELECT 2  AS n", "None", "None", "None", "SELECT 6  AS n"]
    assert (directory / "gold.txt").read_text().splitlines()[7] == "SELECT 7"
    assert service.bodies[0]["custom_instructions"] == 'say "so"'
    assert read_run_directory(directory)[8].generation.output_tokens == 8


def test_a_wrong_password_is_reported_once(tmp_path, questions, service, monkeypatch, capsys):
    """The run says so of each question; no password is read from arguments."""
    monkeypatch.setenv("API_PASSWORD", "wrong")
    arguments = [*command(questions, service, tmp_path / "run"), "--question-rows", "2"]
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert "rejected every request (HTTP 401: who are you?); check --user, --password," in told
    [summary] = (tmp_path / "run").glob("run_*/summary.jsonl")
    assert "HTTP 401: who are you?" in summary.read_text()
    assert main([*arguments, "--password", "secret"]) == 2
    assert "write env:NAME" in capsys.readouterr().err


class Busy(Service):
    """Wants patience: the first question once, the second forever."""

    def answer(self, body):
        if body["question"] in self.asked and not body["question"].endswith("1"):
            return super().answer(body)
        self.asked.append(body["question"])
        return 429, b"slow down"


def test_a_busy_service_is_retried_after_its_retry_after(tmp_path, questions, monkeypatch, capsys):
    """Being busy is no answer; who never has time is an error with the service's word."""
    monkeypatch.setenv("API_PASSWORD", "secret")
    monkeypatch.setattr(http, "_PAUSES_S", (0.01, 0.01))
    with serving(Busy()) as busy:
        arguments = [*command(questions, busy, tmp_path / "run"), "--question-rows", "2"]
        assert main(arguments) == 0
    assert "2 questions (1 answered, 1 error)" in capsys.readouterr().out
    assert sorted(busy.asked) == ["What is 0"] * 2 + ["What is 1"] * 3
    [summary] = (tmp_path / "run").glob("run_*/summary.jsonl")
    assert "HTTP 429: slow down" in summary.read_text()


class Other(Service):
    """Answers in a shape of its own: one document a question, the last one forever."""

    def __init__(self, *documents):
        super().__init__()
        self.documents = list(documents)

    def answer(self, body):
        self.asked.append(body["question"])
        return 200, json.dumps(
            self.documents[min(len(self.asked), len(self.documents)) - 1]
        ).encode()


def ask(questions, service, output, *more):
    """Ask three questions one after the other."""
    arguments = [*command(questions, service, output), "--preset", "plain", *more]
    return main([*arguments, "--concurrency", "1", "--question-rows", "3"])


@pytest.mark.parametrize(
    ("document", "field", "fault"),
    [
        (
            {"a": {"sql": "SELECT 1"}, "b": 1},
            "sql=a.nope",
            "no text at a.nope; its fields are a, b",
        ),
        ([], "sql=sql", "no text at sql; it is a list, not an object"),
        ("SELECT 1", "sql=sql", "no text at sql; it is a str, not an object"),
        ({"sql": {"text": "SELECT 1"}}, "sql=sql", "no text at sql; its fields are sql"),
    ],
)
def test_a_path_without_a_value_is_reported(
    tmp_path, questions, monkeypatch, capsys, document, field, fault
):
    """A wrong map is an error of each question, and of the command where no answer has it."""
    monkeypatch.setenv("API_PASSWORD", "secret")
    with serving(Other(document)) as other:
        code = ask(questions, other, tmp_path / "run", "--field", field)
    [summary] = (tmp_path / "run").glob("run_*/summary.jsonl")
    lines = [json.loads(line) for line in summary.read_text().splitlines()]
    assert {line["status"] for line in lines} == {"error"}
    assert all(fault in line["error"] for line in lines)
    assert code == 2
    assert capsys.readouterr().err.endswith(
        "no response has SQL at the expected path; set the path with --field sql=PATH:"
        f" RefusedError: the answer has {fault}\n"
    )


def test_counts_are_given_to_programs(tmp_path, questions, monkeypatch, capsys):
    """`generate --json`: the run's directory, and how the questions ended."""
    monkeypatch.setenv("API_PASSWORD", "secret")
    with serving(Other({"sql": "SELECT 1"}, {"sql": ""})) as other:
        assert ask(questions, other, tmp_path / "run", "--json") == 0
    [directory] = (tmp_path / "run").iterdir()
    run = {
        "directory": str(directory),
        "questions": 3,
        "statuses": {"answered": 1, "refused": 2},
    }
    assert json.loads(capsys.readouterr().out) == {**run, "runs": [run], "repeated_calls": 0}


def test_an_answer_that_lacks_a_field_stops_no_other(tmp_path, questions, monkeypatch, capsys):
    """Null is a refusal; one answer without the field is an error; a wrong optional one is said."""
    monkeypatch.setenv("API_PASSWORD", "secret")
    documents = ({"sql": "SELECT 1", "cost": 2}, {"sql": None}, {"error": "?"})
    with serving(Other(*documents)) as other:
        fields = ("--field", "cost=cost", "--field", "llm_time=times.llm")
        assert ask(questions, other, tmp_path / "run", *fields) == 0
    shown = capsys.readouterr()
    assert shown.out.endswith("3 questions (1 answered, 1 error, 1 refused)\n")
    assert "--field llm_time=times.llm: no response has a value at this path\n" in shown.err
    assert "cost=" not in shown.err


@sqlobs.trace_generation
def decorated(question: str, context: str) -> str:
    """Answer after one repair, with a model call that the span sees."""
    generation = sqlobs.current_generation()
    generation.attempt("SELEC 1")
    with sqlobs.trace_llm(model="m"):
        generation.set(input_tokens=3, output_tokens=4)
    return f"```sql\nSELECT '{context}' AS x\n```"


def test_a_decorated_function_tells_what_its_span_saw(tmp_path):
    """Attempts, model, tokens and stage times come from the trace; the rest is measured."""
    case = Case(index=0, question="?", references=("SELECT 1",), hint="h")
    directory = generate_run([case], CallSystem(decorated), tmp_path, GenerationSettings())
    [found] = read_run_directory(directory)
    record = found.generation
    assert found.predicted_sql == "SELECT 'h' AS x"
    assert (record.status, record.model, record.attempts) == ("answered", "m", 2)
    assert (record.input_tokens, record.output_tokens) == (3, 4)
    assert 0 < record.llm_time <= record.total_execution_time


async def concurrent(question: str) -> str | None:
    """Answer as the question says."""
    if question == "hang":
        import asyncio

        await asyncio.sleep(60)
    if question == "raise":
        raise ValueError("bad\nluck")
    return None if question == "refuse" else "SELECT 1"


def sleeping(question: str) -> str:
    """Never answer in time."""
    time.sleep(60 if question == "hang" else 0)
    return "SELECT 1"


@pytest.mark.parametrize("function", [concurrent, sleeping])
def test_refusals_errors_and_timeouts_are_data(tmp_path, function):
    """A function that hangs, raises or gives nothing does not stop the run."""
    asked = ["hang", "fine"] if function is sleeping else ["hang", "raise", "refuse", "fine"]
    cases = [Case(index=at, question=text, references=("x",)) for at, text in enumerate(asked)]
    settings = GenerationSettings(concurrency=2, timeout_s=1.0)
    directory = generate_run(cases, CallSystem(function), tmp_path, settings)
    found = {case.question: case for case in read_run_directory(directory)}
    assert found["hang"].generation.status == "timeout"
    assert found["fine"].predicted_sql == "SELECT 1"
    if function is concurrent:
        assert found["raise"].generation.error == "ValueError: bad\nluck"
        assert found["refuse"].generation.status == "refused"
    assert (directory / "preds.txt").read_text().count("None\n") == len(asked) - 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("json", "write module:function"),
        ("nomodule_x:f", "ModuleNotFoundError"),
        ("json:nothing", "AttributeError"),
        ("json:__name__", "is not a function"),
    ],
)
def test_a_value_that_is_not_callable_is_named_in_the_error(name, message):
    """One sentence says what is wrong with --call."""
    with pytest.raises(InputError, match=message):
        CallSystem.named(name)


def test_a_missing_question_is_rejected(tmp_path):
    """A case without a question cannot be asked."""
    with pytest.raises(InputError, match="case 0 has no question"):
        generate_run([Case(index=0)], CallSystem(concurrent), tmp_path, GenerationSettings())
    assert list(Path(tmp_path).iterdir()) == []


def test_values_cannot_break_out_of_a_template():
    """Quotes, braces and places inside a value stay text."""
    value = '", "x": "{context}'
    assert filled({"a": ["{question}!{context}"]}, {"question": value, "context": "c"}) == {
        "a": [f"{value}!c"]
    }
    assert at_path({"a": [1]}, "a.5") is at_path("text", "a") is None
    assert GenerationRecord().status == "answered"


KNOWN = "known are {question}, {schema}, {hints}, {context}, {dialect}, {db}, {id}"


@pytest.mark.parametrize(
    ("option", "body", "message"),
    [
        (
            "--body",
            '{"q": "{question}", "s": ["{tables}"]}',
            f"--body: unknown placeholder {{tables}}; {KNOWN}. Write {{{{tables}}}} to send {{tables}}",
        ),
        ("--body", '{"q": "all"}', f"--body: the body has no placeholder; {KNOWN}"),
        ("--body", '{"q": "{{question}}"}', f"--body: the body has no placeholder; {KNOWN}"),
        ("--body", "{question}", "--body: the body is not JSON"),
        (
            "--query-body",
            '{"q": "{statement}"}',
            "--query-body: unknown placeholder {statement}; known are {sql}.",
        ),
    ],
)
def test_a_placeholder_that_nothing_fills_is_rejected(
    tmp_path, questions, capsys, option, body, message
):
    """Sent literally, it would tell the system nothing, and nobody would notice."""
    url = "http://127.0.0.1:9"
    arguments = ["evaluate", "--input", str(questions), "--api-url", url, "--query-url", url]
    assert main([*arguments, "--run-dir", str(tmp_path / "run"), option, body]) == 2
    assert message in capsys.readouterr().err


def test_braces_that_are_no_placeholders_are_sent():
    """JSON and GraphQL in a text, and a name in two pairs of braces."""
    body = '{"a": "{\\"b\\": {\\"c\\": 1}}", "g": "{ orders { id } } {{id}} {question}", "{id}": 1}'
    template = read_template(body, option="--body", names=PLACEHOLDERS)
    assert filled(template, {"question": "{id}", "id": "7"}) == {
        "a": '{"b": {"c": 1}}',
        "g": "{ orders { id } } {id} {id}",
        "{id}": 1,
    }


def test_one_command_asks_judges_times_and_reports(
    tmp_path, questions, service, monkeypatch, capsys
):
    """The workbook's times are the service's own; what it failed to answer is wrong."""
    monkeypatch.setenv("API_PASSWORD", "secret")
    sqlite3.connect(tmp_path / "empty.db").close()
    arguments = command(questions, service, tmp_path)[1:]
    arguments[arguments.index("--output") : arguments.index("--output") + 2] = []
    run = ["--run_dir", str(tmp_path / "run"), "--dsn", f"sqlite:///{tmp_path}/empty.db"]
    report = tmp_path / "report.xlsx"
    wanted = ["--question-rows", "12", "--output", str(report)]
    assert main(["evaluate", *arguments, *run, *wanted]) == 0
    assert "ESM - 9/12" in capsys.readouterr().out
    rows = list(openpyxl.load_workbook(report)["Details"].iter_rows(values_only=True))
    found = [dict(zip(rows[1], row, strict=True)) for row in rows[3:]]
    assert len(found) == 12
    for number, row in enumerate(found):
        if number in {3, 4}:
            continue
        assert {name: row[name] for name in STAGES} in service.log[f"What is {number}"]
        assert row["Results Match"] == (0 if number == 5 else 1)
        assert (row["VES Score"] > 0) == (number != 5)
