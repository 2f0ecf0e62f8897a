"""Runs against each other."""

from __future__ import annotations

import pytest

from sqlobs.errors import InputError
from sqlobs.metrics.paired_tests import mcnemar, paired_difference_interval
from sqlobs.reporting.comparison import compare
from sqlobs.reporting.comparison_text import comparison_block, comparison_document
from sqlobs.reporting.page.comparison import comparison_html
from sqlobs.runs.run import Run
from tests.reporting.samples import mismatched, passed, reference_failed, refused


def run_of(name, ends, *, prefix="q"):
    """Return a run whose cases pass (`+`), fail (`-`) or were not asked (`?`)."""
    makers = {
        "+": passed,
        "-": mismatched,
        "?": lambda index, **fields: passed(
            index, bucket="skipped", reason="not_asked", em=None, **fields
        ),
    }
    cases = [makers[end](index, id=f"{prefix}{index}") for index, end in enumerate(ends)]
    return Run(name=name, cases=tuple(cases))


def test_changes_are_found_and_tested():
    """Fixed, broken, both, neither; McNemar's test and Newcombe's interval of exactly these."""
    (pair,) = compare([run_of("old", "++++---?"), run_of("new", "+++-++-+")]).pairs
    assert [change.key for change in pair.fixed] == ["q4", "q5"]
    assert [change.key for change in pair.broken] == ["q3"]
    assert (pair.both, pair.neither, pair.total, pair.unpaired) == (3, 1, 7, 1)
    assert (pair.before, pair.after) == (4 / 7, 5 / 7)
    assert pair.difference == pytest.approx(1 / 7)
    assert pair.test == mcnemar(2, 1)
    assert pair.interval == paired_difference_interval(3, 2, 1, 1)
    assert pair.p_adjusted == pair.test.p_exact


def test_changed_cases_are_shown_with_their_statements_before_and_after():
    """On the page without a click where they are now failing; in the terminal; as JSON, whole."""
    before = Run(name="a", cases=(passed(0, id="q0"), mismatched(1, id="q1")))
    after = Run(name="b", cases=(refused(0, id="q0"), passed(1, id="q1")))
    comparison = compare([before, after])
    old, new = before.cases[0].predicted_sql, after.cases[0].predicted_sql
    text = comparison_block(comparison).splitlines()
    at = next(place for place, line in enumerate(text) if line.startswith("  q0"))
    assert text[at + 1 : at + 3] == [f"    before: {old}", f"    after:  {new}"]
    (pair,) = comparison_document(comparison)["pairs"]
    assert pair["broken"] == ["q0"]
    assert pair["changes"][0] == {
        "case": "q0",
        "question": before.cases[0].question,
        "reference": before.cases[0].reference_sql,
        "before": {"bucket": "ok", "reason": None, "sql": old},
        "after": {"bucket": "pred_fail", "reason": after.cases[0].reason, "sql": new},
    }
    page = comparison_html(comparison)
    broken, fixed = page.partition("<h2>Now failing</h2>")[2].split("<h2>Now passing</h2>")
    assert broken.count("<details open>") == 1
    assert ">category</span>" in broken
    assert "<details>" in fixed
    assert "<details open>" not in fixed


def test_a_run_against_itself_changes_nothing():
    """No case is fixed or broken, and the test says chance."""
    (pair,) = compare([run_of("a", "+-+-"), run_of("a", "+-+-")]).pairs
    assert (pair.fixed, pair.broken, pair.difference, pair.test.p_exact) == ((), (), 0.0, 1.0)


def test_ids_pair_cases_whatever_their_position():
    """A run with its cases in another order is the same run."""
    first = run_of("a", "+-+")
    second = Run(name="b", cases=tuple(reversed(first.cases)))
    (pair,) = compare([first, second]).pairs
    assert (pair.fixed, pair.broken, pair.both) == ((), (), 2)


def test_without_ids_the_position_pairs():
    """One missing id is enough: guessing which case is meant would be worse."""
    first = Run(name="a", cases=(passed(0, id="x"), passed(1)))
    second = Run(name="b", cases=(mismatched(0, id="y"), passed(1)))
    (pair,) = compare([first, second]).pairs
    assert [change.key for change in pair.broken] == ["case 0"]


def test_another_question_at_the_same_position_is_no_pair():
    """Runs in another order would be compared case with stranger, and nobody would know."""
    first = Run(name="old", cases=(passed(0, question="How many?"), passed(1)))
    second = Run(name="new", cases=(passed(0, question="Who?"), passed(1, question="When?")))
    with pytest.raises(InputError) as raised:
        compare([first, second])
    assert str(raised.value) == (
        "case 0 of old asks 'How many?', that of new 'Who?':"
        " give each case a unique id so that they can be paired"
    )


def test_more_than_two_runs_are_tested_at_once_and_adjusted():
    """Cochran's test over all; each pair's p is adjusted for the number of pairs."""
    ends = ("+" * 20 + "-" * 10, "-" * 10 + "+" * 20, "+" * 30)
    found = compare([run_of(str(place), end) for place, end in enumerate(ends)])
    assert [pair.run for pair in found.pairs] == ["1", "2"]
    assert found.all_equal.degrees_of_freedom == 2
    assert found.pairs[1].p_adjusted == pytest.approx(2 * found.pairs[1].test.p_exact)


def test_where_all_fail_partial_credit_tells_runs_apart():
    """Cases that every run fails, and how close each comes there; in text, JSON and on the page."""
    before = Run(
        name="a",
        cases=(
            mismatched(0, id="x", scores={"ex": 0.0, "f1": 0.5}),
            mismatched(1, id="y", scores={"ex": 0.0, "f1": 0.25}),
            passed(2, id="z"),
        ),
    )
    after = Run(
        name="b",
        cases=(
            mismatched(0, id="x", scores={"ex": 0.0, "f1": 0.75}),
            passed(1, id="y"),
            mismatched(2, id="z"),
        ),
    )
    found = compare([before, after])
    assert found.common.keys == ("x",)
    assert [
        (name, {figure.name: figure.value for figure in figures})
        for name, figures in found.common.partial_credit
    ] == [
        ("a", {"exp_of_failures": None, "exr_of_failures": None, "f1_of_failures": 0.5}),
        ("b", {"exp_of_failures": None, "exr_of_failures": None, "f1_of_failures": 0.75}),
    ]
    assert comparison_block(found).splitlines()[-3:] == [
        "1 case with execution accuracy 0 in all runs; there:",
        "  a: Execution F1 of failures 0.500",
        "  b: Execution F1 of failures 0.750",
    ]
    document = comparison_document(found)["common_failures"]
    assert document["cases"] == ["x"]
    assert [run["f1_of_failures"]["value"] for run in document["runs"]] == [0.5, 0.75]
    assert "Cases that fail in all runs" in comparison_html(found)
    none = compare([before, Run(name="c", cases=(passed(0, id="x"),))])
    assert none.common.keys == ()
    assert "Cases that fail in all runs" not in comparison_html(none)


def test_runs_without_common_cases_are_reported():
    """Runs over other questions are not compared; neither is one run."""
    with pytest.raises(InputError, match="a and b have no common case"):
        compare([run_of("a", "++"), run_of("b", "++", prefix="other")])
    with pytest.raises(InputError, match="at least two"):
        compare([run_of("a", "+")])


def test_a_failed_reference_counts_as_the_pipeline_counts_it():
    """A case whose reference failed did not pass, in either run."""
    first = Run(name="a", cases=(reference_failed(0, id="q"), passed(1, id="p")))
    (pair,) = compare([first, first]).pairs
    assert (pair.both, pair.neither) == (1, 1)


def test_the_main_rate_is_compared_by_the_category_of_the_question():
    """A category is a part like difficulty or database."""
    before = Run(
        name="a",
        cases=(passed(0, id="q0", category="sales"), passed(1, id="q1", category="staff")),
    )
    after = Run(
        name="b",
        cases=(mismatched(0, id="q0", category="sales"), passed(1, id="q1", category="staff")),
    )
    (pair,) = compare([before, after]).pairs
    levels = {level.name: (level.before, level.after, level.total) for level in pair.levels}
    assert levels["question_category=sales"] == (1, 0, 1)
    assert levels["question_category=staff"] == (1, 1, 1)
    assert "Category sales: 100.0 % -> 0.0 %" in comparison_block(compare([before, after]))
