"""Rates over cases that were kept with unequal, known probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError
from sqlobs.metrics.sampled_share import SideSums, mean_interval, ratio, share_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.intervals import Interval

HEAVY_WEIGHT = 20.0
"""A weight this many times the median deserves a warning."""


@dataclass(frozen=True, slots=True)
class WeightedRate:
    """A rate weighted by the inverse of the inclusion probabilities."""

    rate: float
    """Beale's estimate: Hájek's without its bias in small samples; see `sampled_share`."""
    standard_error: float
    """Of both estimates; linearized, for Poisson sampling."""
    interval: Interval | None
    """Of the rate over all cases, kept or not; see `sampled_share`."""
    total: float
    """Horvitz-Thompson's estimate of the sum over all cases, kept or not."""
    population: float
    """Estimated number of all cases."""
    effective_count: float
    """Kish's effective sample size."""
    naive_rate: float
    """The unweighted mean, for comparison."""
    weight_ratio: float
    """Greatest weight over the median weight."""

    @property
    def has_heavy_weights(self) -> bool:
        """A few cases dominate: look before believing."""
        return self.weight_ratio > HEAVY_WEIGHT

    @property
    def hajek(self) -> float:
        """Hájek's estimate: the weighted sum over the sum of weights."""
        return self.total / self.population

    def rate_of(self, known_population: float) -> float:
        """Return the rate where the number of all cases is known from counting them."""
        return self.total / known_population


def weighted_rate(
    scores: Sequence[float], probabilities: Sequence[float], *, confidence: float = 0.95
) -> WeightedRate | None:
    """Estimate the mean score of all cases from a sample; None without any case.

    Args:
        scores: One score a kept case, in [0, 1].
        probabilities: The probability with which that case was kept, known before its score.
        confidence: The probability that the interval covers.

    Raises:
        ConfigError: a probability is not in (0, 1].
    """
    if not scores:
        return None
    if not all(0 < probability <= 1 for probability in probabilities):
        raise ConfigError("Inclusion probabilities must be above 0 and at most 1.")
    weights = [1 / probability for probability in probabilities]
    population = math.fsum(weights)
    total = math.fsum(w * y for w, y in zip(weights, scores, strict=True))
    hajek = total / population
    spread = math.fsum(
        (1 - p) / (p * p) * (y - hajek) ** 2 for p, y in zip(probabilities, scores, strict=True)
    )
    known = SideSums.of(weights)
    counted = math.fsum(w * (w - 1) * y for w, y in zip(weights, scores, strict=True))
    rate = ratio(total, counted, weight=population, spread=known.spread)
    return WeightedRate(
        rate=rate,
        standard_error=math.sqrt(spread) / population,
        interval=_interval(scores, weights, rate, confidence=confidence),
        total=total,
        population=population,
        effective_count=known.effective,
        naive_rate=math.fsum(scores) / len(scores),
        weight_ratio=max(weights) / median(weights),
    )


def _interval(
    scores: Sequence[float], weights: Sequence[float], rate: float, *, confidence: float
) -> Interval | None:
    if all(score in {0, 1} for score in scores):
        sides = [
            SideSums.of([w for w, score in zip(weights, scores, strict=True) if score == side])
            for side in (1, 0)
        ]
        return share_interval(*sides, largest=max(weights), confidence=confidence)
    spread = math.fsum(w * (w - 1) * (y - rate) ** 2 for w, y in zip(weights, scores, strict=True))
    return mean_interval(rate, SideSums.of(weights), spread=spread, confidence=confidence)


def trimmed_probabilities(
    probabilities: Sequence[float], *, ratio: float = HEAVY_WEIGHT
) -> list[float]:
    """Return probabilities whose weights are nowhere above `ratio` times the median weight.

    Trimming narrows intervals and biases rates toward what was kept more often: say so where a
    trimmed rate is shown, and compare it with the untrimmed one.

    Args:
        probabilities: The inclusion probabilities, above 0 and at most 1.
        ratio: The greatest weight, as a multiple of the median weight.
    """
    if not probabilities:
        return []
    least = 1 / (ratio * median(1 / probability for probability in probabilities))
    return [max(probability, least) for probability in probabilities]


@dataclass(frozen=True, slots=True)
class Stratum:
    """One stratum: its number of cases, of labeled cases, and of correct ones."""

    population: int
    sampled: int
    successes: float


@dataclass(frozen=True, slots=True)
class StratifiedRate:
    """A rate estimated from strata."""

    rate: float
    standard_error: float
    naive_rate: float


def stratified_rate(strata: Sequence[Stratum]) -> StratifiedRate | None:
    """Estimate a rate from samples within strata, with finite population correction.

    Strata with a single sampled case have no spread of their own: they are pooled into one.
    None if nothing was sampled; a stratum without any sample cannot be reported on and is
    left out, so that the rate is that of the covered population.
    """
    covered = _pooled([stratum for stratum in strata if stratum.sampled])
    if not covered:
        return None
    population = sum(stratum.population for stratum in covered)
    rate, spread = 0.0, 0.0
    for stratum in covered:
        share, mean = stratum.population / population, stratum.successes / stratum.sampled
        rate += share * mean
        if stratum.sampled > 1:
            correction = 1 - stratum.sampled / stratum.population
            spread += share**2 * correction * mean * (1 - mean) / (stratum.sampled - 1)
    successes = sum(stratum.successes for stratum in covered)
    sampled = sum(stratum.sampled for stratum in covered)
    return StratifiedRate(rate, math.sqrt(spread), successes / sampled)


def _pooled(strata: list[Stratum]) -> list[Stratum]:
    """Pool single-case strata; with only one of them, into the smallest other stratum."""
    single = [stratum for stratum in strata if stratum.sampled == 1]
    others = sorted(
        (stratum for stratum in strata if stratum.sampled > 1), key=lambda s: s.population
    )
    if not single:
        return strata
    if len(single) == 1 and others:
        single.append(others.pop(0))
    pool = Stratum(
        population=sum(stratum.population for stratum in single),
        sampled=sum(stratum.sampled for stratum in single),
        successes=sum(stratum.successes for stratum in single),
    )
    return [*others, pool]
