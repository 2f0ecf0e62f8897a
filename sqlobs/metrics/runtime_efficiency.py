"""Valid efficiency: how fast is a correct prediction beside its reference?

Both statements must be run several times on the same idle database, alternating which goes first,
after a warm-up of each that is thrown away, fetching included. `timing_order` says in which order;
this module only computes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, median, pstdev
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Side = Literal["reference", "predicted"]

RESOLUTION_S = 50e-6
"""A statement faster than this is measured as much by the clock as by itself."""

_REWARDS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5))
_SIGMAS = 3


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The efficiency of one prediction."""

    time_ratio: float
    """Mean of reference time over predicted time, outliers left out; 0 for a wrong result."""
    median_ratio: float
    kept_count: int
    """Runs left after the outlier rule."""
    reward: float
    """R-VES: 0, 0.25, 0.5, 0.75, 1 or 1.25, by the ratio."""
    is_below_resolution: bool = False

    @property
    def ves(self) -> float:
        """The original VES of this query: 100 times the root of the ratio."""
        return 100 * math.sqrt(self.time_ratio)

    @property
    def reward_score(self) -> float:
        """R-VES of this query: 100 times the root of the reward, at most 111.8."""
        return 100 * math.sqrt(self.reward)


WRONG = Efficiency(time_ratio=0.0, median_ratio=0.0, kept_count=0, reward=0.0)
"""What a prediction with a wrong result scores, however fast."""


def efficiency(
    reference_times_s: Sequence[float], predicted_times_s: Sequence[float], *, is_correct: bool
) -> Efficiency:
    """Return the time ratio and the reward of one prediction from paired timings.

    Higher is better, above 1 the prediction is faster. A wrong result, or no timing, scores 0.
    Source: bird-bench/mini_dev, evaluation_ves.py; Denodo's "VES Score" is the reward itself.

    Args:
        reference_times_s: One time a run of the reference, in seconds.
        predicted_times_s: One time a run of the prediction, in the same order.
        is_correct: Whether the sets of rows are equal, as BIRD and Denodo have it.
    """
    if not is_correct:
        return WRONG
    ratios = [
        one / max(other, 1e-9)
        for one, other in zip(reference_times_s, predicted_times_s, strict=True)
    ]
    is_fast = any(time < RESOLUTION_S for time in predicted_times_s)
    return efficiency_of_ratios(ratios, is_below_resolution=is_fast)


def efficiency_of_ratios(
    ratios: Sequence[float], *, is_below_resolution: bool = False
) -> Efficiency:
    """Return the efficiency of a correct prediction from its ratios of times.

    Ratios three or more standard deviations from the mean are left out, which cannot happen with
    fewer than ten runs. Where all ratios are equal all are kept (the original keeps none then and
    scores 0).
    """
    if not ratios:
        return WRONG
    kept = without_outliers(ratios)
    ratio = fmean(kept)
    return Efficiency(ratio, median(ratios), len(kept), reward(ratio), is_below_resolution)


def without_outliers(ratios: Sequence[float]) -> list[float]:
    """Drop values three population standard deviations or more from the mean."""
    mean, deviation = fmean(ratios), pstdev(ratios)
    if math.isclose(deviation, 0.0, abs_tol=1e-12):
        return list(ratios)
    return [ratio for ratio in ratios if abs(ratio - mean) < _SIGMAS * deviation]


def reward(time_ratio: float) -> float:
    """Return R-VES's reward for a ratio: 1.25 from 2, 1 from 1, 0.75 from 0.5, 0.5 from 0.25."""
    if time_ratio <= 0:
        return 0.0
    return next((value for bound, value in _REWARDS if time_ratio >= bound), 0.25)


def valid_efficiency_score(time_ratios: Iterable[float]) -> float | None:
    """Return VES over all queries, wrong ones with ratio 0: 100 times the mean root; None if empty.

    At least 0, without an upper bound, higher is better.
    """
    return _mean_root(time_ratios)


def reward_efficiency_score(rewards: Iterable[float]) -> float | None:
    """Return R-VES over all queries, wrong ones with reward 0, 0 to 111.8; None if empty."""
    return _mean_root(rewards)


def timing_order(runs: int) -> Iterator[Side]:
    """Yield which side to run next: a warm-up of both, then pairs that take turns to go first.

    The first two times are thrown away.
    """
    yield from ("reference", "predicted")
    for run in range(runs):
        yield from ("predicted", "reference") if run % 2 else ("reference", "predicted")


def _mean_root(values: Iterable[float]) -> float | None:
    roots = [math.sqrt(value) for value in values]
    return 100 * fmean(roots) if roots else None
