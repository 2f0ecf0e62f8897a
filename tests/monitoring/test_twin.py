"""The rules detect incidents in time and page nobody for noise: a small run of the simulation."""

from __future__ import annotations

import numpy as np
import pytest

from tests.monitoring.detection import CELLS, NIGHTS, Incident, detected_after_s, pages


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_an_incident_alerts_in_time(cell: Incident):
    """In 60 incidents; the program has 1,000 and bars of 95 %."""
    after_s = detected_after_s(cell, runs=60, rng=np.random.default_rng(1))
    assert np.mean(after_s <= cell.within_s) >= 0.9


def test_noise_does_not_page():
    """Three days at 0.3 %, three alerts that page."""
    assert pages(NIGHTS[0], runs=1, rng=np.random.default_rng(1), days=3).tolist() == [0]
