"""How results are shown to a judge."""

from __future__ import annotations

import datetime as dt

import pytest
from inline_snapshot import snapshot

from sqlobs.judge.verdicts.rendering import render, render_cell
from sqlobs.types import ResultTable


def _numbers(count):
    return ResultTable(("n",), tuple((number,) for number in range(count)))


def test_a_table_is_shown_as_the_paper_shows_it():
    """Names, rows, shape; texts cut with their length behind, numbers never."""
    table = ResultTable(
        ("boat name", "built"),
        (("x" * 60, 1_234_567.5), (" a\nb ", None), ("", dt.date(2026, 1, 31))),
    )
    assert render(table) == snapshot("""\
| boat name | built |
| --- | --- |
| xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... 60 chars | 1234567.5 |
| a b | None |
|  | 2026-01-31 |
shape=(3, 2)""")


def test_a_long_table_is_cut_in_the_middle():
    """More than 100 rows: the first and the last 50; the shape is that of the whole."""
    lines = render(_numbers(101)).splitlines()
    assert lines[2:4] + lines[51:54] + lines[-2:] == [
        "| 0 |", "| 1 |", "| 49 |", "...", "| 51 |", "| 100 |", "shape=(101, 1)",
    ]  # fmt: skip
    assert "..." not in render(_numbers(100))


def test_the_published_code_cuts_earlier_and_shows_no_names():
    """The profile of the recorded data: 10 and 10 rows beyond 20, 30 characters."""
    lines = render(_numbers(21), "repo").splitlines()
    assert (len(lines), lines[0], lines[9:12], lines[-1]) == (
        22,
        "| 0 |",
        ["| 9 |", "...", "| 11 |"],
        "shape=(21, 1)",
    )
    assert render_cell("y" * 31, max_characters=30) == "y" * 30 + "... 31 chars"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (ResultTable(("a",), ()), "Empty execution result"),
        (None, "No execution result"),
        ("| 1 |\nshape=(1, 1)", "| 1 |\nshape=(1, 1)"),
    ],
)
def test_what_is_no_table_has_a_phrase(result, text):
    """Empty, absent, or recorded as text."""
    assert render(result) == text


def test_a_truncated_table_says_that_there_is_more():
    """The number of rows is then a lower bound."""
    assert render(ResultTable(("a",), ((1,),), truncated=True)).endswith("shape=(1+, 1)")
