"""A numpy twin of the alerts on latency and traffic, for nights without an incident.

As `twin.py`, but for one process that runs for long and is always scraped.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from sqlobs.monitoring.usage import (
    LEAST_LATENCY_S,
    SAME_TIME_S,
    TIMES_USUAL,
    USUAL_REQUESTS,
)
from sqlobs.semconv.metrics import STAGE_DURATION
from tests.monitoring.twin import Pace, onsets

if TYPE_CHECKING:
    from collections.abc import Iterable

MEDIAN_S, SPREAD = 0.3, 0.6
"""Of a healthy request's time, which is log-normal."""
_WINDOW_S = 600
_DAY_S = 86_400
_HALF_HOUR_S = 1800
_USUAL_EVERY_S = 300
"""A day's median hardly moves: its p95 values are taken so often."""
_LATENCY_HOLD_S, _SILENCE_HOLD_S = 180, 120


def below_each_bound(asked: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the requests that take at most as long as each bucket's bound; the last is all."""
    times = NormalDist(np.log(MEDIAN_S), SPREAD)
    shares = [times.cdf(float(np.log(le))) for le in STAGE_DURATION.buckets]
    counted = [asked]
    for share, wider in zip(shares[::-1], [1.0, *shares[:0:-1]], strict=True):
        counted.append(rng.binomial(counted[-1], min(1.0, share / wider)))
    return np.array(counted[::-1])


def pages_of_usage(buckets: Iterable[np.ndarray], *, least: int, pace: Pace) -> int:
    """Return how often SqlobsLatency and SqlobsNoTraffic page.

    Args:
        buckets: The exported counters of requests within each bound, by scrape.
        least: Requests in a window below which latency does not alert.
        pace: Of scrapes and evaluations.
    """
    recent = np.array([_gained(each, pace) for each in buckets])
    return sum(
        int(onsets(_held(holds, hold_s, pace)[None])[0])
        for holds, hold_s in (
            (_is_slow(recent, least, pace), _LATENCY_HOLD_S),
            (_is_silent(recent[-1], pace), _SILENCE_HOLD_S),
        )
    )


def _gained(counter: np.ndarray, pace: Pace) -> np.ndarray:
    """Return what a counter gained in ten minutes, at each evaluation."""
    before = np.concatenate([np.zeros(_WINDOW_S // pace.scrape_s), counter])[: len(counter)]
    return (counter - before)[:: pace.evaluation_s // pace.scrape_s]


def _is_slow(recent: np.ndarray, least: int, pace: Pace) -> np.ndarray:
    p95, p80 = (_quantile(recent, share) for share in (0.95, 0.8))
    usual = _usual(p95, pace)
    with np.errstate(invalid="ignore"):
        above = (p95 > TIMES_USUAL * usual) & (p95 > LEAST_LATENCY_S) & (p80 > usual)
    return above & (recent[-1] >= least)


def _quantile(buckets: np.ndarray, share: float) -> np.ndarray:
    """Return `histogram_quantile`: linear inside a bucket, the last bound above all bounds."""
    bounds = np.array([0.0, *STAGE_DURATION.buckets])
    rank = share * buckets[-1]
    place = np.minimum((buckets < rank).sum(axis=0), len(bounds) - 1)
    places = np.arange(len(rank))
    high = buckets[place, places]
    low = np.where(place > 0, buckets[place - 1, places], 0)
    start, end = bounds[place], bounds[np.minimum(place + 1, len(bounds) - 1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = start + (end - start) * (rank - low) / (high - low)
    found = np.where(place == len(bounds) - 1, bounds[-1], inside)
    return np.where(buckets[-1] > 0, found, np.nan)


def _usual(p95: np.ndarray, pace: Pace) -> np.ndarray:
    """Return the median of the day that ended half an hour ago; NaN where nothing is known."""
    every = _USUAL_EVERY_S // pace.evaluation_s
    known = np.concatenate([np.full(_DAY_S // _USUAL_EVERY_S, np.nan), p95[::every]])
    days = np.lib.stride_tricks.sliding_window_view(known, _DAY_S // _USUAL_EVERY_S)
    medians = np.repeat(_medians(days), every)
    late = _HALF_HOUR_S // pace.evaluation_s
    return np.concatenate([np.full(late, np.nan), medians])[: len(p95)]


def _medians(days: np.ndarray) -> np.ndarray:
    is_known = ~np.isnan(days).all(axis=1)
    found = np.full(len(days), np.nan)
    found[is_known] = np.nanmedian(days[is_known], axis=1)
    return found


def _is_silent(requests: np.ndarray, pace: Pace) -> np.ndarray:
    """Return where there is no request, and at the same time of other days there were many."""
    holds = requests == 0
    for seconds in SAME_TIME_S:
        late = seconds // pace.evaluation_s
        earlier = np.concatenate([np.zeros(late), requests])[: len(requests)]
        holds &= earlier >= USUAL_REQUESTS
    return holds


def _held(holds: np.ndarray, hold_s: int, pace: Pace) -> np.ndarray:
    """Return where a condition has held for long enough."""
    last_false = np.maximum.accumulate(np.where(holds, -1, np.arange(len(holds))))
    return holds & (np.arange(len(holds)) - last_false > hold_s // pace.evaluation_s)
