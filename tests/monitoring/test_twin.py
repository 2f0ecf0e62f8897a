"""The rules detect incidents in time and page nobody for noise: small runs of the simulations.

`python -m tests.monitoring.detection`, `.equality` and `.month` are the long ones.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.monitoring import equality, month
from tests.monitoring.detection import (
    CELLS,
    NIGHTS,
    STEADY,
    Incident,
    detected_after_s,
    pages,
    pages_of_one_incident,
)


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_an_incident_alerts_in_time(cell: Incident):
    """In 60 incidents; the program has 1,000 and bars of 95 %."""
    after_s = detected_after_s(cell, runs=60, rng=np.random.default_rng(1))
    assert np.mean(after_s <= cell.within_s) >= 0.9


@pytest.mark.parametrize("cell", STEADY, ids=str)
def test_a_long_incident_is_one_page(cell: Incident):
    """Random failures do not make it resolve and fire again."""
    found = pages_of_one_incident(cell, runs=20, rng=np.random.default_rng(1))
    assert found.tolist() == [1] * 20


def test_noise_does_not_page():
    """Three days at 0.3 %, three alerts that page."""
    assert pages(NIGHTS[0], runs=1, rng=np.random.default_rng(1), days=3).tolist() == [0]


@pytest.mark.slow
def test_the_twin_equals_promtool():
    """Three hours with incidents, a canary, a deploy, a restart and a gap."""
    compared = equality.history(seconds=3 * 3600, seed=3)
    assert all(equality.firing_by_alert(compared).values())
    assert not equality.differences(compared)


@pytest.mark.slow
def test_an_incident_in_a_history_is_one_page_that_resolves_once():
    """Two hours of noise, an hour of exceptions, and two hours after; the program has a month."""
    known = [month.Incident("raising", 7200)]
    assert not month.differences(month.history(known, seconds=5 * 3600, seed=1))
