from __future__ import annotations

import datetime as dt
import math
import random
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlobs.metrics import large_comparison
from sqlobs.metrics.cells import CANONICAL, CanonicalCells
from sqlobs.metrics.column_hashing import hashed_columns
from sqlobs.metrics.comparison import (
    equal_bags,
    equal_sequences,
    equal_sets,
    equal_tied_sequences,
)
from sqlobs.metrics.match import Match
from sqlobs.metrics.permuted_comparison import (
    contained_bags,
    contained_sequences,
    equal_permuted_bags,
    equal_permuted_sequences,
)
from sqlobs.types import ResultTable

CELLS = {
    "int64": st.sampled_from([None, 0, 1, -1, 2**53, -(2**63), 2**63 - 1]),
    "int8": st.sampled_from([None, 0, 1, -1]),
    "uint64": st.sampled_from([None, 0, 1, 2**64 - 1]),
    "bool": st.sampled_from([None, True, False]),
    "float64": st.sampled_from(
        [
            None,
            0.0,
            -0.0,
            1.0,
            1 + 1e-10,
            0.1 + 0.2,
            0.3,
            math.nan,
            math.inf,
            -math.inf,
            2.0**53,
            1e300,
        ]
    ),
    "string": st.sampled_from(
        [None, "", "a", "abcdefg", "abcdefgh", "abcdefghi", "2024-05-01", "1", "\x00", "a" * 40]
    ),
    "date32": st.sampled_from([None, dt.date(2024, 5, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    "timestamp[us]": st.sampled_from([None, dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 1, 10)]),  # noqa: DTZ001
}
DECIMALS = st.sampled_from([None, Decimal("0.30"), Decimal("1.00"), Decimal("7.25")])


@st.composite
def tables(draw, rows, columns):
    """Draw an Arrow table of some kinds of columns, and the same table as tuples."""
    arrays = []
    for _ in range(columns):
        kind = draw(st.sampled_from([*CELLS, "decimal"]))
        cells = DECIMALS if kind == "decimal" else CELLS[kind]
        arrow = pa.decimal128(10, 2) if kind == "decimal" else pa.type_for_alias(kind)
        drawn = draw(st.lists(cells, min_size=rows, max_size=rows))
        array = pa.array(drawn, type=arrow)
        if draw(st.booleans()) and kind == "string":
            array = array.dictionary_encode()
        arrays.append(array)
    return pa.Table.from_arrays(arrays, names=[f"c{place}" for place in range(columns)])


def as_rows(table):
    """Return the table held as tuples."""
    held = ResultTable.from_arrow(table)
    return ResultTable(held.columns, tuple(held.rows))


def in_pieces(table):
    """Return the table with its rows in two chunks, the second cut out of a larger buffer."""
    return pa.concat_tables([table.slice(0, 1), table.slice(1)])


COMPARISONS = [
    equal_sets,
    equal_bags,
    equal_sequences,
    equal_permuted_bags,
    equal_permuted_sequences,
    contained_bags,
    contained_sequences,
]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_hashes_and_python_values_give_the_same_answer(data):
    """Large and small tables are compared by one rule, whatever types hold the cells."""
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    one = data.draw(tables(rows, columns))
    order = data.draw(st.permutations(range(columns)))
    same = one.select(order).take(data.draw(st.permutations(range(rows))))
    other = data.draw(st.one_of(tables(rows, columns), st.just(same), st.just(one)))
    cuts = data.draw(st.tuples(st.booleans(), st.booleans()))
    arrow = [
        ResultTable.from_arrow(in_pieces(held), truncated=cut)
        for held, cut in zip((one, other), cuts, strict=True)
    ]
    plain = [
        ResultTable(held.columns, held.rows, cut)
        for held, cut in zip(map(as_rows, (one, other)), cuts, strict=True)
    ]
    for compare in COMPARISONS:
        assert compare(*arrow, cells=CANONICAL) == compare(*plain, cells=CANONICAL), compare
    by_first = [equal_tied_sequences(*pair, keys=[0], cells=CANONICAL) for pair in (arrow, plain)]
    assert by_first[0] == by_first[1]


def big(rows, seed=0):
    """Return a table of the kinds of columns that queries return, beyond the limit for tuples."""
    source = random.Random(seed)
    days = [dt.date(2020, 1, 1) + dt.timedelta(day) for day in range(400)]
    return [
        (
            number,
            source.randrange(10**12),
            f"customer {number}",
            source.choice(days),
            number % 7 * 0.1,
        )
        for number in range(rows)
    ]


NAMES = ["a", "b", "c", "d", "e"]


def test_a_large_permuted_table_is_equal_and_one_changed_cell_is_not():
    """Rows and columns may stand in any order; each cell counts."""
    rows = big(3_000)
    order = [3, 0, 4, 2, 1]
    shuffled = [tuple(row[place] for place in order) for row in rows[::-1]]
    reference, predicted = ResultTable.of(NAMES, rows), ResultTable.of(NAMES, shuffled)
    assert reference.arrow is not None
    assert equal_permuted_bags(reference, predicted, cells=CANONICAL) == Match(equal=True)
    changed = [*shuffled[:-1], (*shuffled[-1][:-1], -1)]
    wrong = ResultTable.of(NAMES, changed)
    assert equal_permuted_bags(reference, wrong, cells=CANONICAL) == Match(equal=False)


def test_a_large_table_and_a_mixed_one_are_compared():
    """One side held as tuples, because a column mixes types, is no obstacle."""
    rows = big(3_000)
    mixed = [(*row[:4], row[4] or None) for row in rows]
    reference = ResultTable.of(NAMES, rows)
    predicted = ResultTable(tuple(NAMES), tuple(mixed))
    assert equal_bags(reference, reference, cells=CANONICAL).equal
    assert equal_bags(reference, predicted, cells=CANONICAL).equal is False


def test_numbers_within_tolerance_are_one_in_large_tables_too():
    """Sums in another order differ in the last bits."""
    rows = [(number / 7 + 1e-3,) for number in range(6_000)]
    nearly = [(value * (1 + 1e-13),) for (value,) in rows]
    tables_ = ResultTable.of(["a"], rows), ResultTable.of(["a"], nearly)
    assert equal_bags(*tables_, cells=CANONICAL).equal
    assert not equal_bags(*tables_, cells=CanonicalCells(0.0, 0.0)).equal


def test_dense_numbers_are_cut_into_groups():
    """A long chain of neighbors within tolerance is not one number."""
    rows = [(step * 1e-10,) for step in range(1, 6_001)]
    shifted = [(step * 1e-10 + 1e-6,) for step in range(1, 6_001)]
    reference = ResultTable.of(["a"], rows)
    assert equal_bags(reference, ResultTable.of(["a"], rows[::-1]), cells=CANONICAL).equal
    assert not equal_bags(reference, ResultTable.of(["a"], shifted), cells=CANONICAL).equal


def test_rules_that_change_text_are_followed_on_large_tables():
    """Folding case needs the texts themselves."""
    rows = [(f"Name {number}",) for number in range(6_000)]
    folded = [(text.upper(),) for (text,) in rows]
    tables_ = ResultTable.of(["a"], rows), ResultTable.of(["a"], folded)
    assert equal_bags(*tables_, cells=CanonicalCells(casefold=True)).equal


def test_tied_columns_are_tried_and_a_spent_budget_says_so():
    """Columns with the same bag of cells are distinguished by their rows."""
    source = random.Random(3)
    columns = [source.sample(range(1_000), 1_000) for _ in range(6)]
    rows = list(zip(*columns, strict=True))
    order = [5, 3, 1, 0, 2, 4]
    shuffled = [tuple(row[place] for place in order) for row in rows[::-1]]
    names = [f"c{place}" for place in range(6)]
    reference, predicted = ResultTable.of(names, rows), ResultTable.of(names, shuffled)
    assert equal_permuted_bags(reference, predicted, cells=CANONICAL) == Match(equal=True)
    independent = [source.sample(range(1_000), 1_000) for _ in range(6)]
    other = ResultTable.of(names, list(zip(*independent, strict=True)))
    assert equal_permuted_bags(reference, other, cells=CANONICAL) == Match(equal=False)


def test_hashes_spread_and_do_not_depend_on_the_process():
    """A fixed value pins the scheme: stored digests stay comparable."""
    texts = [f"{number:x}" for number in range(50_000)]
    table = ResultTable.from_arrow(pa.table({"a": texts}))
    (hashes,), (again,) = hashed_columns(table, table, cells=CANONICAL)
    assert len(set(hashes.tolist())) == len(texts)
    assert (hashes == again).all()
    assert large_comparison.bag_digest(hashes) == large_comparison.bag_digest(hashes[::-1])


@pytest.mark.parametrize("rows", [0, 1])
def test_tiny_arrow_tables_are_no_special_case(rows):
    """Empty chunks, empty texts and no chunk at all."""
    table = pa.table({"a": pa.array(["x"] * rows, type=pa.string()), "b": pa.array([1] * rows)})
    held = ResultTable.from_arrow(table)
    empty = ResultTable.from_arrow(table.slice(0, 0))
    assert equal_permuted_bags(held, held, cells=CANONICAL).equal
    assert equal_sets(held, empty, cells=CANONICAL).equal is (rows == 0)
