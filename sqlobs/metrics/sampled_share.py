"""Intervals of a share or mean over all requests of a period, from a sample with known weights.

What is estimated is the share over *all* requests of the period, sampled or not. Hájek's estimate,
`Σw·y / Σw` with `w = 1 / probability`, is a ratio, whose bias is of the order of the inverse of the
sample's size: up to 2.4 % of the share in the benchmark's windows with at least 10 events, and 19 %
in the others. Beale's estimate `R` removes it to the next order: it is the ratio for the weights
`w·(1 + (w - 1) / Σw)`, so that it stays in [0, 1], shares add up to 1, and equal weights and a
census give Hájek's. Source: Tin, Comparison of some ratio estimators, Journal of the American
Statistical Association 60 (1965). It is an expansion that does not hold for samples so small that
it would change much: beyond `_MOST_CORRECTION`, the estimate is Hájek's.

Each request is sampled by itself (Poisson sampling), so that the linearized variance of both
estimates is `V = Σ w·(w - 1)·(y - R)² / (Σw)²`: a request that was certain to be sampled adds
nothing, and with no other the interval is a point.
Source: Särndal, Swensson and Wretman, Model Assisted Survey Sampling (1992), sections 5.5 to 5.7.

The interval stays in [0, 1] and is accurate for rare events because it is Wilson's for a simple
random sample with that variance, of `R·(1 - R) / V` requests. Source: Korn and Graubard, Confidence
intervals for proportions with small expected number of positive counts estimated from survey data,
Survey Methodology 24 (1998), who combine this sample size with another interval.

The variance knows only of requests that were sampled. It therefore gets one more event, as in Fay
and Feuer, Confidence intervals for directly standardized rates, Statistics in Medicine 16 (1997),
unless the sample shows that events are never that heavy: at least `ENOUGH_ALIKE`, all of the same
weight, where the weights of all requests make chance as an explanation improbable. That is how
failures look that are always sampled. Fay and Feuer give the event the largest weight, because they
know no more. Here the probabilities are known: each sampled request stands for `w - 1` requests
that were not, so that these have the mean weight `Σ w·(w - 1) / Σ (w - 1)`, which is the event's.
Where a quota changes the rate from hour to hour, the largest weight is that of few requests.
Wilson's lower limit for up to three events is too high: it is replaced by that of a Poisson count,
as in Brown, Cai and DasGupta, Interval estimation for a binomial proportion, Statistical Science 16
(2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.intervals import Interval, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

ENOUGH_ALIKE: Final = 30
"""Events from which on their weights may describe those that were not sampled: with fewer, too many
windows miss a kind of failure of which they sampled none."""
ENOUGH_SCORES: Final = 10
"""Scores from which on they may tell how much they vary."""
_FEW_EVENTS: Final = 3
_EQUAL_WEIGHTS: Final = 1.05
"""Events times the sum of squared weights over the squared sum, up to which weights are equal."""
_MOST_CORRECTION: Final = 0.1
"""The relative variance of `Σw`, up to which the bias of a ratio is removed."""
_SURPRISE: Final = -math.log(0.01)
"""Expected heavy events from which on it is no chance that none was sampled."""


@dataclass(frozen=True, slots=True)
class SideSums:
    """Sums over the sampled requests on one side of a share; weights are 1 / probability."""

    count: int
    weight: float
    weight_squared: float

    @classmethod
    def of(cls, weights: Sequence[float]) -> SideSums:
        """Add up the weights of requests."""
        return cls(len(weights), math.fsum(weights), math.fsum(w * w for w in weights))

    @property
    def spread(self) -> float:
        """The sum of w·(w - 1)."""
        return max(0.0, self.weight_squared - self.weight)

    @property
    def effective(self) -> float:
        """The number of equally weighted requests with the same variance (Kish 1965)."""
        return self.weight**2 / self.weight_squared if self.weight_squared else 0.0


def share(counted: SideSums, others: SideSums) -> float | None:
    """Return the estimated share over all requests of a period; None without any request.

    Args:
        counted: The sampled requests that count.
        others: The other ones that the share is out of.
    """
    total = counted.weight + others.weight
    if total <= 0:
        return None
    return ratio(
        counted.weight, counted.spread, weight=total, spread=counted.spread + others.spread
    )


def ratio(value: float, spread_value: float, *, weight: float, spread: float) -> float:
    """Return the estimate of a mean over all requests of a period: Beale's, or of few Hájek's.

    Args:
        value: The sum of w·value.
        spread_value: The sum of w·(w - 1)·value.
        weight: The sum of w; positive.
        spread: The sum of w·(w - 1).
    """
    if spread > _MOST_CORRECTION * weight**2:
        return value / weight
    return (value + spread_value / weight) / (weight + spread / weight)


def share_interval(
    counted: SideSums, others: SideSums, *, largest: float, confidence: float = 0.95
) -> Interval | None:
    """Return the interval of a share over all requests of a period; None without any request.

    It covers in 93 to 97 % of simulated windows in which at least 10 sampled requests of either
    side are expected, and in at least 93 % of the others (`tests/benchmarks/rates.py`).

    Args:
        counted: The sampled requests that count.
        others: The other ones that the share is out of.
        largest: The largest weight of all of them.
        confidence: The probability that the interval covers the share.
    """
    total = counted.weight + others.weight
    if total <= 0:
        return None
    if counted.spread + others.spread <= 0:
        return Interval(counted.weight / total, counted.weight / total)
    low = _lower(counted, others, largest=largest, confidence=confidence)
    high = 1 - _lower(others, counted, largest=largest, confidence=confidence)
    return Interval(low, high)


def mean_interval(
    mean: float, known: SideSums, *, spread: float, confidence: float = 0.95
) -> Interval | None:
    """Return the interval of a mean of scores in [0, 1] over all requests; None without any.

    Of few scores, and of scores that are all equal, it is that of a share: no score varies more
    than a label of the same mean.

    Args:
        mean: The estimate (`ratio`).
        known: The sampled requests that have a score.
        spread: The sum of w·(w - 1)·(score - mean)².
        confidence: The probability that the interval covers the mean.
    """
    if known.weight <= 0:
        return None
    if known.spread <= 0:
        return Interval(mean, mean)
    size = known.weight**2 / known.spread
    most = mean * (1 - mean) * known.spread
    if known.effective >= ENOUGH_SCORES and most > 0 and spread > 0:
        size *= most / spread
    return wilson_interval(mean * size, size, confidence=confidence)


def _lower(counted: SideSums, others: SideSums, *, largest: float, confidence: float) -> float:
    """Return the lower limit of the share that counts."""
    if counted.weight <= 0:
        return 0.0
    total = counted.weight + others.weight
    found = ratio(
        counted.weight, counted.spread, weight=total, spread=counted.spread + others.spread
    )
    excess = (1 - found) * counted.spread / counted.weight
    excess += found * _excess(others, counted, largest=largest)
    size = total / excess
    interval = wilson_interval(found * size, size, confidence=confidence)
    low = interval.low if interval else 0.0
    if found * size > _FEW_EVENTS:
        return low
    return min(low, _poisson_lower(found * size, confidence) / size)


def _excess(side: SideSums, opposite: SideSums, *, largest: float) -> float:
    """Return the mean of w - 1 over all requests of a side, also those that were not sampled."""
    unseen = _weight_of_unsampled(side, opposite, largest=largest)
    added = unseen * (unseen - 1)
    if added <= 0:
        return 0.0
    heavy_share = (side.spread + opposite.spread) / added / (side.count + opposite.count)
    is_like_its_sample = (
        side.effective >= ENOUGH_ALIKE
        and side.count <= _EQUAL_WEIGHTS * side.effective
        and side.count * heavy_share >= _SURPRISE
    )
    if is_like_its_sample:
        return side.spread / side.weight
    return (side.spread + added) / (side.weight + unseen)


def _weight_of_unsampled(side: SideSums, opposite: SideSums, *, largest: float) -> float:
    """Return the mean weight of the requests that were not sampled; 1: all of them were.

    A count may include requests of unknown weight, which makes the mean larger than it is.
    """
    spread = side.spread + opposite.spread
    if spread <= 0:
        return 1.0
    unsampled = side.weight + opposite.weight - side.count - opposite.count
    return min(largest, spread / unsampled) if unsampled > 0 else largest


def _poisson_lower(count: float, confidence: float) -> float:
    """Return Byar's approximation of the lower limit of a Poisson count, with all error below.

    Source: Breslow and Day, Statistical Methods in Cancer Research, volume II (1987), page 69.
    """
    root = 1 - 1 / (9 * count) - NormalDist().inv_cdf(confidence) / (3 * math.sqrt(count))
    return count * max(root, 0.0) ** 3
