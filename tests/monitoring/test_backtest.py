"""`sqlobs rules backtest` against a real Prometheus that has a history."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sqlobs.cli import main
from sqlobs.monitoring.backtest import expanded
from tests.monitoring.backtesting import backfilled, beginning, unmatched
from tests.monitoring.month import Incident, Month
from tests.servers import free_port

HOURS_6 = 6 * 3600


@pytest.mark.slow
def test_the_alerts_of_the_last_hours_are_listed(tmp_path, capsys):
    """An hour of exceptions is one page, from then on; nothing else pages."""
    start_s = beginning(HOURS_6)
    known = [Incident("raising", 7200)]
    month = Month(HOURS_6, known, np.random.default_rng(1))
    with backfilled(month, tmp_path, start_s=start_s) as url:
        asked = ["rules", "backtest", "--prometheus", url, "--days", "0.25"]
        assert main([*asked, "--json"]) == 0
        found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert main(asked) == 0
        text = capsys.readouterr().out.splitlines()
    (page,) = [each for each in found if each["severity"] == "page"]
    assert page["alert"] == "SqlobsApplicationErrors"
    assert page["labels"] == {
        "service_name": "shop",
        "deployment_environment_name": "prod",
        "sqlobs_workflow": "answer",
    }
    assert any(line.endswith("page    SqlobsApplicationErrors  prod shop answer") for line in text)
    assert text[-1].startswith(f"{len(found)} alerts in 0.25 days: ")


def test_missed_incidents_and_invented_pages_are_distinguished():
    """The comparison of the long program."""
    assert unmatched([Incident("slow", 0)], [], start_s=0) == ([Incident("slow", 0)], [])


def test_a_recording_is_written_out():
    """With its range and its offset, and the recordings that it reads itself."""
    recorded = {"workflow:sqlobs_a": "sum(b)", "workflow:sqlobs_c:ratio1h": "workflow:sqlobs_a / 2"}
    written = expanded(
        "workflow:sqlobs_c:ratio1h > 1 and workflow:sqlobs_a offset 1d or"
        " max_over_time(workflow:sqlobs_a[7d:1h])",
        recorded,
    )
    assert written == (
        "((sum(b)) / 2) > 1 and last_over_time((sum(b))[5m:5m] offset 1d) or"
        " max_over_time((sum(b))[7d:1h])"
    )


def test_a_prometheus_that_does_not_answer_is_one_sentence(capsys):
    """With exit code 2."""
    url = f"http://127.0.0.1:{free_port()}"
    assert main(["rules", "backtest", "--prometheus", url]) == 2
    assert capsys.readouterr().err == (
        f"sqlobs rules: cannot reach Prometheus at {url}: [Errno 111] Connection refused\n"
    )


def test_days_that_are_not_possible_are_one_sentence(capsys):
    """With exit code 2."""
    assert main(["rules", "backtest", "--prometheus", "http://localhost", "--days", "0"]) == 2
    said = "sqlobs rules: --days 0 must be above 0 and at most 366\n"
    assert capsys.readouterr().err == said
