"""Numbers within a tolerance of each other: no wrong 0 where one key cannot serve them all."""

from __future__ import annotations

from itertools import permutations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics import tolerant_comparison
from sqlobs.metrics.cells import CANONICAL
from sqlobs.metrics.comparison import equal_bags, equal_sequences, equal_tied_sequences
from sqlobs.metrics.execution_accuracy import ex
from sqlobs.metrics.match import DIFFERENT, EQUAL, STOPPED
from sqlobs.metrics.ordering import Ordering
from sqlobs.types import ResultTable

STEP = 5e-10
"""A third of the tolerance at 1.5: four steps are beyond it."""
NEAR = st.integers(0, 7).map(lambda steps: 1.5 + steps * STEP)
HUGE = st.integers(0, 6).map(lambda steps: 1_700_000_000 + steps / 2)
"""Seconds since 1970: the tolerance is 1.7 s, and whole ones are integers."""
CELLS = st.one_of(NEAR, HUGE, st.sampled_from([1_700_000_001, 1_700_000_002, None]))
ROWS = st.lists(st.tuples(CELLS, st.sampled_from(["x", "y"])), min_size=1, max_size=4)


def table(rows):
    return ResultTable(("number", "name"), tuple(rows))


def agree(row, other):
    return all(map(CANONICAL.equal, row, other))


@given(
    ROWS.flatmap(
        lambda rows: st.tuples(
            st.just(rows),
            st.lists(
                st.tuples(CELLS, st.sampled_from(["x", "y"])),
                min_size=len(rows),
                max_size=len(rows),
            ),
        )
    )
)
def test_rows_are_equal_where_some_matching_agrees_pair_by_pair(sides):
    """The keys' answer is as good as trying all permutations: bags, sequences, ties."""
    rows, others = sides
    by_pairs = any(all(map(agree, rows, order)) for order in permutations(others))
    one_by_one = all(map(agree, rows, others))
    found = equal_bags(table(rows), table(others), cells=CANONICAL)
    assert found == EQUAL if by_pairs else not found.equal
    assert (equal_sequences(table(rows), table(others), cells=CANONICAL) == EQUAL) >= one_by_one


def test_close_neighbors_in_a_row_are_each_equal_to_their_own():
    """Each pair is within 1e-9 of itself; one group of keys could not hold all four numbers."""
    reference = table([(1.5, "x"), (1.500000001, "y")])
    predicted = table([(1.5000000001, "x"), (1.500000002, "y")])
    assert ex(reference, predicted) == EQUAL
    assert ex(reference, predicted, ordering=Ordering(is_ordered=True)) == EQUAL
    assert equal_tied_sequences(reference, predicted, keys=(1,), cells=CANONICAL) == EQUAL
    swapped = table([(1.500000002, "x"), (1.5000000001, "y")])
    assert ex(reference, swapped) == DIFFERENT


def test_who_could_go_anywhere_leaves_a_place_to_who_cannot():
    """Taking the first partner that fits would leave the last row without one."""
    middle, low, high = 1.5 + 2 * STEP, 1.5, 1.5 + 4 * STEP
    reference = ResultTable(("a", "b"), ((middle, low), (low, low), (high, middle)))
    predicted = ResultTable(("a", "b"), ((low, middle), (middle, low), (high, low)))
    by_pairs = any(all(map(agree, reference.rows, order)) for order in permutations(predicted.rows))
    assert equal_bags(reference, predicted, cells=CANONICAL).equal is by_pairs


@pytest.mark.parametrize("most", [200_000, 10])
def test_large_tables_are_compared_within_a_limit_or_undetermined(most, monkeypatch):
    """Arrow's columns by hashes, then by numbers; too many rows are undetermined, never a wrong 0."""
    monkeypatch.setattr("sqlobs.metrics.comparison._MOST_DOUBTFUL_ROWS", most)
    seconds = [1_700_000_000.25 + place for place in range(1_000)]
    late = [moment + 1.0 for moment in seconds]
    wrong = [*late[:-1], late[-1] + 60]
    reference, shifted, other = (
        ResultTable.from_arrow(pa.table({"at": column})) for column in (seconds, late, wrong)
    )
    assert equal_sequences(reference, shifted, cells=CANONICAL) == (EQUAL if most > 10 else STOPPED)
    assert equal_bags(reference, shifted, cells=CANONICAL) == (EQUAL if most > 10 else STOPPED)
    assert equal_bags(reference, other, cells=CANONICAL) == (DIFFERENT if most > 10 else STOPPED)
    plain = ResultTable.from_arrow(pa.table({"at": [place + 0.25 for place in range(1_000)]}))
    assert (
        equal_bags(
            plain, ResultTable.from_arrow(pa.table({"at": [*range(1_000)]})), cells=CANONICAL
        )
        == DIFFERENT
    )


def test_a_search_among_too_many_pairs_is_given_up(monkeypatch):
    """Undetermined, never silently 0."""
    zero, two, four, six = (1.5 + steps * STEP for steps in (0, 2, 4, 6))
    reference = ResultTable(("a", "b"), ((two, zero), (four, six)))
    predicted = ResultTable(("a", "b"), ((two, six), (four, zero)))
    assert equal_bags(reference, predicted, cells=CANONICAL) == EQUAL
    monkeypatch.setattr(tolerant_comparison, "_MOST_PAIRS", 1)
    assert equal_bags(reference, predicted, cells=CANONICAL) == STOPPED
