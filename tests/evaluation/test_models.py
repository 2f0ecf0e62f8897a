"""Models as systems under test: prompts, matrices, samples, retries, cost limits and kills."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sqlobs.cli import main
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.runs.run import Run
from tests.evaluation.kills import killed_generation

QUESTIONS = 6


@pytest.fixture
def shop(tmp_path):
    """A database, and questions about it."""
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.executescript("CREATE TABLE item (id INTEGER, price REAL)")
        connection.executemany("INSERT INTO item VALUES (?, ?)", [(n, n / 2) for n in range(9)])
    connection.close()
    lines = [
        {
            "id": f"q{number}",
            "question": f"What is the price of item {number}?",
            "sql": f"SELECT price FROM item WHERE id = {number}",
            "evidence": f"hint {number}",
        }
        for number in range(QUESTIONS)
    ]
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def answer(request):
    """Answer with the price of the item that the question names."""
    number = int(request.user.split("item ")[-1].partition("?")[0])
    return ChatReply(f"```sql\nSELECT price FROM item WHERE id = {number}\n```")


def command(shop, server, *more):
    """Return a command that asks one model, or those in `more`."""
    return [
        *("generate", "--input", str(shop / "questions.jsonl"), "--output", str(shop / "run")),
        *("--model-url", server.base_url, "--dsn", f"sqlite:///{shop}/shop.db", *more),
    ]


def evaluate(shop, directory, *more):
    """Evaluate a run and return it."""
    dsn = f"sqlite:///{shop}/shop.db"
    assert main(["evaluate", "--run-dir", str(directory), "--dsn", dsn, *more]) == 0
    return Run.read(directory)


def test_a_prompt_shows_schema_hints_dialect_and_question(shop, capsys, monkeypatch):
    """Messages are sent as the template has them; the key comes from its variable."""
    monkeypatch.setenv("MY_KEY", "k-1")
    prompt = [
        {"role": "system", "content": "Write {dialect} for {schema}"},
        {"role": "user", "content": "{id} {hints}: {question} {{db}}"},
    ]
    (shop / "mine.json").write_text(json.dumps(prompt))
    with serving(answer) as server:
        more = (
            "--model",
            "gpt-4o",
            "--model-key",
            "env:MY_KEY",
            "--prompt",
            str(shop / "mine.json"),
        )
        assert main(command(shop, server, *more)) == 0
        [first, *others] = sorted(server.requests, key=lambda request: request.user)
    assert len(others) == QUESTIONS - 1
    headers = {name.lower(): value for name, value in first.headers.items()}
    assert headers["authorization"] == "Bearer k-1"
    assert first.system.startswith("Write sqlite for CREATE TABLE item (")
    assert first.user == "q0 hint 0: What is the price of item 0? {db}"
    assert first.document["temperature"] == 0
    [directory] = (shop / "run").iterdir()
    assert capsys.readouterr().out == f"{directory}: 6 questions (6 answered)\n"
    run = evaluate(shop, directory)
    assert all(case.is_match for case in run.cases)
    record = run.cases[0].generation
    assert (record.model, record.prompt, record.temperature) == ("gpt-4o", "mine", 0)
    cost = record.input_tokens * 2.5e-6 + record.output_tokens * 10e-6
    assert record.cost == pytest.approx(cost)


def test_questions_alone_are_asked_and_evaluated_without_references(shop, capsys):
    lines = (json.loads(line) for line in (shop / "questions.jsonl").read_text().splitlines())
    questions = [{"id": line["id"], "question": line["question"]} for line in lines]
    (shop / "questions.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in questions))
    with serving(answer) as server:
        assert main(command(shop, server, "--model", "gpt-4o", "--json")) == 0
    told = capsys.readouterr()
    assert "has no references: evaluate the answers with --no-gold" in told.err
    found = evaluate(shop, Path(json.loads(told.out)["directory"]), "--no-gold")
    assert [(case.question, case.scores["execution"]) for case in found.cases] == [
        (one["question"], 1) for one in questions
    ]


def test_a_matrix_makes_a_run_of_each_cell(shop, capsys):
    """Two models by two prompts by two temperatures: named by what differs, and comparable."""
    for name in ("short", "long"):
        (shop / f"{name}.txt").write_text(f"{name} {{question}}")

    def respond(request):
        is_wrong = request.document["model"] == "weak" and "item 1" in request.user
        return ChatReply("SELECT 99") if is_wrong else answer(request)

    with serving(respond) as server:
        prompts = [part for n in ("short", "long") for part in ("--prompt", f"{shop}/{n}.txt")]
        heats = ("--temperature", "0", "--temperature", "0.7")
        models = ("--model", "strong", "--model", f"weak@{server.base_url}")
        assert main(command(shop, server, *models, *prompts, *heats, "--json")) == 0
        assert len(server.requests) == 8 * QUESTIONS
    found = json.loads(capsys.readouterr().out)
    [study] = (shop / "run").iterdir()
    names = [
        f"{m}-{p}-{t}"
        for m in ("strong", "weak")
        for p in ("short", "long")
        for t in ("t0", "t0.7")
    ]
    assert [run["directory"] for run in found["runs"]] == [f"{study}/run_{name}" for name in names]
    strong, weak = (evaluate(shop, study / f"run_{n}-long-t0") for n in ("strong", "weak"))
    assert strong.summary.execution.passed == QUESTIONS
    assert weak.summary.execution.passed == QUESTIONS - 1
    assert weak.cases[0].generation.prompt == "long"
    capsys.readouterr()
    runs = [str(study / f"run_{n}-long-t0") for n in ("strong", "weak")]
    assert main(["report", "--compare", *runs, "--fail-on", "broken>0"]) == 1
    assert main(["report", "--leaderboard", *runs]) == 0


def test_samples_give_pass_at_k_majority_and_consistency(shop, capsys):
    """Three samples a question; item 0 is right in one of three, item 1 in two of three."""
    turns = {0: 0, 1: 0}

    def respond(request):
        number = int(request.user.split("item ")[-1].partition("?")[0])
        if number not in turns:
            return answer(request)
        turns[number] += 1
        wrong = turns[number] <= (2 if number == 0 else 1)
        return ChatReply("SELECT 99") if wrong else answer(request)

    with serving(respond) as server:
        more = ("--model", "m", "--samples", "3", "--temperature", "0.8")
        assert main(command(shop, server, *more)) == 0
        assert len(server.requests) == 3 * QUESTIONS
    [directory] = (shop / "run").iterdir()
    run = evaluate(shop, directory)
    assert (run.cases[1].id, run.cases[1].sample_of) == ("q0#2", "q0")
    capsys.readouterr()
    gates = ("--fail-on", "pass_at_1<0.8", "--fail-on", "majority<0.9")
    assert main(["report", str(directory), "--json", *gates]) == 1
    shown = json.loads(capsys.readouterr().out)
    figures = {name: found["value"] for name, found in shown["figures"].items()}
    assert figures["pass_at_1"] == pytest.approx((4 + 1 / 3 + 2 / 3) / 6)
    assert figures["pass_at_2"] == pytest.approx((4 + 2 / 3 + 1) / 6)
    assert figures["pass_at_3"] == 1
    assert figures["majority"] == pytest.approx(5 / 6)
    assert figures["self_consistency"] == pytest.approx((4 + 2 / 3 + 2 / 3) / 6)
    assert [gate["failed"] for gate in shown["gates"]] == [False, True]
    assert main(["report", str(directory)]) == 0
    assert "pass@3" in capsys.readouterr().out


def test_a_retry_asks_failed_questions_only(shop, capsys):
    """Two of six fail; the retry asks these two and keeps the directory."""
    faults = {2: ChatReply("broken", status=400), 4: ChatReply("broken", status=400)}

    def respond(request):
        number = int(request.user.split("item ")[-1].partition("?")[0])
        return faults.get(number) or answer(request)

    with serving(respond) as server:
        asked = command(shop, server, "--model", "m")
        assert main([*asked, "--retry"]) == 2
        assert "has no finished run of these questions by this system" in capsys.readouterr().err
        assert main(asked) == 0
        assert "(4 answered, 2 error)" in capsys.readouterr().out
        faults.clear()
        before = len(server.requests)
        assert main([*asked, "--retry"]) == 0
        assert len(server.requests) - before == 2
    [directory] = (shop / "run").iterdir()
    assert capsys.readouterr().out == f"{directory}: 6 questions (6 answered)\n"
    assert evaluate(shop, directory).summary.execution.passed == QUESTIONS


def test_the_cost_limit_stops_before_the_call_that_could_exceed_it(shop, capsys):
    """What is spent stays below the limit; a higher one asks what remains, and nothing twice."""
    price = ("--model-price", "m=0,1000000", "--max-output-tokens", "20")  # $1 a token
    with serving(answer) as server:
        asked = command(shop, server, "--model", "m", *price, "--concurrency", "2")
        assert main([*asked, "--max-cost", "50"]) == 1
        told = capsys.readouterr().err
        first = len(server.requests)
        assert 0 < first < QUESTIONS
        spent = first * 12  # tokens of an answer, by the server's count
        assert f"${spent:.4f} of $50 spent, and the next call could exceed it" in told
        assert f"{first} of 6 questions are answered, {6 - first} remain" in told
        assert 50 - 20 < spent <= 50
        assert main([*asked, "--max-cost", "200"]) == 0
        assert len(server.requests) == QUESTIONS
    assert "(6 answered)" in capsys.readouterr().out


def test_a_cut_answer_is_an_error_that_costs(shop, capsys):
    """Half a statement is no statement; the message says which option to raise."""

    def respond(request):
        message = {"role": "assistant", "content": "SELECT price FROM"}
        choice = {"index": 0, "message": message, "finish_reason": "length"}
        usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o"}
        return ChatReply("", raw=json.dumps({**body, "choices": [choice], "usage": usage}).encode())

    with serving(respond) as server:
        assert main(command(shop, server, "--model", "gpt-4o")) == 2
    assert "the answer was cut; raise --max-output-tokens (now 2048)" in capsys.readouterr().err
    [summary] = (shop / "run").glob("run_*/summary.jsonl")
    line = json.loads(summary.read_text().splitlines()[0])
    assert (line["status"], line["output_tokens"]) == ("error", 4)


@pytest.mark.slow
def test_kills_lose_no_recorded_answer_and_calls_in_flight_are_counted(tmp_path):
    """Two kills here; `python -m tests.evaluation.kills --kills 10` is the whole proof."""
    found = killed_generation(tmp_path, kills=2, questions=24, concurrency=3, seed=3)
    assert (found.answered, found.differing) == (24, ())
    assert found.received - 24 <= found.repeated <= found.kills * 3


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--prompt", "{tables}"), "unknown placeholder {tables}; known are {question}, {schema}"),
        (("--prompt", "all"), "the prompt has no placeholder"),
        (("--model", "m"), "--model m: given twice"),
        (("--temperature", "3"), "--temperature 3: write a number from 0 to 2"),
        (("--model-key", "k-1"), "--model-key: write env:NAME"),
        (("--max-cost", "1"), "--max-cost needs the price of m: give --model-price m=IN,OUT"),
        (("--model-price", "m=1"), "--model-price 1: write IN,OUT"),
        (("--call", "json:loads"), "give exactly one system under test"),
        (("--model", "n@ftp://x"), "must begin with http:// or https://"),
    ],
)
def test_a_mistaken_option_is_one_sentence(shop, capsys, more, message):
    """Nothing is sent, and no directory is made."""
    option, value = more
    if option == "--prompt":
        (shop / "p.txt").write_text(value)
        value = str(shop / "p.txt")
    url = ("--model-url", "http://127.0.0.1:9/v1")
    fixed = ["generate", "--input", str(shop / "questions.jsonl"), "--output", str(shop / "run")]
    dsn = ("--dsn", f"sqlite:///{shop}/shop.db")
    assert main([*fixed, *url, *dsn, "--model", "m", option, value]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not (shop / "run").exists()


def test_an_option_of_models_needs_a_model(shop, capsys):
    """A function or a service has its own prompt."""
    (shop / "p.txt").write_text("{question}")
    fixed = ["generate", "--input", str(shop / "questions.jsonl"), "--output", str(shop / "run")]
    assert main([*fixed, "--call", "json:loads", "--prompt", str(shop / "p.txt")]) == 2
    assert capsys.readouterr().err == "sqlobs generate: --prompt needs --model\n"
