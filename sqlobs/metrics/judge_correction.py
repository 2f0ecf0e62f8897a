"""The interval of a rate that a fallible judge gave, with the judge's known errors taken out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from sqlobs.metrics.agreement import corrected_rate
from sqlobs.metrics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class CorrectedEstimate:
    """A true rate behind a judged one."""

    rate: float
    """The point estimate of Rogan and Gladen, in [0, 1]."""
    interval: Interval
    """That of Lang and Reiczigel; in [0, 1]."""


def corrected_estimate(
    accepted: int, judged: int, table: Sequence[Sequence[int]], *, confidence: float = 0.95
) -> CorrectedEstimate | None:
    """Return the true rate behind a judge's, with an interval over both samples.

    The interval allows for the chance in the judged cases and in the calibration; it keeps its
    confidence also where the calibration is small or shows no error at all. Source: Lang and
    Reiczigel, Confidence limits for prevalence of disease adjusted for estimated sensitivity and
    specificity, Preventive Veterinary Medicine 113 (2014).

    Args:
        accepted: Cases that the judge accepts.
        judged: Cases that it decided.
        table: The calibration: `[[human 1 & judge 1, human 1 & judge 0], [human 0 & judge 1,
            human 0 & judge 0]]`.
        confidence: The probability that the interval covers the true rate.

    Returns:
        None without cases, or where the judge is no better than chance or was calibrated on one
        class only.
    """
    if not judged:
        return None
    estimate = corrected_rate(accepted / judged, table)
    if estimate is None:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    sensitivity, positives = _smoothed(table[0][0], sum(table[0]))
    specificity, negatives = _smoothed(table[1][1], sum(table[1]))
    cases = judged + z * z
    apparent = (accepted + z * z / 2) / cases
    slope = sensitivity + specificity - 1
    if slope <= 0:
        return CorrectedEstimate(estimate.rate, Interval(0.0, 1.0))
    centre = (apparent + specificity - 1) / slope
    of_positives = sensitivity * (1 - sensitivity) / positives
    of_negatives = specificity * (1 - specificity) / negatives
    shift = 2 * z * z * (centre * of_positives - (1 - centre) * of_negatives)
    variance = (
        apparent * (1 - apparent) / cases
        + centre**2 * of_positives
        + (1 - centre) ** 2 * of_negatives
    )
    half = z * math.sqrt(variance) / slope
    low, high = _clipped(centre + shift - half), _clipped(centre + shift + half)
    return CorrectedEstimate(estimate.rate, Interval(low, high))


def _smoothed(hits: int, total: int) -> tuple[float, int]:
    """Return a share with one success and one failure added, and the size with both."""
    return (hits + 1) / (total + 2), total + 2


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
