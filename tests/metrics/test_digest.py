"""Digests of results that nobody holds: they say what comparing the rows would."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.digest import Digester, match_of_digests, set_match_of_digests
from sqlobs.metrics.execution_accuracy import ex, ex_set
from sqlobs.metrics.match import CUT, DIFFERENT, EQUAL
from sqlobs.metrics.ordering import Ordering
from sqlobs.types import ResultTable

if TYPE_CHECKING:
    import random

CELLS = st.sampled_from([None, 0, 1, True, 1.0, Decimal("1.00"), "1", "a", b"a", float("nan")])
ROWS = st.lists(st.tuples(CELLS, CELLS), max_size=5)
BY_FIRST = Ordering(is_ordered=True, keys=("a",))


def digest_of(rows, *, keys=None, chunk=2):
    digester = Digester(keys)
    for start in range(0, len(rows), chunk):
        digester.add(rows[start : start + chunk])
    return digester.finish()


def matched(rows, others, *, is_ordered=False, keys=None):
    digests = (digest_of(each, keys=keys) for each in (rows, others))
    return match_of_digests(*digests, is_ordered=is_ordered)


@given(ROWS, ROWS | st.none(), st.randoms(use_true_random=False))
def test_digests_of_exact_cells_say_what_ex_says(rows, others, randomness: random.Random):
    """As bags, in order, and in order with ties; `others` is often a permutation of the rows."""
    if others is None:
        others = randomness.sample(rows, len(rows))
    tables = [ResultTable(("a", "b"), tuple(each)) for each in (rows, others)]
    assert matched(rows, others) == ex(*tables)
    strict = Ordering(is_ordered=True)
    assert matched(rows, others, is_ordered=True) == ex(*tables, ordering=strict)
    tied = matched(rows, others, is_ordered=True, keys=(0,))
    assert tied == ex(*tables, ordering=BY_FIRST)


@given(ROWS, ROWS | st.none(), st.randoms(use_true_random=False))
def test_equal_raw_digests_are_equal_sets_of_raw_rows(rows, others, randomness: random.Random):
    """As BIRD compares: never equal where Python's sets differ; always where the bags are equal."""
    if others is None:
        others = randomness.sample(rows, len(rows))
    tables = [ResultTable(("a", "b"), tuple(each)) for each in (rows, others)]
    match = set_match_of_digests(digest_of(rows), digest_of(others))
    assert match in {ex_set(*tables), CUT}
    if Counter(rows) == Counter(others) and not any(cell != cell for row in rows for cell in row):  # noqa: PLR0124 - NaN
        assert match == EQUAL


@pytest.mark.parametrize(
    ("cell", "other", "match"),
    [
        (0.5, Decimal("0.50"), EQUAL),
        (0.1, Decimal("0.1"), CUT),
        (dt.date(2026, 1, 2), "2026-01-02", CUT),
        (dt.date(2026, 1, 2), dt.datetime(2026, 1, 2), CUT),  # noqa: DTZ001 - as drivers give it
        (dt.datetime(2026, 1, 2), dt.datetime(2026, 1, 2), EQUAL),  # noqa: DTZ001 - as above
        (
            dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
            dt.datetime(2026, 1, 2, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
            EQUAL,
        ),
        (dt.timedelta(days=1), dt.timedelta(hours=24), EQUAL),
        (UUID(int=1), str(UUID(int=1)), CUT),
        ([1, {"a": 2}], [1, {"a": 2}], EQUAL),
        (float("nan"), float("nan"), CUT),
        (float("inf"), Decimal("Infinity"), EQUAL),
        (Decimal("1E+999999"), Decimal("1E+999999"), CUT),
        (memoryview(b"a"), b"a", CUT),
    ],
)
def test_raw_digests_tell_cells_apart_as_python_does(cell, other, match):
    """No tolerance, and no date that equals its text; what cannot be told stays open."""
    assert set_match_of_digests(digest_of([(cell,)]), digest_of([(other,)])) == match


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=4))
def test_rounding_makes_no_wrong_zero_and_no_wrong_one(numbers):
    """What agrees within the tolerance may stay open; what does not is never called equal."""
    rows = [(number,) for number in numbers]
    close = [(number + 1e-13 * (not number.is_integer()),) for number in numbers]
    assert matched(rows, close) in {EQUAL, CUT}
    far = [(number * 1.00001 + 0.25,) for number in numbers]
    assert matched(rows, far) in {DIFFERENT, CUT}


def test_numbers_that_round_to_an_integer_are_that_integer():
    """As in the canonical rule: a sum of floats equals a count."""
    assert matched([(3,)], [(2.9999999999,)]) == EQUAL
    assert matched([(0.1 + 0.2,)], [(Decimal("0.3"),)]) == EQUAL
    assert matched([(1.5,)], [(1.6,)]) == CUT
    assert matched([(1.5,)], [(1.5,), (1.5,)]) == DIFFERENT


def test_dates_equal_their_text_and_what_has_no_text_of_its_own_stays_open():
    """A driver's own type may print its address: it decides nothing."""

    class Own:
        pass

    assert matched([(dt.datetime(2026, 1, 2),)], [("2026-01-02",)]) == EQUAL  # noqa: DTZ001 - as drivers give it
    assert matched([(Own(),)], [(Own(),)]) == CUT
