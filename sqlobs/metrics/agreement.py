"""How well raters agree, and what a judge with known errors says about the true rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance
from typing import TYPE_CHECKING

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

_WALD_FROM = 50
"""Cases from which the normal approximation of kappa's interval is fair."""


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance."""

    value: float | None
    """In [-1, 1], 1 is full agreement; None if chance alone gives full agreement."""
    observed: float
    expected: float
    standard_error: float | None
    interval: Interval | None


def cohen_kappa(
    table: Sequence[Sequence[int]],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Kappa | None:
    """Return Cohen's kappa of two raters; None without any case.

    The standard error is that of Fleiss, Cohen and Everitt (1969); below 50 cases the interval is
    bootstrapped. A judge's failures are a category of their own, never dropped.

    Args:
        table: Counts, one row a category of the first rater, one column a category of the second.
        confidence: The probability that the interval covers.
        resamples: How many tables are drawn for few cases.
        seed: Start of the random numbers.
    """
    total = sum(map(sum, table))
    if not total:
        return None
    shares = [[count / total for count in row] for row in table]
    rows = [sum(row) for row in shares]
    columns = [sum(column) for column in zip(*shares, strict=True)]
    observed = sum(shares[i][i] for i in range(len(shares)))
    expected = sum(r * c for r, c in zip(rows, columns, strict=True))
    if math.isclose(expected, 1.0):
        return Kappa(None, observed, expected, None, None)
    value = (observed - expected) / (1 - expected)
    error = _standard_error(shares, value, expected, total)
    interval: Interval | None
    if total >= _WALD_FROM:
        half = NormalDist().inv_cdf((1 + confidence) / 2) * error
        interval = Interval(max(-1.0, value - half), min(1.0, value + half))
    else:
        interval = _bootstrapped(table, confidence, resamples, seed)
    return Kappa(value, observed, expected, error, interval)


@dataclass(frozen=True, slots=True)
class BinaryAgreement:
    """Agreement of a judge with human labels, both binary."""

    accuracy: float | None
    sensitivity: float | None
    """Share of truly correct cases that the judge accepts."""
    specificity: float | None
    """Share of truly incorrect cases that the judge rejects."""
    pabak: float | None
    """Kappa adjusted for prevalence and bias: 2 * accuracy - 1."""


def binary_agreement(table: Sequence[Sequence[int]]) -> BinaryAgreement:
    """Return accuracy, sensitivity, specificity and PABAK.

    Args:
        table: `[[human 1 & judge 1, human 1 & judge 0], [human 0 & judge 1, human 0 & judge 0]]`.
    """
    (accepted, missed), (fooled, rejected) = table
    accuracy = _share(accepted + rejected, accepted + missed + fooled + rejected)
    return BinaryAgreement(
        accuracy=accuracy,
        sensitivity=_share(accepted, accepted + missed),
        specificity=_share(rejected, fooled + rejected),
        pabak=None if accuracy is None else 2 * accuracy - 1,
    )


def fleiss_kappa(
    counts: Sequence[Sequence[int]],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Kappa | None:
    """Return Fleiss' kappa of several raters, with an interval by bootstrap over subjects.

    Args:
        counts: One row a subject, one column a category: how many raters chose it. Every subject
            has the same number of raters, at least two.
        confidence: The probability that the interval covers.
        resamples: How many samples of subjects are drawn.
        seed: Start of the random numbers.
    """
    if not counts:
        return None
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("Fleiss' kappa", extra="metrics") from error

    chosen = np.asarray(counts, dtype=float)
    raters = chosen[0].sum()
    agreeing = ((chosen**2).sum(axis=1) - raters) / (raters * (raters - 1))
    shares = chosen / raters
    observed, expected = float(agreeing.mean()), float((shares.mean(axis=0) ** 2).sum())
    if math.isclose(expected, 1.0):
        return Kappa(None, observed, expected, None, None)
    weights = np.random.default_rng(seed).multinomial(
        len(chosen), [1 / len(chosen)] * len(chosen), size=resamples
    ) / len(chosen)
    chance = ((weights @ shares) ** 2).sum(axis=1)
    keeps = chance < 1
    drawn = ((weights @ agreeing)[keeps] - chance[keeps]) / (1 - chance[keeps])
    return Kappa(
        (observed - expected) / (1 - expected),
        observed,
        expected,
        float(drawn.std()),
        _percentiles(drawn, confidence),
    )


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A judge's rate, corrected for its known errors."""

    rate: float
    standard_error: float | None


def corrected_rate(
    apparent: float,
    table: Sequence[Sequence[int]],
    *,
    judged: int | None = None,
) -> CorrectedRate | None:
    """Estimate the true rate from a judge's: (apparent + Sp - 1) / (Se + Sp - 1), clipped.

    None if the judge is no better than chance, or was calibrated on one class only. Source:
    Rogan and Gladen (1978); the error is by the delta method over both samples.

    Args:
        apparent: The rate the judge gives.
        table: The calibration, as in `binary_agreement`.
        judged: How many cases the apparent rate rests on; without it there is no error.
    """
    agreement = binary_agreement(table)
    sensitivity, specificity = agreement.sensitivity, agreement.specificity
    if sensitivity is None or specificity is None or sensitivity + specificity <= 1:
        return None
    slope = sensitivity + specificity - 1
    rate = min(1.0, max(0.0, (apparent + specificity - 1) / slope))
    if judged is None:
        return CorrectedRate(rate, None)
    positives, negatives = sum(table[0]), sum(table[1])
    spread = (
        apparent * (1 - apparent) / judged
        + rate**2 * sensitivity * (1 - sensitivity) / positives
        + (1 - rate) ** 2 * specificity * (1 - specificity) / negatives
    )
    return CorrectedRate(rate, math.sqrt(spread) / slope)


def prediction_powered_rate(
    judged: Sequence[float],
    *,
    judged_labeled: Sequence[float],
    human: Sequence[float],
    probabilities: Sequence[float] | None = None,
) -> CorrectedRate | None:
    """Return the judge's mean over all cases plus the weighted mean correction on labeled ones.

    Valid without any model of the judge's errors. None without judged or labeled cases. Source:
    Angelopoulos et al., Prediction-powered inference (2023).

    Args:
        judged: The judge's scores on the cases without a label.
        judged_labeled: Its scores on the labeled cases.
        human: The labels of those, in the same order.
        probabilities: With which each of those was chosen to be labeled; None = all alike.
    """
    if not judged or not human:
        return None
    corrections = [label - score for label, score in zip(human, judged_labeled, strict=True)]
    weights = [1 / probability for probability in probabilities or [1.0] * len(corrections)]
    correction, spread = fmean(corrections, weights), None
    if len(judged) > 1 and len(corrections) > 1:
        spread = variance(judged) / len(judged) + _spread(corrections, weights, correction)
    return CorrectedRate(fmean(judged) + correction, None if spread is None else math.sqrt(spread))


def _spread(values: Sequence[float], weights: Sequence[float], mean: float) -> float:
    """Return the variance of a weighted mean; of equal weights that of the plain one."""
    count, whole = len(values), math.fsum(weights)
    squares = math.fsum((w * (x - mean)) ** 2 for w, x in zip(weights, values, strict=True))
    return squares / whole**2 * count / (count - 1)


def _standard_error(
    shares: Sequence[Sequence[float]], kappa: float, expected: float, total: int
) -> float:
    rows = [sum(row) for row in shares]
    columns = [sum(column) for column in zip(*shares, strict=True)]
    size = range(len(shares))
    diagonal = sum(shares[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in size)
    rest = (1 - kappa) ** 2 * sum(
        shares[i][j] * (columns[i] + rows[j]) ** 2 for i in size for j in size if i != j
    )
    chance = (kappa - expected * (1 - kappa)) ** 2
    return math.sqrt(max(0.0, diagonal + rest - chance) / total) / (1 - expected)


def _bootstrapped(
    table: Sequence[Sequence[int]], confidence: float, resamples: int, seed: int
) -> Interval | None:
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("Kappa's interval for few cases", extra="metrics") from error

    counts = np.asarray(table, dtype=float)
    total = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(total, counts.ravel() / total, size=resamples)
    shares = drawn.reshape(-1, *counts.shape) / total
    observed = np.trace(shares, axis1=1, axis2=2)
    expected = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    keeps = expected < 1
    return _percentiles((observed[keeps] - expected[keeps]) / (1 - expected[keeps]), confidence)


def _percentiles(drawn: Sequence[float], confidence: float) -> Interval | None:
    import numpy as np

    if not len(drawn):
        return None
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
