from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from itertools import permutations, product
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.cells import CANONICAL, RAW, CanonicalCells
from sqlobs.metrics.column_matching import BudgetExceededError, bag_column_map, sequence_column_map
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

CUT = Match(equal=None, reason="truncated")


def table(*rows, truncated=False, width=None):
    """Return a table of the rows with made-up column names."""
    count = len(rows[0]) if rows else width or 1
    return ResultTable(tuple(f"c{place}" for place in range(count)), tuple(rows), truncated)


@pytest.mark.parametrize(
    ("cell", "other", "equal"),
    [
        (Decimal("1E+500"), Decimal("10E+499"), True),
        (Decimal("NaN"), math.nan, True),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (math.nan, None, False),
        (1, 1 + 1e-10, True),
        (1, 1 + 1e-8, False),
        (2**53, float(2**53), False),
        (1e300, 1e300 * (1 + 1e-12), True),
        (0.1 + 0.2, Decimal("0.3"), True),
        ("1.0", 1, False),
        (dt.datetime(2024, 5, 1, 10), "2024-05-01 10:00:00", True),  # noqa: DTZ001
        (
            dt.datetime(2024, 5, 1, 10, tzinfo=dt.UTC),
            dt.datetime(2024, 5, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            True,
        ),
        (dt.time(10), "10:00:00", True),
        (dt.timedelta(hours=1), dt.timedelta(minutes=60), True),
        (dt.timedelta(seconds=1), 1, False),
        (memoryview(b"a"), bytearray(b"a"), True),
        (b"a", "a", False),
        (UUID(int=10), "00000000-0000-0000-0000-00000000000a", True),
        ({"b": 1, "a": [Decimal(1)]}, {"a": [Decimal(1)], "b": 1}, True),
        ([1, 2], [2, 1], False),
    ],
)
def test_canonical_cells_are_equal_as_a_database_user_means_it(cell, other, equal):
    """The same value from another driver or another expression is the same cell."""
    assert CANONICAL.equal(cell, other) is equal
    assert equal_bags(table((cell,)), table((other,)), cells=CANONICAL) == Match(equal=equal)


def test_pandas_nulls_are_null_without_pandas():
    """Frames have their own markers for NULL, recognized by name."""
    nulls = [type(name, (), {"__hash__": None})() for name in ("NaTType", "NAType")]
    assert all(CANONICAL.equal(null, None) for null in nulls)


def test_text_options_fold_what_they_name():
    """Trimming, case, Unicode form and numbers in text are forgiven only where asked for."""
    cells = CanonicalCells(trim=True, casefold=True, nfc=True, numeric_text=True)
    assert cells.equal(" Stra\u00dfe", "STRASSE")
    assert cells.equal("e\u0301", "\u00e9")
    assert cells.equal("1.50", 1.5)
    assert not cells.equal("abc", 1)
    assert not CANONICAL.equal("a", "A")


def test_a_value_without_hash_is_compared_by_what_it_shows():
    """A driver's own type must not stop a comparison."""
    assert CANONICAL.equal({1}, {1})
    assert equal_sets(table(([1],)), table(([1],)), cells=RAW) == Match(equal=True)


def test_numbers_of_a_dense_column_do_not_run_into_one():
    """A chain of neighbors within tolerance is not one number."""
    chain = [(1e-10 * step,) for step in range(1000)]
    shifted = [(1e-10 * step + 5e-8,) for step in range(1000)]
    assert equal_bags(table(*chain), table(*chain[::-1]), cells=CANONICAL).equal
    assert not equal_bags(table(*chain), table(*shifted), cells=CANONICAL).equal


ROWS = (1, "a"), (2, "b"), (2, "b")


@pytest.mark.parametrize(
    ("compare", "reference", "predicted", "expected"),
    [
        (equal_sets, table((1,), (2,), truncated=True), table((1,), (2,), (3,)), CUT),
        (equal_sets, table((1,), (9,), truncated=True), table((1,), (2,)), Match(equal=False)),
        (equal_sets, table((1,)), table((1,), truncated=True), CUT),
        (equal_sets, table((1,), truncated=True), table((2,), truncated=True), CUT),
        (equal_bags, table((1,), (1,), truncated=True), table((1,), (2,), (1,)), CUT),
        (equal_bags, table((1,), truncated=True), table((1,)), Match(equal=False)),
        (equal_bags, table((1,), (1,)), table((2,), truncated=True), Match(equal=False)),
        (equal_bags, table((1,), truncated=True), table((2,), truncated=True), CUT),
        (equal_sequences, table((1,), truncated=True), table((1,), (2,)), CUT),
        (
            equal_sequences,
            table((1,), truncated=True),
            table((2,), truncated=True),
            Match(equal=False),
        ),
        (equal_permuted_bags, table((1,), truncated=True), table((1,), (2,)), CUT),
        (equal_permuted_sequences, table((1,), truncated=True), table((1,), (2,)), CUT),
        (contained_bags, table((1,), truncated=True), table((1,), (2,)), CUT),
        (contained_sequences, table((1,), truncated=True), table((1,), (2,)), CUT),
    ],
)
def test_a_truncated_table_is_judged_only_as_far_as_its_rows_go(
    compare, reference, predicted, expected
):
    """Fetched rows decide; if only the missing rows could decide, it is undetermined."""
    assert compare(reference, predicted) == expected


@pytest.mark.parametrize(
    ("predicted", "equal"),
    [
        (((1, "b"), (1, "a"), (2, "c")), True),
        (((1, "a"), (2, "c"), (1, "b")), False),
        (((1, "a"), (1, "a"), (2, "c")), False),
    ],
)
def test_rows_with_equal_sort_keys_may_change_places(predicted, equal):
    """ORDER BY promises nothing about ties."""
    reference = table((1, "a"), (1, "b"), (2, "c"))
    assert equal_tied_sequences(reference, table(*predicted), keys=[0]) == Match(equal=equal)


def test_the_last_tie_group_of_a_truncated_table_is_open():
    """The cut may run through a group of ties, so only the groups before it decide."""
    reference = table((1, "a"), (2, "b"), truncated=True)
    predicted = table((1, "a"), (2, "c"), (2, "b"))
    assert equal_tied_sequences(reference, predicted, keys=[0]) == CUT
    assert equal_tied_sequences(table((1, "z"), (2, "b"), truncated=True), predicted, keys=[0]) == (
        Match(equal=False)
    )


def test_a_missing_column_is_found_in_the_wider_table():
    """Containment maps each column of the narrower side to a different wider one."""
    wide, narrow = table((1, "a", 1), (2, "b", 2)), table((1, 1), (2, 2))
    assert contained_bags(wide, narrow).equal
    assert contained_sequences(narrow, wide).equal
    assert not contained_bags(table((1, 1), (2, 2)), table((1, "a"), (2, "b"))).equal


small = st.integers(0, 2)


@given(st.data())
def test_the_column_search_agrees_with_trying_every_permutation(data):
    """The pruned search finds a map exactly where the exhaustive one does."""
    columns, rows = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    row = st.tuples(*[small] * columns)
    left = data.draw(st.lists(row, min_size=rows, max_size=rows))
    other = data.draw(st.lists(row, min_size=rows, max_size=rows))
    order = data.draw(st.permutations(range(columns)))
    for right in (other, [tuple(cells[place] for place in order) for cells in left[::-1]]):
        expected = any(
            sorted(left) == sorted(tuple(cells[place] for place in way) for cells in right)
            for way in permutations(range(columns))
        )
        assert equal_permuted_bags(table(*left), table(*right)).equal is expected


@given(st.data())
def test_a_found_column_map_turns_one_table_into_the_other(data):
    """The map is a witness: projecting by it gives the same bag of rows."""
    wide = data.draw(st.lists(st.tuples(*[small] * 4), min_size=1, max_size=5))
    places = data.draw(st.permutations(range(4)))[:2]
    narrow = [tuple(row[place] for place in places) for row in wide]
    found = bag_column_map(list(zip(*narrow, strict=True)), list(zip(*wide, strict=True)))
    assert found is not None
    assert sorted(tuple(row[place] for place in found) for row in wide) == sorted(narrow)
    assert sequence_column_map(list(zip(*narrow, strict=True)), list(zip(*wide, strict=True)))


def columns_table(columns):
    """Return a table from its columns."""
    names = tuple(f"c{place}" for place in range(len(columns)))
    return ResultTable(names, tuple(zip(*columns, strict=True)))


def cycles(*lengths):
    """Return the columns of rings: each row is an edge and holds a 1 under both its ends."""
    columns = [[0] * sum(lengths) for _ in range(sum(lengths))]
    start = 0
    for length in lengths:
        for edge in range(length):
            columns[start + edge][start + edge] = 1
            columns[start + (edge + 1) % length][start + edge] = 1
        start += length
    return columns


IDENTITY = [[int(row == place) for row in range(24)] for place in range(24)]
EVERY_ROW = [list(column) for column in zip(*product((0, 1), repeat=9), strict=True)]
ONE_SWAP = [*EVERY_ROW[:3], [*EVERY_ROW[3][-1:], *EVERY_ROW[3][1:-1], 0], *EVERY_ROW[4:]]


@pytest.mark.parametrize("cells", [RAW, CANONICAL])
@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize(
    ("columns", "others", "is_equal"),
    [
        (IDENTITY, IDENTITY[::-1], True),
        (IDENTITY, [IDENTITY[1], *IDENTITY[1:]], False),
        (EVERY_ROW, EVERY_ROW[::-1], True),
        (EVERY_ROW, ONE_SWAP, False),
        (cycles(12), cycles(12)[::-1], True),
        (cycles(12), cycles(6, 6), False),
        ([[0, 1, 2, 2]] * 12, [[2, 2, 1, 0]] * 12, True),
        ([[0, 1, 2, 2]] * 12, [*[[2, 2, 1, 0]] * 11, [2, 1, 2, 0]], False),
    ],
)
def test_columns_with_similar_values_are_distinguished(columns, others, is_equal, is_large, cells):
    """Every column has the same bag of cells: rows tell what columns alone do not."""
    tables = columns_table(columns), columns_table(others)
    if is_large:
        tables = tuple(
            ResultTable.from_arrow(pa.table(dict(zip(held.columns, side, strict=True))))
            for held, side in zip(tables, (columns, others), strict=True)
        )
    assert equal_permuted_bags(*tables, cells=cells).equal is is_equal


def edges(neighbours):
    """Return a graph on a 4 x 4 torus as a table: one row an edge, one column a vertex."""
    vertices = [(a, b) for a in range(4) for b in range(4)]
    return [
        tuple(int(vertex in (one, other)) for vertex in vertices)
        for place, one in enumerate(vertices)
        for other in vertices[:place]
        if ((one[0] - other[0]) % 4, (one[1] - other[1]) % 4) in neighbours
    ]


ROOK = edges({(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)})
SHRIKHANDE = edges({(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)})


def test_a_search_without_budget_is_undetermined_never_a_wrong_no():
    """Two strongly regular graphs look alike to every local test: a search must try and err."""
    assert equal_permuted_bags(table(*ROOK), table(*SHRIKHANDE)).equal is False
    stopped = equal_permuted_bags(table(*ROOK), table(*SHRIKHANDE), budget=0)
    assert stopped == Match(equal=None, reason="budget")
    with pytest.raises(BudgetExceededError):
        bag_column_map(list(zip(*ROOK, strict=True)), list(zip(*SHRIKHANDE, strict=True)), budget=0)


def test_ten_thousand_columns_are_matched_without_recursion():
    """The depth of the search is the number of columns."""
    row = tuple(range(10_000))
    assert equal_permuted_bags(table(row), table(row[::-1])).equal


def test_tables_without_columns_are_equal_by_their_row_count():
    """PostgreSQL's `SELECT FROM t` returns rows without columns."""
    assert equal_bags(ResultTable((), ((), ())), ResultTable((), ((), ()))).equal
    assert equal_permuted_bags(ResultTable((), ((),)), ResultTable((), ((),))).equal
