"""Small tables are compared as they are exactly where canonical cells say the same."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.cells import CANONICAL
from sqlobs.metrics.plain_comparison import same_bags, same_sequences
from sqlobs.types import ResultTable

CELLS = st.sampled_from(
    [
        *(None, True, False, 0, 1, 2**53, 2**53 + 1, 10**401),
        *(0.0, -0.0, 1.0, 0.1, 0.1 + 1e-12, float(2**53), float("nan"), float("inf")),
        *(Decimal(1), Decimal("0.1"), Decimal("1E401")),
        *("", "1", "2024-01-31", b"1", dt.date(2024, 1, 31)),
        *(dt.datetime(2024, 1, 31), dt.datetime(2024, 1, 31, 1)),  # noqa: DTZ001 - as drivers give them
        *(dt.datetime(2024, 1, 31, 1, tzinfo=dt.UTC), dt.timedelta(1), [1], {"a": 1}),
    ]
)


@st.composite
def tables(draw):
    """Two tables of the same shape, often with the same rows."""
    width, height = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rows = st.lists(st.tuples(*[CELLS] * width), min_size=height, max_size=height)
    left = draw(rows)
    right = draw(st.one_of(st.permutations(left), rows))
    names = tuple("abc"[:width])
    return ResultTable(names, tuple(left)), ResultTable(names, tuple(right))


@given(tables())
def test_what_is_decided_is_what_canonical_cells_decide(pair):
    """Bags and sequences: the quick answer is the slow one, or none."""
    left, right = (list(zip(*keys, strict=True)) for keys in CANONICAL.keys(*pair))
    assert same_bags(*pair) in {None, Counter(left) == Counter(right)}
    assert same_sequences(*pair) in {None, left == right}


def test_the_common_cases_are_decided_quickly():
    """Plain numbers and text need no canonical form, in any order; tolerance does."""
    table = ResultTable(("a", "b", "c"), ((1, "x", 1.5), (None, "y", 2.5)))
    turned = ResultTable(("a", "b", "c"), (table.rows[1], table.rows[0]))
    other = ResultTable(("a", "b", "c"), ((1, "x", 1.5), (2, "y", 2.5)))
    close = ResultTable(("a", "b", "c"), ((1, "x", 1.5), (None, "y", 2.5 + 1e-12)))
    assert (same_bags(table, turned), same_sequences(table, turned)) == (True, False)
    assert (same_bags(table, other), same_sequences(table, other)) == (False, False)
    assert (same_bags(table, close), same_sequences(table, close)) == (None, None)
