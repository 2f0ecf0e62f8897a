"""When a rate began to rise: the last change point of a series of counts."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.rate_change import Counts

if TYPE_CHECKING:
    from collections.abc import Sequence

_EVIDENCE: Final = 8.0
"""Nats, at the best of thousands of places: chance alone gives as much about once in a hundred."""
_LEAST_RISE: Final = 1.5
"""What a rate must be multiplied by: an incident that gets a little worse did not begin then."""


def onset(series: Sequence[Counts]) -> int | None:
    """Return the place where the last rise of a rate begins; None if there is no rise.

    The place where two constant rates, the later one higher, fit best: the maximum of the binomial
    likelihood (Hinkley and Hinkley, "Inference about the Change-Point in a Sequence of Binomial
    Variables", Biometrika 57, 1970). The part behind it is searched again, so that an earlier rise
    hides no later one (binary segmentation).
    """
    found: int | None = None
    while (place := _rise(series, found or 0)) is not None and place != found:
        found = place
    return found


def _rise(series: Sequence[Counts], start: int) -> int | None:
    """Return the best place of a rise behind a start, if it is no chance."""
    sums = list(accumulate(series[start:], initial=Counts()))
    whole = sums[-1]
    best = (_EVIDENCE + _fit(whole), -1)
    for place in range(1, len(sums) - 1):
        if not series[start + place].failed:
            continue
        before = sums[place]
        after = Counts(whole.requests - before.requests, whole.failed - before.failed)
        if _LEAST_RISE * before.failed * after.requests <= after.failed * before.requests:
            best = max(best, (_fit(before) + _fit(after), start + place))
    return None if best[1] < 0 else best[1]


def _fit(counts: Counts) -> float:
    """Return the log-likelihood of requests at their own rate."""
    if counts.failed in {0, counts.requests}:
        return 0.0
    rate = counts.failed / counts.requests
    return counts.failed * math.log(rate) + (counts.requests - counts.failed) * math.log1p(-rate)
