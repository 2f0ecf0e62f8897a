"""Where the sources contradict each other: the side taken, by the numbers of the specification."""

from __future__ import annotations

import pytest

from sqlobs.evaluation.execution_match import execution_match
from sqlobs.metrics.credit_score import (
    CreditSettings,
    PartialCredit,
    Technique,
    partial_credit,
)
from sqlobs.metrics.denodo import denodo_scores, subset
from sqlobs.metrics.labels import SqlCorrectness
from sqlobs.metrics.order_by import mentions_order_by, ordering_of
from sqlobs.metrics.ordering import UNORDERED, Ordering
from sqlobs.metrics.runtime_efficiency import efficiency_of_ratios, timing_order
from sqlobs.metrics.soft_f1_score import soft_f1
from sqlobs.metrics.spider.database import SpiderDatabase
from sqlobs.metrics.spider.exact_match import exact_set_match
from sqlobs.metrics.text_match import canonical_text
from sqlobs.types import ExecutionOutcome, ResultTable


def table(*rows, columns="abcd"):
    """Return a table with single letters as names."""
    return ResultTable(tuple(columns[: len(rows[0])]), rows)


EMPTY = ResultTable(("a",), ())


class Constant:
    """Embeds every text alike."""

    def embed(self, texts):
        """Return one direction for all."""
        return [[1.0, 0.0]] * len(texts)


@pytest.mark.parametrize("technique", sorted(set(Technique) - {Technique.EXECUTION_ACCURACY}))
def test_02_one_empty_side_scores_as_the_documentation_says(technique):
    """The unified technique's code gives zeros; the documented table wins for all techniques."""
    settings = CreditSettings(embedder=Constant())
    one = {"technique": technique, "settings": settings}
    assert partial_credit(EMPTY, table((1,)), **one) == PartialCredit(0, 0.0, 1.0, 0.0)
    assert partial_credit(table((1,)), EMPTY, **one) == PartialCredit(0, 1.0, 0.0, 0.0)


def test_03_emptiness_is_looked_at_before_columns():
    """An empty prediction without a common column has precision 1, not 0."""
    credit = partial_credit(table((1,), columns="z"), EMPTY)
    assert (credit.exp, credit.exr) == (1.0, 0.0)


def test_04_and_05_free_columns_count_cells_as_bags_and_use_a_row_once():
    """The code counts distinct texts, and fails where two equal rows meet one."""
    technique = Technique.FREE_COLUMN_AND_PARTIAL_CELL
    repeated = partial_credit(table((5, 5), (1, 2)), table((5, 5), (1, 3)), technique=technique)
    assert (repeated.exp, repeated.exr) == (0.75, 0.75)
    twice = partial_credit(table((1,), (1,)), table((1,), (2,)), technique=technique)
    assert (twice.exp, twice.exr) == (0.5, 0.5)


def test_06_semantic_columns_are_compared_in_pairs():
    """The code projects each side in its own order and compares strangers."""
    settings = CreditSettings(column_similarity=[[0.1, 0.9], [0.95, 0.2]])
    credit = partial_credit(
        table((1, "x"), (2, "y")),
        table(("x", 1), ("y", 9)),
        technique=Technique.SEMANTIC_COLUMN_AND_EXACT_CELL,
        settings=settings,
    )
    assert (credit.exp, credit.exr) == (0.5, 0.5)


def test_07_nothing_matched_has_precision_zero_in_lenient_mode_too():
    """The code divides nothing by nothing and calls it 1."""
    settings = CreditSettings(column_similarity=[[0.4]], penalize_extra_pred_cols=False)
    credit = partial_credit(
        table((1,)),
        table((2,)),
        technique=Technique.SEMANTIC_COLUMN_AND_PARTIAL_CELL,
        settings=settings,
    )
    assert (credit.exp, credit.exr, credit.f1) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "name", ["NO_COLUMN_PARTIAL_CELL", "no_column_and_partial_cell", "FREE_COLUMN_AND_PARTIAL_CELL"]
)
def test_08_both_names_of_the_column_free_technique_are_known(name):
    """Two generations of the code name it differently."""
    assert Technique(name) is Technique.FREE_COLUMN_AND_PARTIAL_CELL


def test_09_full_partial_credit_does_not_imply_execution_accuracy():
    """The documentation says all four are 1 together; other column order shows they are not."""
    credit = partial_credit(table((1, "x")), table(("x", 1), columns="ba"))
    assert (credit.ex, credit.f1) == (0, 1.0)


def test_11_and_12_subsetting_divides_by_the_reference_row():
    """Prose says "of generated", example and code divide by the reference."""
    reference, predicted = table((1, 2)), table((1, 2, 3, 4))
    assert subset(reference, predicted) == 100.0
    mean = subset(table((1, 2, 3), (4, 5, 6)), table((1, 2, 7), (4, 8, 6)))
    assert mean == pytest.approx(200 / 3)


def test_13_overlap_does_not_depend_on_order():
    """The sheet's description says order matters; formula and code do not look at it."""
    scores = denodo_scores(table((1, 2), (3, 4)), table((4, 3), (2, 1)))
    assert scores.overlap == 100.0


def test_14_two_empty_tables_have_full_marks():
    """The code gives F1 0 beside Results Match 1; the BIRD definition gives 1."""
    scores = denodo_scores(EMPTY, EMPTY)
    assert (scores.standard_f1, scores.subset, scores.results_match) == (1.0, 100.0, 1.0)


def test_the_evaluators_own_figures_can_be_had():
    """Where Denodo's code departs from its document, `parity` follows the code."""
    reference, predicted = table((1, 1), (1, 1), (2, 3)), table((1, 1), (2, 4), (2, 3))
    ours, theirs = (
        denodo_scores(reference, predicted, parity=parity) for parity in (None, "denodo")
    )
    assert ours.subset == pytest.approx(200 / 3)
    assert theirs.subset == pytest.approx(100 / 3)
    empty = denodo_scores(EMPTY, EMPTY, parity="denodo")
    assert (empty.results_match, empty.same_row_count) == (1.0, 1.0)
    assert (empty.standard_f1, empty.subset, empty.overlap) == (0.0, 0.0, 0.0)


def test_15_the_reward_and_the_score_are_two_figures():
    """Denodo shows the reward itself, BIRD 100 times its root."""
    found = efficiency_of_ratios([0.8, 0.9286, 0.6875])
    assert (found.reward, round(found.reward_score, 1)) == (0.75, 86.6)


def test_16_swapped_rows_are_no_subset():
    """A README calls them one; the code and the document's own rule compare by position."""
    assert subset(table((1, 2), (3, 4)), table((3, 4), (1, 2))) == 0.0


def test_18_soft_f1_counts_null_as_a_value():
    """BIRD's README prints 0.8 for its example, its code returns 2/3; the code wins."""
    reference = table(("Apple", 325), ("Orange", None), ("Banana", 119))
    predicted = table((325, "Apple"), (191, "Orange"), (None, "Banana"))
    assert soft_f1(reference, predicted).f1 == pytest.approx(2 / 3)


def test_19_equal_ratios_are_all_kept():
    """The original's outlier rule keeps nothing where nothing varies, and scores 0."""
    assert efficiency_of_ratios([1.0, 1.0, 1.0]).reward == 1.0


def test_20_runs_alternate_after_a_warm_up():
    """Sources time execution with or without fetching and in fixed order; we state the order."""
    assert list(timing_order(2)) == [
        *("reference", "predicted"),
        *("reference", "predicted"),
        *("predicted", "reference"),
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM (SELECT a FROM t ORDER BY a) AS s",
        "SELECT a, row_number() OVER (ORDER BY a) FROM t",
        "SELECT 'order by' FROM t",
        "SELECT a FROM t -- order by a",
        "SELECT a FROM t ORDER BY a LIMIT 1",
    ],
)
def test_28_only_an_outermost_order_by_makes_order_count(sql):
    """The originals look for the text; the text is kept for parity."""
    assert ordering_of(sql) == UNORDERED
    assert mentions_order_by(sql)
    assert ordering_of("SELECT a FROM t ORDER BY a") == Ordering(is_ordered=True, keys=(0,))


def test_29_a_wrong_single_table_is_no_exact_match():
    """An old recorded report accepted it, the current script does not."""
    database = SpiderDatabase.of({"t": ["a"], "u": ["a"]})
    match = exact_set_match("SELECT count(*) FROM t", "SELECT count(*) FROM u", database=database)
    assert (match.is_exact, match.failed_parts) == (False, ())


def test_30_what_was_not_evaluated_is_no_failure_but_for_the_strict_rate():
    """A missing dialect "cannot be evaluated" and is also listed as a failure case."""
    assert SqlCorrectness(None, True).not_evaluated == ("syntactic",)


def test_31_soft_f1_keeps_the_first_of_equal_rows():
    """NL2SQL360 goes through an unordered set; the result must not depend on hashes."""
    reference = table(*[(value,) for value in "bcabc"])
    assert soft_f1(reference, table(("b",), ("c",), ("a",))).f1 == 1.0


def test_33_statements_run_as_written():
    """Canonical text is lower case and would miss names of a case-sensitive engine."""
    ran = []

    def run(sql):
        ran.append(sql)
        return ExecutionOutcome("ok", table((1,)))

    sql = 'SELECT "A" FROM T'
    assert execution_match(sql, sql, is_read_only=bool, run=run).is_match
    assert ran == [sql, sql]
    assert canonical_text(sql) == 'select "A" from t'
