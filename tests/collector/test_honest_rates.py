"""Rates from samples are those over all requests of a window, with intervals that cover it.

The figures by sampled events are printed by `python -m tests.benchmarks rates`.
"""

from __future__ import annotations

from math import isclose
from statistics import mean

import pytest

from sqlobs.metrics.sampled_share import SideSums, share_interval
from sqlobs_collector.store.database import open_store
from tests.benchmarks.rates import bias, coverage
from tests.collector.simulated import DESIGNS, simulate


@pytest.fixture
def engine(tmp_path):
    engine = open_store(tmp_path)
    yield engine
    engine.dispose()


def test_failures_that_are_always_kept_bias_no_rate_and_widen_no_interval(engine):
    """40 windows: not all of them are covered, as they were by Wilson's interval."""
    windows = simulate(engine, DESIGNS["failures_always"], 40)
    enough = [one for one in windows if one.events >= 10]
    assert abs(bias(enough)) < 0.03
    assert 0.85 <= coverage(enough) < 1
    assert mean(one.sampled_wrong / one.sampled for one in enough) > 0.2


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_intervals_cover_the_rate_over_all_requests(engine, name):
    """2,000 windows: about 93 to 97 % where 10 events are sampled, 93 % and more elsewhere.

    The bounds leave room for twice the standard error of the simulation, and for quotas, which mix
    weights: 98 %. A ratio from few requests is biased by the inverse of their number.
    """
    windows = simulate(engine, DESIGNS[name], 2_000)
    enough = [one for one in windows if one.events >= 10]
    few = [one for one in windows if one.events < 10]
    assert abs(bias(enough)) < 0.03
    assert 0.92 <= coverage(enough) <= 0.99
    assert coverage(few) >= 0.92


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


def test_the_interval_of_the_opposite_is_the_opposite_interval():
    """Pass rates and failure rates say the same."""
    sides = [SideSums.of([1.0] * 5 + [20.0]), SideSums.of([20.0] * 30)]
    passing = share_interval(*sides, largest=20)
    failing = share_interval(*reversed(sides), largest=20)
    assert isclose(passing.low, 1 - failing.high)
    assert isclose(passing.high, 1 - failing.low)
