"""Laws that hold for all metrics on tables, as registries: each metric obeys or is an exception."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sqlobs.metrics.cells import CANONICAL
from sqlobs.metrics.credit_score import CreditSettings, Technique, partial_credit
from sqlobs.metrics.denodo import denodo_scores, overlap, subset
from sqlobs.metrics.execution_accuracy import ex, ex_non_empty, ex_set, ex_subset, ex_testsuite
from sqlobs.metrics.ordering import Ordering
from sqlobs.metrics.published.defog import defog_match
from sqlobs.metrics.published.ibm import ibm_scores
from sqlobs.metrics.published.livesqlbench import livesqlbench_ex
from sqlobs.metrics.published.ragas import data_diff
from sqlobs.metrics.published.spider2 import spider2_table_match
from sqlobs.metrics.published.txt2sql import txt2sql_match
from sqlobs.metrics.row_matching import RowMatching
from sqlobs.metrics.shared_rows import row_overlap
from sqlobs.metrics.soft_f1_score import soft_f1
from sqlobs.types import ResultTable


class DigestEmbedder:
    """Gives every text a direction of its own."""

    def embed(self, texts):
        """Return eight numbers from the text's digest."""
        return [
            [octet - 128.0 for octet in hashlib.sha256(text.encode()).digest()[:8]]
            for text in texts
        ]


SETTINGS = CreditSettings(embedder=DigestEmbedder(), matching=RowMatching(assignment="optimal"))


def credit(technique, figure):
    """Return one figure of one technique as a function of two tables."""
    return lambda one, other: getattr(
        partial_credit(one, other, technique=technique, settings=SETTINGS), figure
    )


def ibm(figure):
    """Return one of IBM's rules as a function of two tables."""
    return lambda one, other: getattr(ibm_scores(one, other, reference_sql="SELECT 1"), figure)


def denodo(figure):
    """Return one of Denodo's figures as a function of two tables."""
    return lambda one, other: getattr(denodo_scores(one, other), figure)


F1_NAMES = {
    Technique.EXACT_COLUMN_AND_EXACT_CELL: "f1_exact_exact",
    Technique.EXACT_COLUMN_AND_PARTIAL_CELL: "f1_exact_partial",
    Technique.SEMANTIC_COLUMN_AND_EXACT_CELL: "f1_semantic_exact",
    Technique.SEMANTIC_COLUMN_AND_PARTIAL_CELL: "f1_semantic_partial",
    Technique.FREE_COLUMN_AND_PARTIAL_CELL: "f1_free_partial",
    Technique.UNIFIED_COLUMN_AND_SEMANTIC_ROW: "f1_unified",
}

METRICS = {
    "ex": lambda one, other: ex(one, other).score,
    "ex_ordered": lambda one, other: ex(one, other, ordering=Ordering(is_ordered=True)).score,
    "ex_set": lambda one, other: ex_set(one, other).score,
    "ex_testsuite": lambda one, other: ex_testsuite(one, other, is_ordered=False).score,
    "ex_testsuite_canonical": lambda one, other: (
        ex_testsuite(one, other, is_ordered=False, cells=CANONICAL).score
    ),
    "ex_subset": lambda one, other: ex_subset(one, other).score,
    "ex_non_empty": lambda one, other: ex_non_empty(one, other).score,
    "row_overlap": row_overlap,
    "soft_f1": lambda one, other: soft_f1(one, other).f1,
    "subset": lambda one, other: subset(one, other) / 100,
    "overlap": lambda one, other: overlap(one, other) / 100,
    "denodo_match": denodo("results_match"),
    "denodo_f1": denodo("standard_f1"),
    "denodo_row_count": denodo("same_row_count"),
    "ibm_execution": ibm("execution"),
    "ibm_non_empty": ibm("non_empty_execution"),
    "ibm_subset": ibm("subset_non_empty_execution"),
    "ibm_bird": ibm("bird_execution"),
    "spider2_table_match": spider2_table_match,
    "defog_exact": lambda one, other: defog_match(one, other).is_exact,
    "defog_correct": lambda one, other: defog_match(one, other).is_correct,
    "txt2sql_execution": lambda one, other: txt2sql_match(one, other).execution,
    "txt2sql_intent": lambda one, other: txt2sql_match(one, other).intent,
    "txt2sql_essence": lambda one, other: txt2sql_match(one, other).essence,
    "livesqlbench": livesqlbench_ex,
    "data_diff_rows": lambda one, other: data_diff(one, other).f1,
    "data_diff_columns": lambda one, other: data_diff(one, other, by="columns").f1,
    **{name: credit(technique, "f1") for technique, name in F1_NAMES.items()},
}

NEEDS_ROWS = {"ex_subset", "ex_non_empty", "ibm_non_empty", "ibm_subset", "livesqlbench"}
"""Give 0 where a table is empty: nothing would be compared."""


@dataclass(frozen=True)
class Witness:
    """Two tables that show that a metric does not obey a law."""

    one: ResultTable
    other: ResultTable


def table(*rows, columns="abc"):
    """Return a table with single letters as names."""
    return ResultTable(tuple(columns[: len(rows[0])]), rows)


WIDER = Witness(table((1,), (2,)), table((1, 7), (2, 7)))
LONGER = Witness(table((1,)), table((1,), (2,)))
COVERED = Witness(table((1, 1), columns="ab"), table((1, 2), columns="cd"))

ASYMMETRIC = {
    "soft_f1": Witness(table((1, 1)), table((1, 2))),
    "denodo_f1": Witness(table((1, 1)), table((1, 2))),
    "subset": WIDER,
    "overlap": LONGER,
    "spider2_table_match": WIDER,
    "defog_correct": WIDER,
    "txt2sql_intent": COVERED,
    "txt2sql_essence": COVERED,
    "f1_unified": Witness(table((0,)), table((0, 0))),
}
"""Metrics that ask whether the prediction covers the reference, not the other way round."""

SWAPPED_ROWS = Witness(table((1,), (2,)), table((2,), (1,)))

ROW_ORDER_BOUND = dict.fromkeys(
    (
        *("ex_ordered", "soft_f1", "denodo_f1", "subset", "spider2_table_match"),
        *("data_diff_rows", "data_diff_columns"),
    ),
    SWAPPED_ROWS,
)
"""Metrics that align rows by their position."""

MIXED = {"txt2sql_intent", "txt2sql_essence"}
"""Greedy covers that start at the same position: row order matters now and then."""

NAMED = {
    "f1_exact_exact": Witness(table((1,), (2,)), table((1,), (3,))),
    "f1_exact_partial": Witness(table((1,), (2,)), table((1,), (3,))),
    "f1_semantic_exact": Witness(
        table((1, "x"), (2, "y"), (3, "z")), table((1, "x"), (2, "z"), (3, "y"))
    ),
    "f1_semantic_partial": Witness(
        table((1, "x"), (2, "y"), (3, "z")), table((1, "x"), (2, "z"), (3, "y"))
    ),
    "f1_unified": Witness(table((1, 5), (2, 5)), table((1, 5), (3, 5))),
    "defog_exact": Witness(table((1, 2), columns="ab"), table((2, 1), columns="ba")),
    "data_diff_rows": Witness(table((1,), (2,)), table((1,), (3,))),
    "data_diff_columns": Witness(table((1, 2)), table((1, 3))),
    "txt2sql_intent": Witness(table((1, 2)), table((2, 1))),
    "txt2sql_essence": Witness(table((1, 2)), table((2, 1))),
}
"""Metrics that look at the names of columns; renaming one side changes them."""

DUPLICATE_FREE = {
    "ex_set",
    "soft_f1",
    "denodo_match",
    "denodo_f1",
    "livesqlbench",
    "ibm_bird",
    "txt2sql_execution",
    "defog_exact",
}
"""Metrics for which a row counts once however often it comes."""

SURPLUS_FREE = {
    *("overlap", "subset", "defog_correct", "txt2sql_intent", "txt2sql_essence"),
    "data_diff_columns",
}
"""Metrics that forgive a predicted row that comes once too often, some by dropping duplicates."""


COLUMNS = (
    (0, 1, 2),
    ("a", "b", "c"),
    (None, "a", "b"),
    (dt.date(2024, 5, 1), dt.date(2024, 5, 2)),
    (Decimal("0.5"), Decimal("1.5")),
    (0.5, 1.5, 2.5),
    (True, False),
)
"""What the cells of a column are drawn from."""


@st.composite
def result_tables(draw, min_rows=0, columns=None):
    """Draw a small table in which equal cells are likely."""
    width = columns or draw(st.integers(1, 3))
    kinds = [st.sampled_from(draw(st.sampled_from(COLUMNS))) for _ in range(width)]
    rows = draw(st.lists(st.tuples(*kinds), min_size=min_rows, max_size=4))
    return ResultTable(tuple("abc"[:width]), tuple(rows))


def distinct(held):
    """Return a table with each row once."""
    return ResultTable(held.columns, tuple(dict.fromkeys(held.rows)))


every_metric = pytest.mark.parametrize("name", sorted(METRICS))
law = settings(max_examples=25, deadline=None)


@every_metric
@law
@given(held=result_tables())
def test_a_table_equals_itself(name, held):
    """Identity is the best score, except where emptiness is no match."""
    assume(held.rows or name not in NEEDS_ROWS)
    assert METRICS[name](held, held) == pytest.approx(1)


@every_metric
@law
@given(one=result_tables(), other=result_tables())
def test_scores_stay_in_their_range(name, one, other):
    """Every score is between 0 and 1."""
    assert 0 <= METRICS[name](one, other) <= 1 + 1e-12


@pytest.mark.parametrize("name", sorted(METRICS.keys() - ASYMMETRIC.keys()))
@law
@given(one=result_tables(), other=result_tables())
def test_symmetric_metrics_do_not_tell_which_table_is_the_reference(name, one, other):
    """Swapping the tables changes nothing."""
    assert METRICS[name](one, other) == pytest.approx(METRICS[name](other, one))


@pytest.mark.parametrize("name", sorted(ASYMMETRIC))
def test_asymmetric_metrics_tell_which_table_is_the_reference(name):
    """For each there are tables whose swapping changes the score."""
    pair = ASYMMETRIC[name]
    assert METRICS[name](pair.one, pair.other) != METRICS[name](pair.other, pair.one)


@pytest.mark.parametrize("name", sorted(METRICS.keys() - ROW_ORDER_BOUND.keys() - MIXED))
@law
@given(data=st.data())
def test_row_order_is_free_where_no_order_was_asked_for(name, data):
    """Shuffling the predicted rows changes nothing."""
    one, other = data.draw(result_tables()), data.draw(result_tables())
    rows = tuple(data.draw(st.permutations(other.rows)))
    shuffled = ResultTable(other.columns, rows)
    assert METRICS[name](one, other) == pytest.approx(METRICS[name](one, shuffled))


@pytest.mark.parametrize("name", sorted(ROW_ORDER_BOUND))
def test_metrics_bound_to_positions_see_swapped_rows(name):
    """The same rows in another order are no full match."""
    pair = ROW_ORDER_BOUND[name]
    assert METRICS[name](pair.one, pair.other) < 1


@pytest.mark.parametrize("name", sorted(METRICS.keys() - NAMED.keys()))
@law
@given(one=result_tables(), other=result_tables())
def test_names_of_columns_do_not_count(name, one, other):
    """Renaming the predicted columns changes nothing."""
    renamed = ResultTable(tuple("xyz"[: len(other.columns)]), other.rows)
    assert METRICS[name](one, other) == pytest.approx(METRICS[name](one, renamed))


@pytest.mark.parametrize("name", sorted(NAMED))
def test_metrics_that_align_by_name_see_a_renaming(name):
    """For each there are tables for which a renaming changes the score."""
    pair = NAMED[name]
    names = "xyz"[: len(pair.other.columns)]
    renamed = ResultTable(tuple(names), pair.other.rows)
    assert METRICS[name](pair.one, pair.other) != METRICS[name](pair.one, renamed)


@pytest.mark.parametrize("name", sorted(DUPLICATE_FREE))
@law
@given(one=result_tables(), other=result_tables())
def test_a_row_counts_once(name, one, other):
    """Dropping duplicates on either side changes nothing."""
    score = METRICS[name](one, other)
    assert METRICS[name](distinct(one), distinct(other)) == pytest.approx(score)


@pytest.mark.parametrize("name", sorted(METRICS.keys() - DUPLICATE_FREE - NEEDS_ROWS))
def test_other_metrics_count_every_row(name):
    """A duplicate in the prediction costs something, or is at least not needed."""
    one, other = table((1,), (2,)), table((1,), (2,), (2,))
    credits_ex = name.startswith("f1")  # EX is a comparison of sets, and decides first
    assert (METRICS[name](one, other) == 1) is (credits_ex or name in SURPLUS_FREE)


@every_metric
def test_empty_tables_match_each_other_and_nothing_else(name):
    """Both empty is the best score, one empty the worst; some metrics refuse empties."""
    empty, filled = ResultTable(("a",), ()), table((1,))
    assert METRICS[name](empty, empty) == (0 if name in NEEDS_ROWS else 1)
    assert METRICS[name](filled, empty) == 0
    assert METRICS[name](empty, filled) == 0


@law
@given(one=result_tables(min_rows=1), other=result_tables(min_rows=1))
@pytest.mark.parametrize("technique", sorted(F1_NAMES))
def test_precision_is_the_recall_of_the_swapped_tables(technique, one, other):
    """With extra columns penalized both figures are one, looked at from two sides."""
    settings_ = CreditSettings(embedder=DigestEmbedder(), matching=SETTINGS.matching)
    if technique is Technique.UNIFIED_COLUMN_AND_SEMANTIC_ROW:
        assume(set(one.columns) == set(other.columns))  # coverage is about the reference's columns
    here = partial_credit(one, other, technique=technique, settings=settings_)
    there = partial_credit(other, one, technique=technique, settings=settings_)
    assert (here.exp, here.exr) == pytest.approx((there.exr, there.exp))
