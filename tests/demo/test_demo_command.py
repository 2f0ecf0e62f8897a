"""The command `sqlobs demo`, run as a user runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from sqlobs.demo.model_server import serve_recordings
from sqlobs.demo.receiver import receive
from sqlobs.demo.recordings import load_recordings
from sqlobs.demo.session import Plan, service_environment
from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES

# Each test runs the command once or twice, in processes of its own.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

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
        command, env={**kept, **variables}, capture_output=True, text=True, check=False, timeout=120
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


def test_first_shots_and_repairs_are_counted_apart(whole):
    """An attempt counts under its number; what a repair saved is still a failed first shot."""
    _, figures = whole
    attempts = Counter()
    for recording in RECORDINGS:
        answered = [each for each in recording.completions if each.outcome == "answered"]
        # A model that says the same again has not made another attempt.
        distinct = [
            code for (_, code), _ in groupby((each.content, each.code) for each in answered)
        ]
        for number, code in enumerate(distinct, start=1):
            attempts[str(number), "failed" if code else "ok"] += 1
    counted = {
        (number, verdict): count
        for number, verdicts in figures["attempts"].items()
        for verdict, count in verdicts.items()
        if verdict in {"ok", "failed"}
    }
    assert counted == attempts
    assert figures["first_shot"]["hits"] == attempts["1", "ok"]
    assert figures["first_shot"]["of"] == attempts["1", "ok"] + attempts["1", "failed"]


def test_no_literal_of_any_statement_is_on_a_span(whole):
    """Masked by default: names of customers and values stay here; units hold the raw text."""
    directory, _ = whole
    spans = (directory / "spans.jsonl").read_text()
    for literal in ("zoe.eriksen1@example.com", "Weber", "Atelier Morvan", "SUMMER20"):
        assert literal not in spans
        assert literal in (directory / "units.jsonl").read_text()


def test_a_second_run_replaces_the_first_and_gives_the_same_counts(tmp_path):
    """Repeatable: the same requests give the same counters; nothing of an earlier run is left."""
    figures = []
    for _ in range(2):
        completed = _demo("--output", tmp_path, "--requests", 12, "--json")
        assert (completed.returncode, completed.stderr) == (0, "")
        figures.append(json.loads(completed.stdout))
    timed = ("stages", "overhead", "received")
    first, second = ({k: v for k, v in run.items() if k not in timed} for run in figures)
    assert first == second
    assert figures[1]["received"]["generations"] == 12


def test_a_model_and_a_backend_of_ones_own(tmp_path):
    """OPENAI_BASE_URL names the server, which is asked for its first model; `--forward` sends
    traces and metrics on as they came, while units, with raw SQL, stay here.
    """
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    arguments = ("--output", here, "--requests", 5, "--json")
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
            r"argument --requests: '0' is not a number of requests",
            id="no request",
        ),
        pytest.param(
            ["--output", "{tmp}/data", "--requests", "many"],
            {},
            r"argument --requests: 'many' is not a number of requests",
            id="no number",
        ),
        pytest.param(
            ["--output", "{tmp}/data"],
            {"OPENAI_BASE_URL": "http://user:secret@127.0.0.1:9/v1"},
            r"The demo's service stopped \(model server: http://127\.0\.0\.1:9\): .*",
            id="no model server",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(tmp_path, arguments, variables, sentence):
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
