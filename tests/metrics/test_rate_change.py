"""The decomposition of a changed rate: it adds up, and names the narrowest group that changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.rate_change import (
    Cell,
    Counts,
    Group,
    explain_change,
    shifts_by_dimension,
)

DIMENSIONS = ("model", "tenant")


@st.composite
def counts(draw):
    requests = draw(st.integers(0, 1000))
    return Counts(requests, draw(st.integers(0, requests)))


CELLS = st.lists(
    st.builds(
        Cell,
        st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y", "z"])),
        counts(),
        counts(),
    ),
    min_size=1,
    max_size=9,
    unique_by=lambda cell: cell.values,
)


def total(cells):
    return (
        sum((cell.before for cell in cells), Counts()),
        sum((cell.now for cell in cells), Counts()),
    )


@given(CELLS)
def test_mix_and_within_add_up_to_the_change_by_every_dimension(cells):
    """Kitagawa's identity, whatever groups appear or vanish."""
    before, now = total(cells)
    if before.rate is None or now.rate is None:
        return
    for mix, within in shifts_by_dimension(cells, DIMENSIONS).values():
        assert mix + within == pytest.approx(now.rate - before.rate, abs=1e-9)


@given(CELLS)
def test_explanations_come_best_first_and_name_each_group_once(cells):
    found = explain_change(cells, DIMENSIONS)
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    names = [name for one in found for name in (one.group, *one.same_requests)]
    assert len(names) == len(set(names))


def test_a_model_that_fails_is_within_group_shift():
    """The other model, and the tenants that use both, rank behind it."""
    cells = [
        Cell(("a", "x"), Counts(500, 2), Counts(50, 25)),
        Cell(("a", "y"), Counts(500, 3), Counts(50, 25)),
        Cell(("b", "x"), Counts(500, 2), Counts(50, 0)),
        Cell(("b", "y"), Counts(500, 3), Counts(50, 0)),
    ]
    best, *_ = explain_change(cells, DIMENSIONS)
    assert best.group == Group("model", "a")
    assert best.mix == 0
    assert best.within == pytest.approx((0.5 - 0.005) / 2)


def test_a_tenant_that_always_fails_and_asks_more_is_mix_shift():
    """No rate has changed: other requests came."""
    cells = [
        Cell(("a", "x"), Counts(9800, 0), Counts(600, 0)),
        Cell(("a", "y"), Counts(200, 60), Counts(400, 120)),
    ]
    best, *_ = explain_change(cells, DIMENSIONS)
    assert best.group == Group("tenant", "y")
    assert best.within == pytest.approx(0)
    assert best.mix == pytest.approx(0.38 * (0.3 - 0.006))


def test_names_of_the_same_requests_are_one_explanation():
    """A new model that only one new tenant uses: nothing tells which of them is the cause."""
    cells = [
        Cell(("a", "x"), Counts(1000, 2), Counts(50, 0)),
        Cell(("b", "y"), Counts(0, 0), Counts(50, 40)),
    ]
    best, *_ = explain_change(cells, DIMENSIONS)
    assert (best.group, best.same_requests) == (Group("model", "b"), (Group("tenant", "y"),))
    assert best.is_new


def test_what_rose_everywhere_is_blamed_on_no_group():
    cells = [
        Cell((model, tenant), Counts(1000, 5), Counts(100, 40))
        for model in "ab"
        for tenant in "xyz"
    ]
    assert explain_change(cells, DIMENSIONS)[0].group is None


def test_a_change_that_may_be_chance_has_no_explanation():
    cells = [Cell(("a", "x"), Counts(1000, 10), Counts(100, 2))]
    assert explain_change(cells, DIMENSIONS) == []
