"""The figures of `sqlobs watch`, and the command against a real collector."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from sqlobs.cli import main
from sqlobs.monitoring.exposition import Sample, read_metrics
from sqlobs.monitoring.watching import Figure, WorkflowView, view_of
from tests.collector import records
from tests.collector.running import RunningCollector, wait_until
from tests.collector.test_units import send, unit
from tests.servers import free_port

SHOP = {"service_name": "shop", "sqlobs_workflow": "answer", "window": "1h"}


def gauge(name, value, **labels):
    """One quality gauge of the shop."""
    return Sample(f"sqlobs_{name}", {**SHOP, **labels}, value)


SAMPLES = [
    gauge("quality_outcome_share", 0.75, outcome="answered", stat="weighted"),
    gauge("quality_outcome_share", 0.25, outcome="clarified", stat="weighted"),
    gauge("quality_requests", 48, evaluation="outcome"),
    gauge("quality_verdict_share", 0.9, verdict="ok", stat="weighted"),
    gauge("quality_verdict_share", 0.1, verdict="failed", stat="weighted"),
    gauge("quality_verdict_share", 0.5, verdict="failed", stat="raw"),
    gauge("first_attempt_pass_rate", 0.8, stat="weighted"),
    gauge("quality_pass_rate", 0.75, evaluation="ex", stat="weighted"),
    gauge("quality_pass_rate", 0.6, evaluation="ex", stat="weighted_lower"),
    gauge("quality_pass_rate", 0.85, evaluation="ex", stat="weighted_upper"),
    gauge("quality_effective_samples", 40.0, evaluation="ex"),
    gauge("quality_score", 0.8, evaluation="f1", stat="weighted"),
    gauge("quality_pass_rate", 0.1, evaluation="ex", stat="weighted", window="24h"),
    gauge("quality_failure_share", 0.02, failure_code="schema.unknown_table", stat="weighted"),
    gauge("quality_failure_share", 0.08, failure_code="schema.unknown_column", stat="weighted"),
    Sample("sqlobs_collector_units_total", {"state": "done"}, 40),
    Sample("sqlobs_collector_queue_size", {}, 3),
    Sample("sqlobs_collector_queue_age_seconds", {}, 1.5),
]


def test_a_view_shows_the_requested_window_weighted_with_intervals():
    """Other windows and plain counts are left out; codes come the most frequent first."""
    view = view_of(SAMPLES, window="1h")
    assert view.workflows == (
        WorkflowView(
            service="shop",
            workflow="answer",
            requests=48,
            outcomes={"answered": 0.75, "clarified": 0.25},
            verdicts={"ok": 0.9, "failed": 0.1},
            failures={"schema.unknown_column": 0.08, "schema.unknown_table": 0.02},
            figures=(
                Figure("first-attempt pass rate", 0.8, None, None, None),
                Figure("EX", 0.75, 0.6, 0.85, 40),
                Figure("cell F1", 0.8, None, None, None),
            ),
        ),
    )
    assert list(view.workflows[0].failures) == ["schema.unknown_column", "schema.unknown_table"]
    assert (view.states, view.queue, view.queue_age_s) == ({"done": 40}, 3, 1.5)
    assert view_of(SAMPLES, window="7d").workflows == ()


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    """A collector that holds two requests, one of them failed."""
    running = RunningCollector(tmp_path_factory.mktemp("watched") / "data").start()
    failed = {"sqlobs__verdict": "failed", "sqlobs__failure__code": "schema.unknown_column"}
    send(running, records.logs(unit(1), unit(2, **failed)))
    wait_until(lambda: view_of(read_metrics(running.admin), window="7d").workflows)
    yield running
    running.stop()


def test_watch_once_prints_text_and_exits(collector, capsys):
    """Workflow, verdicts, failures, units, and how far the collector is behind."""
    arguments = ["watch", "--admin", collector.admin, "--once", "--window", "7d"]
    assert main(arguments) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.startswith(collector.admin)
    assert heading.endswith("rates over the last 7d")
    assert lines == snapshot(
        [
            "",
            "sales /    2 requests",
            "  outcomes                        answered 100.0%",
            "  verdicts of answers             failed 50.0%   ok 50.0%",
            "  failure codes of answers        schema.unknown_column 50.0%",
            "",
            "units since the collector started   done 2   queued 2   received 2   running 2",
            "lag   journal 0.0 s   queue 0 units, oldest 0.0 s",
            "",
            "alerts   none firing",
        ]
    )
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["window"] == "7d"


@pytest.fixture
def heard_interrupts():
    """Ctrl-C reaches started processes, even where this one is a shell's background job."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard_interrupts")
def test_watch_refreshes_until_it_is_interrupted(collector):
    """Two looks, then Ctrl-C: no traceback, exit code 130."""
    command = [Path(sys.executable).with_name("sqlobs"), "watch", "--json", "--interval", "0.05"]
    with subprocess.Popen(
        [*command, "--admin", collector.admin], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        looks = [json.loads(running.stdout.readline()) for _ in range(2)]
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=20)
    assert [look["window"] for look in looks] == ["1h", "1h"]
    assert (running.returncode, said) == (130, b"")


@pytest.mark.parametrize("text", ["0", "-1", "soon"])
def test_an_invalid_interval_gives_one_error_sentence(text, capsys):
    """Exit code 2, before anything is asked."""
    assert main(["watch", "--interval", text]) == 2
    assert f"{text!r} is not a number of seconds above 0" in capsys.readouterr().err


def test_where_no_collector_answers_the_sentence_says_what_to_do(capsys):
    """Exit code 2."""
    admin = f"http://127.0.0.1:{free_port()}"
    assert main(["watch", "--once", "--admin", admin]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"sqlobs watch: no collector responds at {admin}")
    assert "--admin" in said
