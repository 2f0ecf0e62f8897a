"""Is one system better than another on the same cases, or is it chance?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.intervals import Interval, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHI_SQUARE_FROM = 25
"""Discordant pairs from which McNemar's chi-square approximates the exact test."""

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test on discordant pairs."""

    discordant: int
    p_exact: float
    """Two-sided, exact."""
    chi_square: float | None
    """With continuity correction; None without discordant pairs."""
    p_chi_square: float | None

    @property
    def is_chi_square_fair(self) -> bool:
        """There are enough discordant pairs for the approximation."""
        return self.discordant >= _CHI_SQUARE_FROM


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Test whether two systems are right equally often on the same cases.

    Args:
        only_first: Cases that only the first system has right.
        only_second: Cases that only the second system has right.
    """
    discordant = only_first + only_second
    fewer = min(only_first, only_second)
    tail = sum(math.comb(discordant, k) for k in range(fewer + 1))
    p_exact = min(1.0, 2 * tail / 2**discordant)
    if not discordant:
        return McNemar(0, 1.0, None, None)
    chi_square = (abs(only_first - only_second) - 1) ** 2 / discordant
    return McNemar(discordant, p_exact, chi_square, math.erfc(math.sqrt(chi_square / 2)))


def paired_difference_interval(
    both: int, only_first: int, only_second: int, neither: int, *, confidence: float = 0.95
) -> Interval | None:
    """Return Newcombe's interval for the difference of two rates over the same cases.

    Positive where the first system is better; None without any case. Source: Newcombe 1998,
    method 10 for paired proportions.
    """
    total = both + only_first + only_second + neither
    first = wilson_interval(both + only_first, total, confidence=confidence)
    second = wilson_interval(both + only_second, total, confidence=confidence)
    if first is None or second is None:
        return None
    rate, other_rate = (both + only_first) / total, (both + only_second) / total
    phi = _correlation(both, only_first, only_second, neither)

    def distance(near: float, far: float) -> float:
        return math.sqrt(max(0.0, near * near - 2 * phi * near * far + far * far))

    difference = rate - other_rate
    return Interval(
        difference - distance(rate - first.low, second.high - other_rate),
        difference + distance(first.high - rate, other_rate - second.low),
    )


def wilcoxon(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test on paired differences.

    Pairs without a difference are dropped, as Wilcoxon did (1945); 1 if nothing is left, None
    without any pair. Exact for up to 50 differences without ties, else a normal approximation.
    """
    if not differences:
        return None
    left = [difference for difference in differences if difference]
    if not left:
        return 1.0
    try:
        from scipy.stats import wilcoxon as signed_rank
    except ImportError as error:
        raise MissingExtraError("Wilcoxon's test", extra="metrics") from error

    return float(signed_rank(left).pvalue)


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A paired permutation test on a mean difference."""

    difference: float
    p: float
    resamples: int
    seed: int


def paired_permutation(
    first: Sequence[float], second: Sequence[float], *, resamples: int = 10_000, seed: int = 0
) -> PermutationTest | None:
    """Test whether the mean difference of paired values is zero, by flipping signs at random.

    Two-sided: p = (1 + number of resamples at least as far from 0) / (resamples + 1). None without
    any pair.
    """
    if not first:
        return None
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("The permutation test", extra="metrics") from error

    differences = np.subtract(first, second)
    observed = float(differences.mean())
    random = np.random.default_rng(seed)
    reached = 0
    for start in range(0, resamples, _BATCH):
        count = min(_BATCH, resamples - start)
        signs = random.choice((-1.0, 1.0), size=(count, len(differences)))
        means = signs @ differences / len(differences)
        reached += int((np.abs(means) >= abs(observed) - 1e-12).sum())
    return PermutationTest(observed, (1 + reached) / (resamples + 1), resamples, seed)


@dataclass(frozen=True, slots=True)
class CochranQ:
    """Cochran's test that several systems are right equally often on the same cases."""

    statistic: float
    degrees_of_freedom: int
    p: float


def cochran_q(correct: Sequence[Sequence[bool]]) -> CochranQ | None:
    """Test several systems together; None if all systems agree on every case.

    Args:
        correct: One row a case, one column a system.
    """
    systems = len(correct[0]) if correct else 0
    by_case = [sum(row) for row in correct]
    by_system = [sum(column) for column in zip(*correct, strict=True)]
    total = sum(by_case)
    spread = systems * total - sum(count * count for count in by_case)
    if spread == 0:
        return None
    try:
        from scipy.special import chdtrc
    except ImportError as error:
        raise MissingExtraError("Cochran's test", extra="metrics") from error

    squares = sum(count * count for count in by_system)
    statistic = (systems - 1) * (systems * squares - total * total) / spread
    return CochranQ(statistic, systems - 1, float(chdtrc(systems - 1, statistic)))


def friedman(values: Sequence[Sequence[float]]) -> float | None:
    """Return the p-value of Friedman's test that several systems do equally well on each case.

    By the chi-square distribution, corrected for ties (Friedman 1937, Conover 1999); 1 if all
    systems are equal on every case, None without any case.

    Args:
        values: One row a case, one column a system; at least three systems.
    """
    if not values:
        return None
    if all(len(set(row)) == 1 for row in values):
        return 1.0
    try:
        from scipy.stats import friedmanchisquare
    except ImportError as error:
        raise MissingExtraError("Friedman's test", extra="metrics") from error

    return float(friedmanchisquare(*zip(*values, strict=True)).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for confirmatory tests of many slices (Holm's step-down)."""
    adjusted = [0.0] * len(p_values)
    floor = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, place in enumerate(order):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = floor
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for dashboards of many slices (false discovery rate)."""
    adjusted = [0.0] * len(p_values)
    ceiling = 1.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, place in reversed(list(enumerate(order, start=1))):
        ceiling = min(ceiling, p_values[place] * len(p_values) / rank)
        adjusted[place] = ceiling
    return adjusted


def cases_needed(
    *, discordant_share: float, difference: float, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Return the paired cases needed for a difference: (z_alpha + z_beta)^2 * share / difference^2.

    Args:
        discordant_share: Share of cases on which the systems differ.
        difference: The smallest difference of rates worth an alarm, not 0.
        alpha: One-sided error of a false alarm.
        power: Probability of seeing a difference of that size.
    """
    return math.ceil(_z_sum(alpha, power) ** 2 * discordant_share / difference**2)


def difference_seen(
    *, discordant_share: float, cases: int, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the smallest difference of rates that this number of paired cases can detect.

    Args:
        discordant_share: Share of cases on which the systems differ.
        cases: How many there are, at least 1.
        alpha: One-sided error of a false alarm.
        power: Probability of seeing a difference of that size.
    """
    return _z_sum(alpha, power) * math.sqrt(discordant_share / cases)


def _z_sum(alpha: float, power: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - alpha) + NormalDist().inv_cdf(power)


def _correlation(both: int, only_first: int, only_second: int, neither: int) -> float:
    """Return phi, corrected for continuity as Newcombe's method 10 does."""
    margins = (
        (both + only_first)
        * (only_second + neither)
        * (both + only_second)
        * (only_first + neither)
    )
    if not margins:
        return 0.0
    total = both + only_first + only_second + neither
    product = both * neither - only_first * only_second
    if product > 0:
        product = max(product - total // 2, 0)
    return product / math.sqrt(margins)
