"""The interval of a rate that a fallible judge gave, with the judge's known errors taken out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.agreement import corrected_rate
from sqlobs.metrics.intervals import Interval, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

ENOUGH_LABELS: Final = 50
"""Labeled items of either class from which the interval is as narrow as it may be."""
_HALVINGS: Final = 40


@dataclass(frozen=True, slots=True)
class CorrectedEstimate:
    """An estimate of the true rate from a judge's rate."""

    rate: float
    """The point estimate of Rogan and Gladen, in [0, 1]."""
    interval: Interval
    """In [0, 1]."""
    is_conservative: bool
    """The calibration is small or shows no error of one kind: the interval is wider than it need
    be, and covers more often than its confidence says."""


def corrected_estimate(
    accepted: float, judged: float, table: Sequence[Sequence[int]], *, confidence: float = 0.95
) -> CorrectedEstimate | None:
    """Estimate the true rate from a judge's rate, with an interval over both samples.

    A rate belongs to the interval where the judge's rate does not contradict it: where
    `apparent - rate * sensitivity - (1 - rate) * (1 - specificity)` may be zero by the limits that
    Zou and Donner build from Wilson's limits of the three shares. At 95 % it covers in 92 to 98 %
    of simulated runs where humans labeled 50 items of either class and the judge erred on both,
    else in 92 to 100 %. Source: Zou and Donner, Construction of confidence limits about effect
    measures: a general approach, Statistics in Medicine 27 (2008).

    Args:
        accepted: Cases that the judge accepts; fractional where weights make it so.
        judged: Cases that it decided; for weighted rates Kish's effective sample size.
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
    (kept, missed), (fooled, rejected) = table
    shares = _Shares(
        apparent=_Share.of(accepted, judged, confidence),
        sensitivity=_Share.of(kept, kept + missed, confidence),
        fooled=_Share.of(fooled, fooled + rejected, confidence),
    )
    return CorrectedEstimate(
        estimate.rate,
        shares.interval(estimate.rate),
        is_conservative=min(kept + missed, fooled + rejected) < ENOUGH_LABELS
        or not (missed and fooled),
    )


@dataclass(frozen=True, slots=True)
class _Share:
    """A share, and how far below and above it may truly be."""

    value: float
    below: float
    above: float

    @classmethod
    def of(cls, hits: float, total: float, confidence: float) -> _Share:
        limits = wilson_interval(hits, total, confidence=confidence) or Interval(0.0, 1.0)
        value = hits / total
        return cls(value, value - limits.low, limits.high - value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shares:
    """The three shares that tell about the true rate."""

    apparent: _Share
    sensitivity: _Share
    fooled: _Share
    """Of the incorrect items, those that the judge accepts."""

    def allow(self, rate: float) -> bool:
        """Return whether a true rate does not contradict what the judge accepts."""
        weights = (1.0, rate, 1 - rate)
        gap = self.apparent.value - rate * self.sensitivity.value - (1 - rate) * self.fooled.value
        down = (self.apparent.below, self.sensitivity.above, self.fooled.above)
        up = (self.apparent.above, self.sensitivity.below, self.fooled.below)
        return -_length(weights, up) <= gap <= _length(weights, down)

    def interval(self, estimate: float) -> Interval:
        """Return all rates that are allowed; any, where the judge is not as it was calibrated."""
        if not self.allow(estimate):
            return Interval(0.0, 1.0)
        return Interval(self._edge(estimate, 0.0), self._edge(estimate, 1.0))

    def _edge(self, inside: float, end: float) -> float:
        """Return the last rate that is allowed on the way from the estimate to an end."""
        if self.allow(end):
            return end
        for _ in range(_HALVINGS):
            middle = (inside + end) / 2
            inside, end = (middle, end) if self.allow(middle) else (inside, middle)
        return inside


def _length(weights: Sequence[float], sides: Sequence[float]) -> float:
    return math.hypot(*(w * side for w, side in zip(weights, sides, strict=True)))
