from __future__ import annotations

import pytest

from sqlobs.testing.vectors import agrees
from tests.parity.runners import LEFT_OUT, RUNNERS

TOLERANCES = {"bootstrap_mean_ci": 0.02, "flex_agreement": 1e-4, "fleiss_kappa": 1e-4}
"""Random resampling, and figures published with four digits."""


def test_metrics_give_the_golden_numbers(vector):
    """Every vector is answered as the published evaluator, or the specification, answers it."""
    if vector.metric in LEFT_OUT:
        pytest.skip(LEFT_OUT[vector.metric])
    actual = RUNNERS[vector.metric](vector)
    tolerance = TOLERANCES.get(vector.metric, 1e-6)
    assert agrees(vector.expected, actual, tolerance=tolerance), (vector.expected, actual)
