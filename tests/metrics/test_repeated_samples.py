"""pass@k is the estimator of the Codex paper, and the majority is the most frequent result."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from sqlobs.metrics import majority_result, pass_at_k

MOST = 9


def enumerated(samples: int, correct: int, k: int) -> Fraction:
    """Return the share of all draws of k samples in which one is correct, by trying them all."""
    draws = [*combinations(range(samples), k)]
    return Fraction(sum(min(draw) < correct for draw in draws), len(draws))


@pytest.mark.parametrize("samples", range(1, MOST + 1))
def test_pass_at_k_equals_the_formula_and_the_enumeration_of_all_draws(samples):
    """For each n, c and k: the enumeration is exactly 1 - C(n-c, k) / C(n, k), and so is ours."""
    for correct in range(samples + 1):
        for k in range(1, samples + 1):
            exact = enumerated(samples, correct, k)
            assert exact == 1 - Fraction(comb(samples - correct, k), comb(samples, k))
            assert pass_at_k(samples, correct, k) == pytest.approx(float(exact), abs=1e-12)


def test_pass_at_k_of_many_samples_does_not_overflow():
    """The paper's case: 200 samples, where the binomials have 58 digits."""
    exact = 1 - Fraction(comb(187, 100), comb(200, 100))
    assert pass_at_k(200, 13, 100) == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(("samples", "correct", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_impossible_counts_are_rejected(samples, correct, k):
    """There is no such draw."""
    with pytest.raises(ValueError, match="pass@k needs"):
        pass_at_k(samples, correct, k)


def test_the_majority_is_the_first_of_the_most_frequent_results():
    """Samples without a result do not vote; ties are decided by order."""
    found = majority_result([None, "b", "a", "b", "a"])
    assert (found.place, found.votes) == (1, 2)
    assert majority_result([None, None]) is None
