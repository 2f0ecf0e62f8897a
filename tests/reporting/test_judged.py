"""A judge against execution: sides, rates, categories."""

from __future__ import annotations

import pytest

from sqlobs.metrics.intervals import wilson_interval
from sqlobs.metrics.paired_tests import paired_difference_interval
from sqlobs.reporting.json_report import report_document
from sqlobs.reporting.judged import (
    CategoryShare,
    CategorySpread,
    category_shares,
    category_spread,
    judged_groups,
    side_of,
)
from sqlobs.runs.case import JudgeVerdict
from sqlobs.runs.run import Run
from tests.reporting.samples import judged_run, mismatched, passed, small_run


def case(index, *, equal, correct, categories=(), difficulty="simple"):
    """Return a case with equal or different results and a verdict."""
    maker = passed if equal else mismatched
    verdict = JudgeVerdict(judge="flex", correct=correct, categories=categories)
    return maker(index, judge=verdict, difficulty=difficulty)


CASES = (
    case(0, equal=True, correct=True),
    case(1, equal=True, correct=False, categories=("abused_clauses", "other_fatal_issues")),
    case(2, equal=False, correct=True, categories=("different_output_structure",)),
    case(3, equal=False, correct=False, categories=("abused_clauses",)),
    case(4, equal=False, correct=False, categories=("abused_clauses",), difficulty="challenging"),
    case(5, equal=True, correct=None),
    passed(6),
)


def test_execution_and_judge_give_four_sides():
    """Without a verdict a case is on none."""
    assert [side_of(item) for item in CASES] == [
        *("true_positive", "false_positive", "false_negative", "true_negative"),
        *("true_negative", None, None),
    ]


def test_rates_are_over_the_cases_with_a_verdict():
    """EX and FLEX over the same cases, so that their difference is one of paired rates."""
    simple, challenging, overall = judged_groups(CASES)
    assert (simple.title, challenging.title, overall.title) == ("simple", "challenging", "All")
    assert (overall.flex.count, overall.ex.count, overall.flex.total) == (2, 2, 5)
    assert (overall.delta, overall.undecided) == (0.0, 1)
    assert overall.interval == paired_difference_interval(1, 1, 1, 2)
    assert overall.false_positives.value == overall.false_negatives.value == pytest.approx(1 / 5)
    assert overall.false_positives.interval == wilson_interval(1, 5)
    assert (simple.flex.value, simple.ex.value, challenging.flex.value) == (0.5, 0.5, 0.0)
    assert judged_groups(small_run().cases) == []


def test_categories_are_shares_of_their_side():
    """A case in two categories counts for both, and once for its side."""
    assert category_shares(CASES) == [
        CategoryShare("false_positive", "abused_clauses", 1, 1),
        CategoryShare("false_positive", "other_fatal_issues", 1, 1),
        CategoryShare("true_negative", "abused_clauses", 2, 2),
        CategoryShare("false_negative", "different_output_structure", 1, 1),
    ]


def test_the_spread_over_runs_counts_absent_categories_as_0():
    """Mean and standard deviation of the population of runs that have cases on the side."""
    bare = (case(0, equal=True, correct=False), case(1, equal=True, correct=True))
    spread = category_spread([CASES, bare, CASES[:1]])
    assert spread[0] == CategorySpread("false_positive", "abused_clauses", 0.5, 0.5)
    assert [(entry.side, entry.mean) for entry in spread[2:]] == [
        ("true_negative", 1.0),
        ("false_negative", 1.0),
    ]
    assert category_spread([]) == []


def test_json_has_the_judge_by_difficulty():
    """Every rate with its denominator."""
    document = report_document(Run(name="r", cases=CASES))
    assert document["judged"]["All"]["flex"]["total"] == 5
    assert document["judged"]["All"]["delta"] == 0.0
    assert document["categories"][0] == {
        "side": "false_positive",
        "key": "abused_clauses",
        "count": 1,
        "total": 1,
    }


def test_sides_partition_the_decided_cases():
    """False positives, false negatives and agreement are everything."""
    groups = judged_groups(judged_run(200).cases)
    for group in groups:
        agreed = group.flex.count - group.false_negatives.count
        assert agreed == group.ex.count - group.false_positives.count
        assert group.delta == pytest.approx(group.flex.value - group.ex.value)
