from __future__ import annotations

from decimal import Decimal

import pytest

from sqlobs.metrics.cells import CANONICAL
from sqlobs.metrics.denodo import denodo_scores
from sqlobs.metrics.execution_accuracy import (
    ex,
    ex_subset,
    ex_testsuite,
)
from sqlobs.metrics.match import Match
from sqlobs.metrics.order_by import ordering_of
from sqlobs.metrics.ordering import Ordering
from sqlobs.types import ResultTable

YES, NO = Match(equal=True), Match(equal=False)
CUT = Match(equal=None, reason="truncated")


def table(*rows, truncated=False):
    """Return a table with single letters as names."""
    return ResultTable(tuple("abcd"[: len(rows[0])]), rows, truncated)


@pytest.mark.parametrize(
    ("keys", "expected"), [((0,), YES), (("a",), YES), (None, NO), ((7,), NO), ((0, 1), NO)]
)
def test_ties_are_free_where_the_sort_keys_are_in_the_output(keys, expected):
    """Without all sort keys, the order must be exact."""
    reference, predicted = table((1, "x"), (1, "y"), (2, "z")), table((1, "y"), (1, "x"), (2, "z"))
    ordering = Ordering(is_ordered=True, keys=keys)
    assert ex(reference, predicted, ordering=ordering) == expected


def test_columns_may_be_permuted_in_ordered_results_too():
    """Each row by itself may be read in another order of columns."""
    assert ex_testsuite(table((1, "x")), table(("x", 1)), is_ordered=True) == YES


def test_raw_rows_must_sort_alike_by_the_texts_of_their_cells():
    """The original looks at that first, and so tells 1 from 1.0 beside other numbers."""
    one, other = table((1, 1.5)), table((1.0, 1.5))
    for is_ordered in (False, True):
        assert ex_testsuite(one, other, is_ordered=is_ordered) == NO
        assert ex_testsuite(one, other, is_ordered=is_ordered, cells=CANONICAL) == YES
    assert ex_testsuite(table((1, "x")), table((1.0, "x")), is_ordered=False) == YES


def test_a_column_may_be_missing_on_either_side():
    """With an order asked for, rows must correspond by position."""
    wide, narrow = table((1, "x"), (2, "y")), table(("x",), ("y",))
    assert ex_subset(wide, narrow) == ex_subset(narrow, wide) == YES
    assert ex_subset(wide, table(("y",), ("x",)), is_ordered=True) == NO
    assert ex_subset(table((1, 1)), table((1, 2))) == NO


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT total, id FROM orders ORDER BY Total",
        "SELECT total, id FROM orders ORDER BY orders.total",
        "SELECT o.total, o.id FROM orders AS o ORDER BY O.total",
        "SELECT total AS sum, id FROM orders ORDER BY SUM",
        "SELECT * FROM orders ORDER BY TOTAL",
        "SELECT * FROM orders ORDER BY orders.total",
        "SELECT total, id FROM orders ORDER BY total CONTEXT('i18n' = 'us')",
    ],
)
def test_ties_are_found_however_the_sort_key_is_spelled(sql):
    """Rows that tie may swap; others may not."""
    names = ("sum" if " AS sum" in sql else "total", "id")
    reference = ResultTable(names, ((5, 3), (5, 4), (10, 1)))
    swapped = ResultTable(names, ((5, 4), (5, 3), (10, 1)))
    turned = ResultTable(names, ((10, 1), (5, 3), (5, 4)))
    ordering = ordering_of(sql)
    assert ex(reference, swapped, ordering=ordering).equal is True
    assert ex(reference, turned, ordering=ordering).equal is False


@pytest.mark.parametrize("beside", [(0.3, 0.3), (0.3, 0.1 + 0.2)])
@pytest.mark.parametrize(
    ("one", "other"),
    [([Decimal("1.5")], [1.5]), ([1.0], [1]), ([True], [1]), ({"a": Decimal(2)}, {"a": 2.0})],
)
def test_numbers_in_nested_values_are_compared_by_worth(one, other, beside):
    """Whatever stands in the column beside them."""
    first = ResultTable(("a", "b"), ((one, beside[0]),))
    second = ResultTable(("a", "b"), ((other, beside[1]),))
    assert ex(first, second).equal is True


def test_two_cut_results_have_no_row_count_to_compare():
    """One cut result beside a whole one has more rows for certain."""
    whole = ResultTable(("a",), ((1,),))
    cut = ResultTable(("a",), ((1,),), truncated=True)
    counts = [denodo_scores(*pair).same_row_count for pair in [(whole, whole), (cut, whole)]]
    assert [*counts, denodo_scores(cut, cut).same_row_count] == [1.0, 0.0, None]
