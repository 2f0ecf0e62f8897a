"""Rates from samples are those over all requests of a window, with intervals that cover it.

The figures by sampled events are printed by `python -m tests.benchmarks rates`.
"""

from __future__ import annotations

import math
from math import isclose
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.sampled_share import SideSums, share, share_interval
from tests.benchmarks.rates import bias, coverage
from tests.collector.simulated import DESIGNS, simulate


def test_failures_that_are_always_kept_bias_no_rate_and_widen_no_interval(engine):
    """40 windows: not all of them are covered, as they were by Wilson's interval."""
    windows = simulate(engine, DESIGNS["failures_always"], 40)
    enough = [one for one in windows if one.expected_events >= 10]
    assert abs(bias(enough, without_chance=True).value) < 0.01
    assert 0.85 <= coverage(enough) < 1
    assert mean(one.sampled_wrong / one.sampled for one in enough) > 0.2


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_intervals_cover_the_rate_over_all_requests(engine, name):
    """2,000 windows: 93 to 97 % where 10 events are expected, 93 % and more elsewhere.

    The bounds leave room for twice the standard error of the simulation.
    """
    windows = simulate(engine, DESIGNS[name], 2_000)
    enough = [one for one in windows if one.expected_events >= 10]
    few = [one for one in windows if one.expected_events < 10]
    assert abs(bias(enough, without_chance=True).value) < 0.01
    assert abs(bias(enough).value) < 3 * bias(enough).error
    assert 0.92 <= coverage(enough) <= 0.98
    assert coverage(few) >= 0.92


WEIGHTS = st.lists(st.floats(1, 1000), max_size=20)


@given(WEIGHTS, WEIGHTS, WEIGHTS)
def test_estimated_shares_are_shares(first, second, third):
    """They lie in [0, 1] and in their interval, add up to 1, and rise with what counts."""
    sides = [SideSums.of(one) for one in (first, second, third)]
    others = [SideSums.of([*second, *third]), SideSums.of([*first, *third]),
              SideSums.of([*first, *second])]  # fmt: skip
    found = [share(one, rest) for one, rest in zip(sides, others, strict=True)]
    if not first + second + third:
        assert found == [None] * 3
        return
    assert isclose(sum(found), 1)
    assert all(0 <= one <= 1 for one in found)
    largest = max(first + second + third)
    interval = share_interval(sides[0], others[0], largest=largest)
    assert interval.low - 1e-9 <= found[0] <= interval.high + 1e-9


@given(st.integers(0, 20), st.integers(0, 20), st.floats(1, 1000))
def test_equal_weights_give_the_share_of_the_sample(counted, others, weight):
    """Which is unbiased; a census is one of them."""
    found = share(SideSums.of([weight] * counted), SideSums.of([weight] * others))
    assert found is None if not counted + others else isclose(found, counted / (counted + others))


@pytest.mark.parametrize("probability", [0.1, 0.3])
def test_the_mean_of_all_samples_is_the_share(probability):
    """All samples of 100 requests, of which the 20 that count are certain: no simulation."""
    means = {"ours": 0.0, "Hájek": 0.0}
    for others in range(81):
        chance = math.comb(80, others) * probability**others * (1 - probability) ** (80 - others)
        sides = SideSums.of([1.0] * 20), SideSums.of([1 / probability] * others)
        means["ours"] += chance * share(*sides)
        means["Hájek"] += chance * sides[0].weight / (sides[0].weight + sides[1].weight)
    assert abs(means["ours"] - 0.2) < 0.2 * abs(means["Hájek"] - 0.2)
    assert means["Hájek"] > 0.2


def test_a_census_has_no_interval_and_a_sample_has_one():
    """Where all requests are certain to be evaluated, the rate is that of the window."""
    everything = [SideSums.of([1.0] * count) for count in (3, 7)]
    interval = share_interval(*everything, largest=1)
    assert (interval.low, interval.high) == (0.3, 0.3)
    none, ten = SideSums.of([]), SideSums.of([10.0] * 10)
    nothing = share_interval(none, ten, largest=10)
    assert nothing.low == 0
    assert 0.2 < nothing.high < 0.4
    assert share_interval(none, none, largest=0) is None


def test_what_is_not_known_has_the_weight_of_requests_that_were_not_sampled():
    """A quota lowers the rate for few requests: their weight says little about all others."""
    failures = SideSums.of([2.0] * 40)
    others = [2.0] * 400
    interval = share_interval(failures, SideSums.of(others), largest=2)
    lowered = share_interval(failures, SideSums.of([*others, 60.0]), largest=60)
    assert lowered.high - lowered.low < 2 * (interval.high - interval.low)


def test_the_interval_of_the_opposite_is_the_opposite_interval():
    """Pass rates and failure rates say the same."""
    sides = [SideSums.of([1.0] * 5 + [20.0]), SideSums.of([20.0] * 30)]
    passing = share_interval(*sides, largest=20)
    failing = share_interval(*reversed(sides), largest=20)
    assert isclose(passing.low, 1 - failing.high)
    assert isclose(passing.high, 1 - failing.low)
