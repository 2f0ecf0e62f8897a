"""More than two runs side by side: each figure over the cases of all runs, with a joint test."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from sqlobs.metrics.paired_tests import cochran_q, holm
from sqlobs.reporting.comparison import compare
from sqlobs.reporting.comparison_text import comparison_block, comparison_document
from sqlobs.reporting.page.comparison import comparison_html
from sqlobs.reporting.summary_markdown import comparison_summary
from sqlobs.runs.case import GenerationRecord
from tests.reporting.test_comparison import run_of

ENDS = {"a": "++++++++++++-?", "b": "++++++--++++-+", "c": "------------++"}
"""All of `c` fails but two; the last case is undecided in `a`."""


def runs():
    """Return the three runs with times of their own."""
    return [
        replace(
            run_of(name, ends),
            cases=tuple(
                replace(case, generation=GenerationRecord(cost=0.01 * place * (case.index + 1)))
                for case in run_of(name, ends).cases
            ),
        )
        for place, (name, ends) in enumerate(ENDS.items(), start=1)
    ]


def test_each_figure_is_over_the_cases_of_all_runs():
    """Rates have Cochran's test, amounts Friedman's, and Holm's method corrects all of them."""
    comparison = compare(runs())
    joint = {figure.name: figure for figure in comparison.joint}
    rows = [[end == "+" for end in ends] for ends in zip(*ENDS.values(), strict=True)][:13]
    esm, cost = joint["esm"], joint["cost"]
    assert (esm.values, esm.total) == ((12 / 13, 10 / 13, 1 / 13), 13)
    assert esm.p == cochran_q(rows).p
    costs = [[0.01 * place * (n + 1) for n in range(14)] for place in (1, 2, 3)]
    assert cost.values == pytest.approx([sum(each) / 14 for each in costs])
    assert cost.p == pytest.approx(stats.friedmanchisquare(*costs).pvalue)
    raw = [figure.p for figure in comparison.joint]
    assert [figure.p_adjusted for figure in comparison.joint] == holm(raw)
    assert comparison.joint[0] == esm
    assert comparison.is_different(esm) == (False, False, True)
    assert joint["syntactic_pass_rate"].p == 1.0


def test_the_table_is_in_terminal_page_summary_and_json():
    """A mark shows what differs from the baseline; figures that never differ are named below."""
    comparison = compare(runs())
    head, row = comparison_block(comparison).splitlines()[1:3]
    assert head.split() == ["Figure", "a", "b", "c", "Cases", "p"]
    assert row.split()[:9] == ["Execution", "match", "92.3", "%", "76.9", "%", "7.7", "%*", "13"]
    summary = comparison_summary(comparison)
    assert "| Execution match | 92.3 % | 76.9 % | 7.7 %&#42; | 13 |" in summary
    assert "<td>7.7 %*</td><td>13</td>" in comparison_html(comparison)
    joint = comparison_document(comparison)["joint"]
    assert joint["runs"] == ["a", "b", "c"]
    assert joint["figures"]["esm"]["values"] == [12 / 13, 10 / 13, 1 / 13]
    same = next(line for line in summary.splitlines() if line.startswith("The same in all runs: "))
    assert "Syntactically valid" in same


def test_two_runs_have_no_joint_table():
    """Their paired comparison says everything."""
    comparison = compare(runs()[:2])
    assert comparison.joint == ()
    assert comparison_block(comparison).startswith("=== a -> b ===")
