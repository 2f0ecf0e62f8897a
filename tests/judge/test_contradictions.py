"""Where the sources of judging contradict each other: the side that is taken."""

from __future__ import annotations

import pytest

from sqlobs import Schema, check_sql
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.verdicts.context import OPTIMAL, shown_fields
from sqlobs.judge.verdicts.rendering import render
from sqlobs.types import ResultTable

TALL = ResultTable(("a",), tuple((number,) for number in range(101)))
WIDE = ResultTable(("a",), (("x" * 60,),))


def item(**more: object) -> JudgeItem:
    """A judged pair with results."""
    told = {
        "question": "Which names?",
        "sql": "SELECT name FROM t ORDER BY name",
        "reference": "SELECT name FROM t",
        "schema": "CREATE TABLE t (name TEXT)",
        "dialect": "sqlite",
        "predicted_result": WIDE,
        "reference_result": WIDE,
        "results_equal": True,
    }
    return JudgeItem(**(told | more))


@pytest.mark.parametrize(("profile", "rows", "text"), [("seed", 100, 50), ("repo", 20, 30)])
def test_21_results_are_cut_as_the_paper_says_and_as_its_code_does_on_request(profile, rows, text):
    """50 rows at either end and 50 characters, or 10 and 30; the default is the paper's."""
    shown = render(TALL, profile).splitlines()
    cells = [line for line in shown if line.strip("| ").isdigit()]
    assert (len(cells), shown[-1]) == (rows, "shape=(101, 1)")
    assert f"| {'x' * text}... 60 chars |" in render(WIDE, profile)
    assert render(TALL) == render(TALL, "seed")


@pytest.mark.parametrize("statement", ["SELECT name FROM t", "SELECT name FROM t ORDER BY name"])
def test_22_and_32_results_are_shown_where_they_differ_whatever_is_ordered(statement):
    """Execution alone decides what is shown: neither an ORDER BY nor figure 14's caption does."""
    results = {"predicted_result", "reference_result"}
    equal = shown_fields(item(reference=statement), OPTIMAL)
    differing = shown_fields(item(reference=statement, results_equal=False), OPTIMAL)
    assert results.isdisjoint(equal)
    assert set(differing) - set(equal) == results


def test_25_a_prompt_has_no_hints_but_the_items_own():
    """The published code writes hints about one dataset into every prompt."""
    assert "hints" not in shown_fields(item(), OPTIMAL)
    assert shown_fields(item(hints="Names are unique."), OPTIMAL)["hints"] == "Names are unique."


def test_34_each_label_is_decided_on_its_own():
    """A construct of another dialect in grounded SQL leaves `schematic` alone to pass."""
    schema = Schema.from_mapping({"t": {"name": "TEXT"}}, dialect="sqlite")
    report = check_sql("SELECT TOP 3 name FROM t", schema=schema)
    assert (report.syntactic, report.schematic) == (False, True)
