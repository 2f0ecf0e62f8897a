"""Every figure of two runs, with the test that fits its kind."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sqlobs.metrics.paired_tests import holm, mcnemar, paired_difference_interval, wilcoxon
from sqlobs.reporting.comparison import compare
from sqlobs.reporting.comparison_text import comparison_block, comparison_document
from sqlobs.reporting.figures import figures_of
from sqlobs.reporting.page.comparison import comparison_html
from sqlobs.runs.case import GenerationRecord
from sqlobs.runs.run import Run
from tests.reporting.samples import mismatched, passed, refused


def run_of(name, cases):
    return Run(name=name, cases=tuple(cases))


def figure_of(pair, name):
    return next(figure for figure in pair.figures if figure.name == name)


BEFORE = run_of("a", [passed(0, id="q0"), mismatched(1, id="q1"), passed(2, id="q2")])
AFTER = run_of("b", [refused(0, id="q0"), refused(1, id="q1"), passed(2, id="q2")])


def test_an_invented_name_counts_where_execution_match_does_not_change():
    """One case is now failing, but two have an invented column now."""
    (pair,) = compare([BEFORE, AFTER]).pairs
    invented = figure_of(pair, "schema_hallucination_rate")
    assert [change.key for change in pair.broken] == ["q0"]
    assert [change.key for change in invented.worsened] == ["q0", "q1"]
    assert (invented.before, invented.after, invented.total) == (0.0, 2 / 3, 3)
    assert invented.p == mcnemar(2, 0).p_exact
    assert invented.interval == paired_difference_interval(0, 2, 0, 1)
    assert pair.broken_by_reason == (("schema.unknown_column", 1),)


def test_terminal_page_and_json_show_it_with_the_statements():
    """The statements before and after are on the page and in the JSON."""
    comparison = compare([BEFORE, AFTER])
    text = comparison_block(comparison)
    assert (
        "  Schema hallucination: 0.0 % -> 66.7 %, +66.7 points (−5.9 to +93.9) over 3 cases,"  # noqa: RUF001
        " 0 better, 2 worse, p 1.0000"
    ) in text.splitlines()
    assert "now failing (1 schema.unknown_column):" in text
    (pair,) = comparison_document(comparison)["pairs"]
    assert pair["figures"]["schema_hallucination_rate"]["worsened"] == ["q0", "q1"]
    assert [change["case"] for change in pair["changes"]] == ["q0", "q1"]
    assert pair["changes"][1]["after"]["sql"] == AFTER.cases[1].predicted_sql
    section = comparison_html(comparison).partition("<h2>Schema hallucination: now worse</h2>")[2]
    assert section.partition("</details>")[0].count(">category</span>") == 1


def test_scores_are_tested_by_ranks():
    """Wilcoxon's test, and the bootstrap interval of the mean difference."""
    before = [0.9, 0.8, 0.75, 0.5, 1.0, 0.2, 0.65]
    after = [0.7, 0.85, 0.5, 0.5, 0.6, 0.1, 0.6]
    first = run_of("a", [passed(i, scores={"f1": f1}) for i, f1 in enumerate(before)])
    second = run_of("b", [passed(i, scores={"f1": f1}) for i, f1 in enumerate(after)])
    (pair,) = compare([first, second]).pairs
    f1 = figure_of(pair, "f1")
    differences = [b - a for a, b in zip(before, after, strict=True)]
    assert (f1.kind, f1.before, f1.after) == ("score", fmean(before), fmean(after))
    assert f1.p == stats.wilcoxon([d for d in differences if d]).pvalue
    assert f1.interval.low < f1.difference < f1.interval.high
    assert (len(f1.improved), len(f1.worsened)) == (1, 5)


def test_tokens_cost_and_time_are_compared():
    """Less is better."""
    spent = [passed(i, generation=GenerationRecord(cost=0.02 * i, input_tokens=90)) for i in (1, 2)]
    saved = [passed(i, generation=GenerationRecord(cost=0.01 * i, input_tokens=90)) for i in (1, 2)]
    (pair,) = compare([run_of("a", spent), run_of("b", saved)]).pairs
    cost, tokens = figure_of(pair, "cost"), figure_of(pair, "input_tokens")
    assert (len(cost.improved), len(cost.worsened)) == (2, 0)
    assert "  Cost: 0.030000 -> 0.015000, −0.015000 over 2 cases" in comparison_block(  # noqa: RUF001
        compare([run_of("a", spent), run_of("b", saved)])
    )
    assert (tokens.is_changed, tokens.p) == (False, 1.0)


def test_a_figure_is_that_of_the_run_alone():
    """The same number as in each run's own report, where every case has the figure."""
    (pair,) = compare([BEFORE, AFTER]).pairs
    for run, side in ((BEFORE, "before"), (AFTER, "after")):
        own = {figure.name: figure.value for figure in figures_of(run.cases)}
        shown = {f.name: getattr(f, side) for f in pair.figures if f.name in own}
        assert len(shown) > 5
        assert shown == {name: pytest.approx(own[name]) for name in shown}


def test_all_figures_of_all_runs_are_adjusted_together():
    """Holm's method over one family."""
    pairs = compare([BEFORE, AFTER, run_of("c", AFTER.cases)]).pairs
    figures = [figure for pair in pairs for figure in pair.figures]
    assert [figure.p_adjusted for figure in figures] == holm([figure.p for figure in figures])


def test_parts_add_up_to_the_whole():
    """By difficulty and database: the sums are the comparison's own counts."""
    levels = ("simple", "hard", "simple", "hard")
    first = run_of("a", [passed(i, difficulty=d, db="x") for i, d in enumerate(levels)])
    makers = (passed, mismatched, mismatched, refused)
    second = run_of(
        "b",
        [
            make(i, difficulty=d, db="x")
            for i, (make, d) in enumerate(zip(makers, levels, strict=True))
        ],
    )
    (pair,) = compare([first, second]).pairs
    found = {
        level.name: (level.total, level.before, level.after, level.broken) for level in pair.levels
    }
    assert found == {"difficulty=simple": (2, 2, 1, 1), "difficulty=hard": (2, 2, 0, 2)}
    assert sum(level.total for level in pair.levels) == pair.total


@settings(max_examples=25)
@given(st.lists(st.integers(-5, 5), max_size=30))
def test_the_other_direction_is_equally_significant(differences):
    """A law of the test, with ties and zeros."""
    p, other = wilcoxon(differences), wilcoxon([-each for each in differences])
    assert p == (None if not differences else pytest.approx(other))
