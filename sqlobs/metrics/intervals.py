"""How sure a rate or a mean is: Wilson's and Newcombe's intervals, and the bootstrap."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist, pstdev
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float64]

BootstrapMethod = Literal["percentile", "BCa"]

_BATCH = 1_000
"""Resamples held in memory at a time."""
_FEW: Final = 8
"""Queries per distinct query from which on counts are drawn instead of queries."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A figure with its bootstrap interval, and the seed and number of resamples."""

    estimate: float
    interval: Interval | None
    """None if there are too few cases for one."""
    standard_error: float | None
    resamples: int
    seed: int


def wilson_interval(successes: float, total: float, *, confidence: float = 0.95) -> Interval | None:
    """Return Wilson's score interval for a rate; None without any case.

    Args:
        successes: Cases that count, at most `total`; fractional where weights make it so.
        total: All cases; for weighted rates Kish's effective sample size.
        confidence: The probability that the interval covers the true rate.
    """
    if total <= 0:
        return None
    z = _quantile(confidence)
    rate = successes / total
    denominator = 1 + z * z / total
    center = (rate + z * z / (2 * total)) / denominator
    half = z * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total)) / denominator
    low = 0.0 if successes <= 0 else center - half
    return Interval(max(0.0, low), min(1.0, 1.0 if successes >= total else center + half))


def newcombe_interval(
    successes: float,
    total: float,
    other_successes: float,
    other_total: float,
    *,
    confidence: float = 0.95,
) -> Interval | None:
    """Return Newcombe's interval for the difference of two rates over different cases.

    Positive where the first rate is greater. None if either side has no case. Source: Newcombe
    1998, method 10 for independent proportions.
    """
    first = wilson_interval(successes, total, confidence=confidence)
    second = wilson_interval(other_successes, other_total, confidence=confidence)
    if first is None or second is None:
        return None
    rate, other_rate = successes / total, other_successes / other_total
    difference = rate - other_rate
    return Interval(
        difference - math.hypot(rate - first.low, second.high - other_rate),
        difference + math.hypot(first.high - rate, other_rate - second.low),
    )


def bootstrap_mean(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    method: BootstrapMethod = "percentile",
    resamples: int = 10_000,
    seed: int = 0,
    min_cases: int = 5,
) -> Bootstrap | None:
    """Return the mean of per-query values with a bootstrap interval; None without values.

    Args:
        values: One value a query.
        clusters: The session or user of each query; whole clusters are drawn then.
        confidence: The probability that the interval covers the true mean.
        method: Percentile, or bias-corrected and accelerated.
        resamples: How many samples are drawn.
        seed: Start of the random numbers; kept in the answer.
        min_cases: With fewer queries (or clusters), no interval is returned.
    """
    return bootstrap_ratio(
        values,
        [1.0] * len(values),
        clusters=clusters,
        confidence=confidence,
        method=method,
        resamples=resamples,
        seed=seed,
        min_cases=min_cases,
    )


def bootstrap_ratio(
    numerators: Sequence[float],
    denominators: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    method: BootstrapMethod = "percentile",
    resamples: int = 10_000,
    seed: int = 0,
    min_cases: int = 5,
) -> Bootstrap | None:
    """Return a ratio of sums with a bootstrap interval, computed again inside each resample.

    For micro-averages, such as matched cells over all cells. None if the denominators sum to 0.
    Where there are no more possible resamples than requested, each is used once.

    Args:
        numerators: One part a query.
        denominators: The whole of that query, positive.
        clusters: The session or user of each query; whole clusters are drawn then.
        confidence: The probability that the interval covers the true ratio.
        method: Percentile, or bias-corrected and accelerated.
        resamples: How many samples are drawn.
        seed: Start of the random numbers; kept in the answer.
        min_cases: With fewer queries (or clusters), no interval is returned.
    """
    if not sum(denominators):
        return None
    estimate = sum(numerators) / sum(denominators)
    parts, wholes = _by_cluster(numerators, denominators, clusters)
    if len(parts) < max(2, min_cases):
        return Bootstrap(estimate, None, None, resamples, seed)
    if method == "percentile" and len(parts) ** len(parts) <= resamples:
        return _enumerated(estimate, parts, wholes, confidence=confidence, seed=seed)
    if len({part / whole for part, whole in zip(parts, wholes, strict=True) if whole}) == 1:
        return Bootstrap(estimate, Interval(estimate, estimate), 0.0, resamples, seed)
    try:
        import numpy as np

        distinct = Counter(zip(parts, wholes, strict=True))
        if method == "percentile" and _FEW * len(distinct) <= len(parts):
            return _counted(
                estimate, distinct, confidence=confidence, resamples=resamples, seed=seed
            )
        from scipy import stats  # takes longer to load than a report to write
    except ImportError as error:
        raise MissingExtraError("The bootstrap", extra="metrics") from error

    def ratio(part: Vector, whole: Vector, axis: int) -> Vector:
        quotient: Vector = part.sum(axis=axis) / whole.sum(axis=axis)
        return quotient

    drawn = stats.bootstrap(
        (np.asarray(parts, dtype=float), np.asarray(wholes, dtype=float)),
        ratio,
        paired=True,
        vectorized=True,
        confidence_level=confidence,
        n_resamples=resamples,
        batch=_BATCH,
        method=method,
        rng=np.random.default_rng(seed),
    )
    low, high = map(float, drawn.confidence_interval)
    return Bootstrap(estimate, Interval(low, high), float(drawn.standard_error), resamples, seed)


def bootstrap_quantile(
    values: Sequence[float],
    *,
    quantile: float,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    min_cases: int = 5,
) -> Bootstrap | None:
    """Return a quantile (such as latency p95) with its percentile interval; None without values."""
    if not values:
        return None
    try:
        import numpy as np
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("The bootstrap", extra="metrics") from error

    estimate = float(np.quantile(values, quantile))
    if len(values) < max(2, min_cases):
        return Bootstrap(estimate, None, None, resamples, seed)
    drawn = stats.bootstrap(
        (np.asarray(values, dtype=float),),
        lambda sample, axis: np.quantile(sample, quantile, axis=axis),
        vectorized=True,
        confidence_level=confidence,
        n_resamples=resamples,
        batch=_BATCH,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    low, high = map(float, drawn.confidence_interval)
    return Bootstrap(estimate, Interval(low, high), float(drawn.standard_error), resamples, seed)


def _counted(
    estimate: float,
    distinct: Counter[tuple[float, float]],
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> Bootstrap:
    """Draw how often each distinct query is in a resample: the same distribution, at less cost.

    A resample of n queries is a multinomial draw of n with the shares of the distinct ones.
    """
    import numpy as np

    counts = np.array([*distinct.values()])
    parts, wholes = np.array([*distinct], dtype=float).T
    random, total = np.random.default_rng(seed), counts.sum()

    def drawn(size: int) -> Vector:
        times = random.multinomial(total, counts / total, size=size)
        quotient: Vector = (times @ parts) / (times @ wholes)
        return quotient

    sizes = (min(_BATCH, resamples - start) for start in range(0, resamples, _BATCH))
    means = np.concatenate([drawn(size) for size in sizes])
    low, high = map(float, np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2]))
    return Bootstrap(estimate, Interval(low, high), float(means.std(ddof=1)), resamples, seed)


def _enumerated(
    estimate: float, parts: list[float], wholes: list[float], *, confidence: float, seed: int
) -> Bootstrap:
    """Iterate over every possible resample, where that costs no more than drawing some."""
    drawn = [
        sum(parts[k] for k in places) / whole
        for places in product(range(len(parts)), repeat=len(parts))
        if (whole := sum(wholes[k] for k in places))
    ]
    low, high = (_interpolated(sorted(drawn), (1 + sign * confidence) / 2) for sign in (-1, 1))
    return Bootstrap(estimate, Interval(low, high), pstdev(drawn), len(drawn), seed)


def _interpolated(ordered: list[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _by_cluster(
    numerators: Sequence[float],
    denominators: Sequence[float],
    clusters: Sequence[Hashable] | None,
) -> tuple[list[float], list[float]]:
    if clusters is None:
        return list(numerators), list(denominators)
    parts: dict[Hashable, float] = {}
    wholes: dict[Hashable, float] = {}
    for part, whole, cluster in zip(numerators, denominators, clusters, strict=True):
        parts[cluster] = parts.get(cluster, 0.0) + part
        wholes[cluster] = wholes.get(cluster, 0.0) + whole
    return list(parts.values()), list(wholes.values())
