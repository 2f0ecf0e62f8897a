"""The Markdown summary of a run and of a comparison, for a pull request."""

from __future__ import annotations

import pytest

from sqlobs.reporting.comparison import compare
from sqlobs.reporting.gates import check_comparison, check_gates, parse_gate
from sqlobs.reporting.summary_markdown import comparison_summary, run_summary
from sqlobs.runs.case import GenerationRecord
from sqlobs.runs.run import Run
from tests.reporting.samples import HOSTILE, mismatched, passed, refused


def run_of(name, *cases):
    return Run(name=name, cases=cases)


def test_a_run_is_a_table_of_its_main_figures_with_gates_and_cost():
    """The same texts as in the terminal and on the page."""
    run = run_of("night", passed(0, generation=GenerationRecord(cost=0.5)), mismatched(1))
    lines = run_summary(run, check_gates(run, [parse_gate("esm<98%")])).splitlines()
    assert lines[:3] == ["### sqlobs: night", "", "- ❌ esm\\<98%: failed, esm is 50%"]
    assert "| Execution match | 50.0 % | 9.5–90.5 | 2 |" in lines  # noqa: RUF001 - a range
    assert lines[-1] == "Cost 0.500000 over 1 question, 0.500000 per correct answer."


def test_a_comparison_lists_what_fails_now_and_why():
    """Rates with their intervals, and each newly failing question with its reason."""
    before = run_of("main", passed(0, id="q0"), passed(1, id="q1"))
    after = run_of("branch", refused(0, id="q0"), passed(1, id="q1"))
    comparison = compare([before, after])
    (pair,) = comparison.pairs
    verdicts = check_comparison(pair, [parse_gate("broken>0")])
    lines = comparison_summary(comparison, verdicts).splitlines()
    assert lines[:3] == [
        "### sqlobs: comparison",
        "",
        "- ❌ broken\\>0: failed, broken is 1",
    ]
    assert (
        "| Execution match | 100.0 % | 50.0 % | −50.0 points (−90.5 to +27.3) | 2 | 1.0000 |"  # noqa: RUF001
    ) in lines
    assert "Figures below Execution match: p adjusted by Holm's method over all figures." in lines
    assert lines[-3:] == [
        "1 question newly failing:",
        "",
        f"- q0 (schema.unknown\\_column): {after.cases[0].question}",
    ]


@pytest.mark.parametrize("text", [*HOSTILE, "a | b", "[x](http://evil)", "@everyone", "`x` **b**"])
def test_texts_of_users_mean_nothing_in_markdown(text):
    """No markup, no link, no table cell, no mention; one line each."""
    before = run_of(text, passed(0, id="q0", question=text))
    after = run_of(text, refused(0, id="q0", question=text))
    summary = comparison_summary(compare([before, after]))
    last = summary.splitlines()[-1]
    assert last.startswith("- q0 (schema.unknown\\_column): ")
    shown = last.partition("): ")[2]
    for mark in "|<`[@*":
        assert shown.count(mark) == shown.count(f"\\{mark}")
