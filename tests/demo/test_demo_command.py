"""The command `sqlobs demo`, run as a user runs it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from importlib import resources
from itertools import groupby
from pathlib import Path

import pytest

from sqlobs import Schema, check_sql
from sqlobs.demo.model_server import serve_recordings
from sqlobs.demo.receiver import receive
from sqlobs.demo.recordings import load_recordings
from sqlobs.demo.report import wrong_answer
from sqlobs.demo.session import Plan, service_environment
from sqlobs.demo.shop import shop_ddl
from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES
from sqlobs.types import WITHOUT_SQL

# Each test runs the command once or twice, in processes of its own.

RECORDINGS = load_recordings()


def _demo(*arguments, **variables):
    """Run the command as a user does, without the tester's telemetry settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OTEL_", "SQLOBS_", "OPENAI_"))
    }
    command = [Path(sys.executable).with_name("sqlobs"), "demo", *map(str, arguments)]
    return subprocess.run(
        command, env={**kept, **variables}, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Run the whole demo once: the directory and the printed figures."""
    directory = tmp_path_factory.mktemp("whole")
    completed = _demo("--output", directory, "--json")
    assert (completed.returncode, completed.stderr) == (0, "")
    return directory, json.loads(completed.stdout)


def test_every_request_is_counted_once_and_left_a_span_and_a_unit(whole):
    """Counters, spans and units agree with the questions asked."""
    _, figures = whole
    assert figures["recorded_generations"] is True
    assert sum(figures["outcomes"].values()) == len(RECORDINGS)
    assert figures["received"]["generations"] == len(RECORDINGS)
    assert figures["received"]["units"] == len(RECORDINGS)


def test_the_figures_of_the_telemetry_are_the_known_mix(whole):
    """What the checker and the counters say is what is known of the recordings."""
    _, figures = whole
    finals = [recording.completions[-1] for recording in RECORDINGS]
    answered = [completion for completion in finals if completion.outcome == "answered"]
    codes = Counter(completion.code for completion in answered if completion.code)
    groups = Counter(code.partition(".")[0] for code in codes.elements())
    assert figures["outcomes"] == Counter(completion.outcome for completion in finals)
    assert dict(figures["failures"]) == codes
    rates = figures["failure_rates"]
    assert rates["syntactic"]["hits"] == groups["syntax"]
    assert rates["schematic"]["hits"] == groups["schema"]
    hallucinated = sum(count for code, count in codes.items() if code in SCHEMA_HALLUCINATION_CODES)
    assert rates["schema_hallucination"]["hits"] == hallucinated


def test_first_attempts_and_repairs_are_counted_apart(whole):
    """An attempt counts under its number; what a repair saved is still a failed first attempt."""
    _, figures = whole
    attempts = Counter()
    for recording in RECORDINGS:
        if recording.completions[-1].outcome in WITHOUT_SQL:
            continue
        answered = [each for each in recording.completions if each.outcome == "answered"]
        # A model that says the same again has not made another attempt.
        distinct = [
            code for (_, code), _ in groupby((each.content, each.code) for each in answered)
        ]
        for number, code in enumerate(distinct, start=1):
            attempts[str(number), "failed" if code else "ok"] += 1
    counted = Counter()
    for number, verdicts in figures["attempts"].items():
        for verdict, amount in verdicts.items():
            if verdict != "not_evaluated":  # a warning (`suspect`) is no failure
                counted[number, "failed" if verdict == "failed" else "ok"] += amount
    assert counted == attempts
    assert figures["first_attempt_pass_rate"]["hits"] == attempts["1", "ok"]
    assert figures["first_attempt_pass_rate"]["of"] == attempts["1", "ok"] + attempts["1", "failed"]


def test_no_literal_of_any_statement_is_on_a_span(whole):
    """Masked by default: names of customers and values reach the collector, and stay there."""
    directory, _ = whole
    received = [(directory / f"{name}.jsonl").read_text() for name in ("spans", "logs", "metrics")]
    for literal in ("zoe.eriksen1@example.com", "Weber", "Atelier Morvan", "SUMMER20"):
        assert not any(literal in text for text in received)


def test_the_collector_evaluates_every_answer_as_is_known_of_it(whole):
    """Executed, compared with the golden file and judged; the figures are those of a plain loop
    over the same texts.
    """
    directory, figures = whole
    found = figures["collected"]
    known = expected_of(directory / "shop.db")
    assert found["units"] == found["requests"] == len(RECORDINGS)
    assert sum(found["states"].values()) == len(RECORDINGS)
    rates = {name: (rate["hits"], rate["of"]) for name, rate in found["pass_rates"].items()}
    assert rates["execution"] == known["execution"]
    assert rates["ex"] == known["ex"]
    assert rates["flex"] == known["flex"]
    assert found["scores"]["f1"]["of"] == known["ex"][1]
    assert rates["ex"][0] < found["scores"]["f1"]["mean"] * known["ex"][1] < known["ex"][1]
    assert found["judge_calls"] == rates["flex"][1] + rates["flex_noref"][1]
    assert found["judge_tokens"] > 0
    assert found["judge_cost_usd"] > 0
    online = figures["failure_rates"]["schema_hallucination"]
    assert found["schema_hallucination_rate"] == online
    assert found["first_attempt_pass_rate"] == figures["first_attempt_pass_rate"]


def test_evaluations_come_back_to_the_traces(whole):
    """An answer that runs but is wrong can be found in the backend, by its trace."""
    directory, figures = whole
    spans = [json.loads(line) for line in (directory / "spans.jsonl").read_text().splitlines()]
    evaluated = Counter(
        span["attributes"]["gen_ai.evaluation.score.label"]
        for span in spans
        if span["name"].startswith("sqlobs.evaluate ex ")
    )
    ex = figures["collected"]["pass_rates"]["ex"]
    assert evaluated["pass"] == ex["hits"]
    assert evaluated["fail"] == ex["of"] - ex["hits"]
    trace_id = wrong_answer(spans)
    assert trace_id in {span["trace_id"] for span in spans if span["name"].startswith("invoke_")}


def expected_of(shop):
    """Return what the recordings are worth: run one by one, compared as bags of rows."""
    schema = Schema.from_ddl(shop_ddl(), dialect="sqlite")
    golden = json_lines("golden.jsonl", "sql")
    judged = json_lines("judgments.jsonl", "correct")
    counts = {name: [0, 0] for name in ("execution", "ex", "flex")}
    with closing(sqlite3.connect(f"file:{shop}?mode=ro", uri=True)) as connection:
        for recording in RECORDINGS:
            answer = recording.completions[-1]
            # A statement that writes is rejected, and no verdict on it is asked for.
            if answer.outcome != "answered" or answer.code == "safety.unsafe_statement":
                continue
            rows = rows_of(connection, check_sql(answer.content, schema=schema).sql)
            count(counts["execution"], rows is not None)
            if (reference := golden.get(recording.question)) is not None:
                count(counts["ex"], rows is not None and rows == rows_of(connection, reference))
                count(counts["flex"], judged[recording.question])
    return {name: tuple(each) for name, each in counts.items()}


def count(counts, passed):
    """Count a case, and whether it passed."""
    counts[0] += passed
    counts[1] += 1


def rows_of(connection, sql):
    """Return the rows as a bag, None if the engine refuses the statement."""
    try:
        return Counter(connection.execute(sql).fetchall())
    except sqlite3.Error:
        return None


def json_lines(name, value):
    """Return one value of each of the demo's packaged records, by question."""
    lines = (resources.files("sqlobs.demo") / name).read_text().splitlines()
    return {record["question"]: record[value] for record in map(json.loads, lines)}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Run thirty requests without a collector: the directory and the printed figures."""
    directory = tmp_path_factory.mktemp("alone")
    return directory, _alone(directory)


def _alone(directory):
    completed = _demo("--output", directory, "--requests", 30, "--no-collector", "--json")
    assert (completed.returncode, completed.stderr) == (0, "")
    return json.loads(completed.stdout)


def test_without_a_collector_units_stay_in_a_file(alone):
    """`--no-collector`: the same telemetry; raw SQL is in the units alone."""
    directory, figures = alone
    assert figures["collected"] is None
    assert figures["received"]["units"] == 30
    assert not (directory / "collector").exists()
    assert "zoe.eriksen1@example.com" in (directory / "units.jsonl").read_text()
    assert "zoe.eriksen1@example.com" not in (directory / "spans.jsonl").read_text()


def test_a_second_run_replaces_the_first_and_gives_the_same_counts(alone):
    """Repeatable: the same requests give the same counters; nothing of an earlier run is left."""
    directory, before = alone
    again = _alone(directory)
    timed = ("stages", "overhead", "received")
    first, second = ({k: v for k, v in run.items() if k not in timed} for run in (before, again))
    assert first == second
    assert again["received"]["generations"] == 30


def test_your_own_model_and_backend(tmp_path):
    """OPENAI_BASE_URL names the server, which is asked for its first model; `--forward` sends
    traces and metrics on as they came, while units, with raw SQL, stay here.
    """
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    arguments = ("--output", here, "--requests", 5, "--no-collector", "--json")
    with serve_recordings() as server, receive(there) as backend:
        completed = _demo(
            *arguments, "--forward", backend.endpoint, OPENAI_BASE_URL=server.base_url
        )
    assert (completed.returncode, completed.stderr) == (0, "")
    assert json.loads(completed.stdout)["recorded_generations"] is False
    for name in ("spans.jsonl", "metrics.jsonl"):
        copied, kept = ((each / name).read_text().splitlines() for each in (there, here))
        assert sorted(copied) == sorted(kept)
    assert (there / "units.jsonl").read_text() == ""


def test_another_dialect_is_checked_and_not_executed(tmp_path):
    """No warehouse is there: the verdicts are those of the dialect, and nothing else is claimed."""
    completed = _demo("--output", tmp_path, "--dialect", "snowflake", "--requests", 6)
    figures = json.loads((tmp_path / "summary.json").read_text())
    assert (completed.returncode, completed.stderr) == (0, "")
    assert "the SQL is checked, and not executed" in completed.stdout
    assert "Results of the collector" not in completed.stdout
    assert (figures["received"]["units"], figures["executions"], figures["collected"]) == (
        6,
        {"empty": 0},
        None,
    )
    spans = [json.loads(line) for line in (tmp_path / "spans.jsonl").read_text().splitlines()]
    dialects = {span["attributes"].get("sqlobs.dialect") for span in spans}
    assert dialects == {"snowflake", None}
    assert not (tmp_path / "shop.db").exists()


@pytest.mark.parametrize(
    ("arguments", "variables", "sentence"),
    [
        pytest.param(
            ["--output", "{tmp}/file/data"],
            {},
            r"Cannot write to .*/file/data: Not a directory\.",
            id="no directory can be made",
        ),
        pytest.param(
            ["--output", "{tmp}/data", "--requests", "0"],
            {},
            r"argument --requests: '0' is not a whole number above 0",
            id="no request",
        ),
        pytest.param(
            ["--output", "{tmp}/data", "--requests", "many"],
            {},
            r"argument --requests: 'many' is not a whole number above 0",
            id="no number",
        ),
        pytest.param(
            ["--output", "{tmp}/data", "--dialect", "bigqery"],
            {},
            r"unknown SQL dialect 'bigqery': did you mean 'bigquery'\?",
            id="no dialect",
        ),
        pytest.param(
            ["--output", "{tmp}/data", "--dialect", "snowflake", "--serve"],
            {},
            r"--serve shows executed SQL: leave out --dialect snowflake",
            id="nothing to serve",
        ),
        pytest.param(
            ["--output", "{tmp}/data", "--no-collector"],
            {"OPENAI_BASE_URL": "http://user:secret@127.0.0.1:9/v1"},
            r"The demo's service stopped \(model server: http://127\.0\.0\.1:9\): .*",
            id="no model server",
        ),
    ],
)
def test_invalid_input_gives_one_error_sentence_and_exit_code_2(
    tmp_path, arguments, variables, sentence
):
    """No traceback, no secret, the reason named."""
    (tmp_path / "file").write_text("")
    completed = _demo(*(word.format(tmp=tmp_path) for word in arguments), **variables)
    assert completed.returncode == 2
    assert "Traceback" not in completed.stderr
    assert "secret" not in completed.stderr
    assert re.search(sentence, completed.stderr)


def test_the_services_environment_is_the_callers_with_our_endpoints():
    """Telemetry settings of the caller do not change the demo; everything else is kept."""
    environment = service_environment(
        {"PATH": "/bin", "OTEL_SDK_DISABLED": "true", "SQLOBS_MODE": "deferred", "NO_PROXY": "a"},
        otlp="http://127.0.0.1:1",
        base_url="http://127.0.0.1:2/v1",
    )
    assert environment == {
        "OPENAI_API_KEY": "none",
        "PATH": "/bin",
        "OPENAI_BASE_URL": "http://127.0.0.1:2/v1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "SQLOBS_COLLECTOR_ENDPOINT": "http://127.0.0.1:1",
        "NO_PROXY": "a,127.0.0.1,localhost",
        "no_proxy": "a,127.0.0.1,localhost",
    }


def test_the_model_servers_address_is_shown_without_credentials():
    """A URL may hold a user and a password; neither is printed."""
    plan = Plan(Path(), 1, base_url="https://user:secret@models.example.com/v1?key=secret")
    assert plan.model_host == "https://models.example.com"
