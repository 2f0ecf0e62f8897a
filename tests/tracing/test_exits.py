"""Hosts that end right after their last answer: `python -m tests.tracing.exits` has many runs."""

from __future__ import annotations

import sys

import pytest

from tests.tracing.exits.run import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX"),
]


@pytest.mark.parametrize(
    ("host", "manner"),
    [
        ("script", "slow"),
        ("uvicorn", "fast"),
        ("gunicorn", "restarting"),
        ("preload", "fast"),
        ("fork", "fast"),
        ("multiprocessing", "unreachable"),
    ],
)
def test_no_unit_is_lost_that_time_allows(host, manner):
    """SIGTERM comes right after the last answer, and `atexit` may never run."""
    found = run(host, manner, requests=40)
    assert (found.answered, found.missing, found.unknown, found.counted) == (40, 0, 0, 0), found
    assert found.said == ()


def test_with_a_spool_no_unit_is_lost_where_the_collector_is_gone(tmp_path):
    """The next process sends what this one could not."""
    found = run("uvicorn", "gone", requests=40, spool=str(tmp_path / "spool"))
    assert (found.answered, found.missing, found.unknown, found.counted) == (40, 0, 0, 0), found
    assert any("units kept in" in line for line in found.log)


def test_without_a_spool_a_loss_is_logged_once():
    """And only what was not sent is called lost."""
    found = run("script", "gone", requests=10)
    assert (found.missing, found.counted) == (10, 0), "the metrics went the same way"
    assert [line.partition("(")[0] for line in found.said] == [
        "sqlobs: units lost: 10; the process ended before they were sent "
    ]
