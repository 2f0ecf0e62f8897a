"""`sqlobs requests`, and comparisons by `sqlobs report --admin --compare`, on a running collector."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from sqlobs.cli import main
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_requests import asked, invented
from tests.collector.test_units import send

SECOND = 10**9


@pytest.fixture
def asking(launch, monkeypatch):
    """A collector with ten right answers two hours ago, and five of ten wrong since."""
    collector = launch()
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN", collector.admin)
    now_ns = time.time_ns()
    before, after = now_ns - 7200 * SECOND, now_ns - 60 * SECOND
    old = {"gen_ai__prompt__version": "v1"}
    new = {"gen_ai__prompt__version": "v2"}
    send(
        collector,
        records.logs(
            *(asked(n, at_ns=before, question=f"Q{n}?", **old) for n in range(10)),
            *(asked(100 + n, at_ns=after, question=f"Q{n}?", **new) for n in range(5)),
            *(invented(200 + n, at_ns=after, question=f"Q{n}?", **new) for n in range(5, 10)),
        ),
    )
    url = f"{collector.admin}/v1/requests"
    wait_until(lambda: httpx.get(url, headers=collector.bearer).json()["count"] == 20)
    return collector


def said(capsys, *arguments):
    capsys.readouterr()
    code = main(list(arguments))
    return code, capsys.readouterr().out


def test_requests_are_listed_by_their_filters(asking, capsys):
    """What is counted is what matches; a name narrows like a column."""
    code, out = said(capsys, "requests", "--failed", "--since", "1h")
    assert code == 0
    assert out.startswith("5 of 5 requests, newest first\n")
    assert "schema.unknown_column  totals  Q9?" in out
    code, out = said(capsys, "requests", "--where", "name=totals", "--where", "prompt_version=v1")
    assert (code, out) == (1, "no matching requests\n")
    assert said(capsys, "requests", "--search", "Q3", "--json")[1].count('"verdict"') == 2


def test_requests_are_exported_whole(asking, capsys):
    """Every match, a line each."""
    _, out = said(capsys, "requests", "--export", "jsonl")
    assert len([json.loads(line) for line in out.splitlines()]) == 20
    _, out = said(capsys, "requests", "--export", "csv", "--failed")
    assert len(out.splitlines()) == 6


def test_a_condition_that_is_none_is_one_sentence(asking, capsys):
    """With the names that there are."""
    assert main(["requests", "--where", "color=red"]) == 2
    assert "'color=red' is not NAME=VALUE with one of workflow, model" in capsys.readouterr().err


@pytest.mark.parametrize(
    "sides",
    [["--at", "1h"], ["--by", "prompt_version", "--before", "v1", "--now", "v2"]],
    ids=["deployment", "prompt versions"],
)
def test_a_comparison_tells_what_a_release_changed(asking, capsys, sides):
    """Rates with intervals on both sides, and the questions that fail now."""
    if sides[0] == "--at":
        sides = [*sides, "--baseline", "3h"]
    code, out = said(capsys, "report", "--admin", "--compare", *sides)
    assert code == 0
    [line] = [one for one in out.splitlines() if one.startswith("schema_hallucination_rate")]
    assert "0.0 % [0.0 to 27.8], 0 of 10  ->  50.0 % [23.7 to 76.3], 5 of 10" in line
    assert line.endswith("statistically significant")
    assert "now failing: 5 questions" in out
    assert "p = 0.0625" in out
