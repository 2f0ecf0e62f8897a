from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlobs.errors import ConfigError
from sqlobs.metrics.column_alignment import columns_by_name
from sqlobs.metrics.credit_score import (
    PERFECT,
    CreditSettings,
    PartialCredit,
    Technique,
    partial_credit,
)
from sqlobs.metrics.diagnosis import Diagnosis, DiagnosisThresholds, diagnose
from sqlobs.metrics.row_matching import RowMatching, greedy_pairs, optimal_pairs
from sqlobs.types import ResultTable


def table(*rows, columns="abcd", truncated=False):
    """Return a table with single letters as names."""
    return ResultTable(tuple(columns[: len(rows[0])]), rows, truncated)


def reference_loop(counts):
    """Pair as the source does: search for the greatest count again and again."""
    open_counts = counts.astype(int).copy()
    pairs = []
    while open_counts.size and open_counts.max(initial=0) > 0:
        row, column = np.unravel_index(int(open_counts.argmax()), open_counts.shape)
        pairs.append((int(row), int(column)))
        open_counts[row, :] = open_counts[:, column] = -1
    return pairs


matrices = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


@settings(deadline=None)
@given(matrices)
def test_one_greedy_pass_pairs_as_the_repeated_search_does(rows):
    """Counts do not change while rows are taken."""
    counts = np.array(rows)
    assert greedy_pairs(counts) == reference_loop(counts)


@settings(deadline=None)
@given(matrices)
def test_the_optimal_assignment_is_never_worse_than_the_greedy_one(rows):
    """It maximizes what the other only approaches."""
    counts = np.array(rows)
    greedy, optimal = (
        sum(counts[pair] for pair in pairs(counts)) for pairs in (greedy_pairs, optimal_pairs)
    )
    assert optimal >= greedy


def test_the_assignment_may_be_chosen():
    """Greedy takes the best first pair and loses on the second; the optimum does not."""
    reference = table((1, 1, 0, 0), (1, 1, 9, 9))
    predicted = table((1, 1, 5, 5), (8, 8, 0, 0))
    scores = [
        partial_credit(
            reference,
            predicted,
            technique=Technique.EXACT_COLUMN_AND_PARTIAL_CELL,
            settings=CreditSettings(matching=RowMatching(assignment=assignment)),
        ).exp
        for assignment in ("greedy", "optimal")
    ]
    assert scores == [2 / 8, 4 / 8]


def test_equal_rows_stand_together_when_ties_are_broken():
    """The source counts rows before it pairs them, so that repeated rows come one after another."""
    reference = table((1, 1), (0, 3), (1, 2), (2, 3))
    predicted = table((0, 1), (1, 3), (0, 2), (1, 3))
    credit = partial_credit(reference, predicted, technique=Technique.EXACT_COLUMN_AND_PARTIAL_CELL)
    assert (credit.exp, credit.exr) == (3 / 8, 3 / 8)


def test_repeated_names_pair_in_order():
    """The k-th column of a name stands for the k-th of that name."""
    one = ResultTable(("a", "b", "a"), ())
    other = ResultTable(("a", "a", "a"), ())
    assert list(columns_by_name(one, other)) == [(0, 0), (2, 1)]


def test_null_is_a_value_of_its_own_unless_parity_is_asked_for():
    """In the column-free technique cells are texts; the source writes NULL as None."""
    technique = Technique.FREE_COLUMN_AND_PARTIAL_CELL
    tables = table((None,)), table(("None",))
    assert partial_credit(*tables, technique=technique).f1 == 0.0
    parity = CreditSettings(matching=RowMatching(null_text="None"))
    assert partial_credit(*tables, technique=technique, settings=parity).f1 == 1.0


def test_many_unmatched_rows_are_sampled_and_marked():
    """The cap bounds the work; the figure says that it is approximate."""
    reference = table(*[(number, "x") for number in range(50)])
    predicted = table(*[(-number - 1, "x") for number in range(50)])
    technique = Technique.EXACT_COLUMN_AND_PARTIAL_CELL
    full = partial_credit(reference, predicted, technique=technique)
    capped = CreditSettings(matching=RowMatching(max_rows=10))
    sampled = partial_credit(reference, predicted, technique=technique, settings=capped)
    assert (full.exp, full.is_approximate) == (0.5, False)
    assert (sampled.exp, sampled.is_approximate) == (0.5, True)


def test_truncated_tables_are_scored_on_the_fetched_rows_and_marked():
    """Nothing is claimed of the rows that were cut off."""
    credit = partial_credit(table((1,), (2,), truncated=True), table((1,), (2,), (3,)))
    assert credit == PartialCredit(None, 2 / 3, 1.0, 0.8, is_approximate=True)


def test_execution_accuracy_alone_has_no_partial_figures():
    """The first technique returns EX only."""
    only = partial_credit(table((1,)), table((2,)), technique=Technique.EXECUTION_ACCURACY)
    assert only == PartialCredit(ex=0)


def test_a_semantic_technique_without_an_embedder_is_a_mistake_of_the_caller():
    """The message says what to give."""
    with pytest.raises(ConfigError, match="embedder"):
        partial_credit(table((1,)), table((2,)), technique=Technique.SEMANTIC_COLUMN_AND_EXACT_CELL)


@pytest.mark.parametrize(
    ("credit", "mistake", "is_close"),
    [
        (PERFECT, "perfect", False),
        (PartialCredit(0, 0.3, 1.0, 0.46), "over_prediction", False),
        (PartialCredit(0, 1.0, 0.33, 0.5), "under_prediction", False),
        (PartialCredit(0, 0.0, 1.0, 0.0), "over_prediction", False),
        (PartialCredit(0, 0.5, 0.6, 0.55), "partial", False),
        (PartialCredit(0, 0.1, 0.1, 0.1), "wrong", False),
        (PartialCredit(0, 0.9, 0.9, 0.9), "partial", True),
    ],
)
def test_scores_name_the_kind_of_mistake(credit, mistake, is_close):
    """The documented table of scenarios, and a flag for near misses."""
    assert diagnose(credit) == Diagnosis(mistake, is_close=is_close)


def test_thresholds_of_the_diagnosis_are_parameters():
    """What counts as high is the user's to say."""
    credit = PartialCredit(0, 0.6, 0.5, 0.55)
    loose = DiagnosisThresholds(high=0.55, close_above=0.5)
    assert diagnose(credit, thresholds=loose) == Diagnosis("under_prediction", is_close=True)
    assert diagnose(PartialCredit(ex=0)) is None
