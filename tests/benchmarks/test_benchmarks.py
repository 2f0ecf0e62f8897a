"""Every benchmark runs, at a tiny scale: figures are printed under their labels, whatever they are."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys

import pytest

from tests.benchmarks.__main__ import names

RATIOS = ("check", "check / parse + qualify + annotate", "report from the cache")
FIGURES = {
    "checker": (
        *(f"{dialect:<10} {name}" for dialect in ("sqlite", "duckdb") for name in RATIOS),
        "sqlite     check, 10,000 tables / 10",
        "postgres   report of a known form",
    ),
    "collector": ("no store", "journal", "service"),
    "dispatcher": (
        "queueing",
        "taking, settling",
        "queue  ",
        "one process",
        "behind a backlog",
    ),
    "evaluation": (
        "statements of 2 ms and more:",
        "units against a plain loop",
        "small statements:",
        "overhead in parsings of both texts",
    ),
    "evaluators": ("one evaluator", "two evaluators", "two against one"),
    "execution": (
        "statements of",
        "evaluations against a plain loop",
        "small statements: overhead",
        "overhead in parsings of both texts",
        "time beyond the limit",
    ),
    "expiry": (
        "at rest    p50",
        "expiring   p50",
        "requests on each side",
        "units expired meanwhile",
        "p99 expiring against at rest",
    ),
    "first_call": (
        "first call, thread, 0 s after configure, 0 busy loops",
        "first call, loop, 3 s after configure, 2 busy loops",
    ),
    "imports": ("import json", "import sqlobs"),
    "instructions": ("inline, distinct statements", "worker, repeated statements", "check, sqlite"),
    "judge": ("bare openai loop", "FlexJudge, answers kept", "share of the bare loop:"),
    "offline": (
        "SQLite, repeated statements",
        "SQLite, each statement once",
        "SQLite, each statement once, no check",
    ),
    "page": ("100 cases, CPU of the page",),
    "panels": (
        "24-hour panel                p50",
        "30-day panel                 p50",
        "groups of failures           p50",
        "list of failed requests      p50",
        "one request                  p50",
        "30-day panel, late verdicts  p50",
    ),
    "phoenix": (),  # not installed here; it says so
    "rates": ("by_rate:", "quotas:", "fewer than 10 events:"),
    "result_comparison": (
        "set(map(tuple, rows))",
        "bags, columns permuted",
        "bags, columns in place",
        "one float column, tolerance",
    ),
    "service": ("bare span + sqlglot.parse", "sqlobs", "sqlobs application, auto"),
    "sizing": (
        "receiver, to the row in PostgreSQL",
        "evaluator",
        "one process, received and evaluated",
    ),
    "start_up": (
        "start, the store exists",
        "memory, idle",
        "restart over 10 MB of journal",
        "acknowledgment at 500 units/s, p99",
    ),
    "store": ("embedded", "PostgreSQL", "rate of PostgreSQL against embedded"),
    "sustained": (
        "10% sampled:",
        "100% sampled:",
        "  cores, receiver",
        "  acknowledgment p50",
        "  queue p50",
        "  bytes a unit",
    ),
    "tracing": (
        "bare span, 20 attributes",
        "sqlobs inline, cached verdict",
        "sqlobs deferred, cached verdict",
        "worker beside it, inline",
        "sqlobs disabled",
    ),
    "whole_results": ("110,000 rows, CPU a pair",),
}
"""The labels of each benchmark's figures, as they stand at the beginning of a line."""
SLOW = dict.fromkeys(
    ("evaluators", "expiry", "panels", "sizing", "start_up", "sustained"), pytest.mark.slow
)
"""Those that start several collectors."""


def test_no_benchmark_is_left_out():
    """Anyone who adds one says here what it prints."""
    assert names() == sorted(FIGURES)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in FIGURES])
def test_a_benchmark_prints_its_figures(name):
    """At a hundredth of the work; the size of a figure is nobody's matter here."""
    environ = {**os.environ, "SQLOBS_BENCH_SCALE": "0.01"}
    environ.pop("SQLOBS_SHARED", None)
    environ.pop("SQLOBS_PHOENIX", None)
    ended = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", name],
        capture_output=True,
        text=True,
        check=False,
        env=environ,
    )
    assert ended.returncode == 0, ended.stderr
    for label in FIGURES[name]:
        found = re.search(rf"^ *{re.escape(label)} *(-?[\d,]*\.?\d+)", ended.stdout, re.MULTILINE)
        assert found, f"no figure under {label!r} in\n{ended.stdout}"
        assert math.isfinite(float(found[1].replace(",", "")))
    assert ("NOT RUN" in ended.stdout) is (not FIGURES[name])
