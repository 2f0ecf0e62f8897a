"""A numpy twin of the rules on invented names: the same conditions, over arrays of samples.

It repeats what Prometheus computes from the generated file, so that thousands of incidents and
years of noise can be simulated. `python -m tests.monitoring.detection` prints what the rules detect,
and when.

An array has one row per run and one column per scrape; a counter that is not there is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sqlobs.monitoring.increments import DAYS_3, HOUR, HOURS_6, LOOKBACK_S, MINUTES_5
from sqlobs.monitoring.rates import (
    PAGE_BOUNDS,
    PAGE_BURNS,
    SLOW_BOUNDS,
    TICKET_BOUND,
    VERSION_BOUND,
)

if TYPE_CHECKING:
    from sqlobs.monitoring.increments import Window
    from sqlobs.monitoring.rates import Bound, Burn

TILE_S = MINUTES_5.seconds
HIGHEST = 0.5


@dataclass(frozen=True)
class Pace:
    """How often counters are scraped and rules evaluated, in seconds."""

    scrape_s: int = 15
    evaluation_s: int = 30


@dataclass(frozen=True)
class Stream:
    """The samples of one process: its counters, and when it started."""

    failed: np.ndarray
    passed: np.ndarray
    started_s: np.ndarray
    """NaN where the process was not scraped."""


@dataclass(frozen=True)
class Increments:
    """Failures and evaluated requests in a window, at each evaluation."""

    failed: np.ndarray
    evaluated: np.ndarray
    """NaN where Prometheus has no sample."""

    @property
    def ratio(self) -> np.ndarray:
        """The rate; NaN without evaluated requests."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.evaluated > 0, self.failed / self.evaluated, np.nan)


class Rules:
    """The rules over the streams of one workflow, or of one model and prompt version."""

    def __init__(
        self, streams: list[Stream], *, objective: float, pace: Pace, least: int = 20
    ) -> None:
        self._streams = streams
        self._objective = objective
        self._pace = pace
        self._least = least
        samples = streams[0].failed.shape[1]
        self.times_s = np.arange(0, (samples - 1) * pace.scrape_s + 1, pace.evaluation_s)
        self._known: dict[str, Increments] = {}

    def over(self, window: Window) -> Increments:
        """Return the recorded increments of a window."""
        if window.name not in self._known:
            long = window.seconds >= HOURS_6.seconds
            self._known[window.name] = self._tiled(window) if long else self._gained(window)
        return self._known[window.name]

    def page(self) -> np.ndarray:
        """Return where the page's condition holds."""
        holds = [self._exceeds(bound) for bound in PAGE_BOUNDS]
        return np.logical_or.reduce([*holds, *(self._burns(burn) for burn in PAGE_BURNS)])

    def version_ticket(self) -> np.ndarray:
        """Return where the condition of the ticket of one model and prompt version holds."""
        return self._exceeds(VERSION_BOUND)

    def slow_ticket(self, *, days: bool = True) -> np.ndarray:
        """Return where the condition of the slow ticket holds."""
        holds = [self._exceeds(TICKET_BOUND)]
        for bound, recent in SLOW_BOUNDS if days else ():
            now = self.over(recent)
            with np.errstate(invalid="ignore"):
                is_over = (now.ratio <= self._objective) & (now.evaluated >= self._least)
            holds.append(self._exceeds(bound) & ~is_over)
        return np.logical_or.reduce(holds)

    def exceeds(self, *bounds: Bound) -> np.ndarray:
        """Return where one of some bounds is above the objective."""
        return np.logical_or.reduce([self._exceeds(bound) for bound in bounds])

    def first(self) -> np.ndarray:
        """Return where the notice of a first failure holds."""
        before = HOUR.seconds // self._pace.evaluation_s
        earlier = self.over(DAYS_3).failed > 0
        shifted = np.zeros_like(earlier)
        shifted[:, before:] = earlier[:, :-before]
        return (self.over(HOUR).failed > 0) & ~shifted

    def _exceeds(self, bound: Bound) -> np.ndarray:
        now = self.over(bound.window)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = 1 - 1 / (9 * now.failed) - bound.z / (3 * np.sqrt(now.failed))
            above = now.failed * share**3 > now.evaluated * self._objective
        return above & (now.failed >= bound.least) & (now.evaluated > 0)

    def _burns(self, burn: Burn) -> np.ndarray:
        threshold = min(burn.factor * self._objective, HIGHEST)
        long, short = self.over(burn.long), self.over(burn.short)
        with np.errstate(invalid="ignore"):
            fast = (long.ratio > threshold) & (short.ratio > threshold)
        return fast & (long.evaluated >= self._least) & (long.failed >= 3)

    def _gained(self, window: Window) -> Increments:
        failed = np.array([self._of(each, each.failed, window) for each in self._streams])
        passed = np.array([self._of(each, each.passed, window) for each in self._streams])
        is_there = ~np.isnan([*failed, *passed]).all(axis=0)
        bad, good = np.nansum(failed, axis=0), np.nansum(passed, axis=0)
        return Increments(np.where(is_there, bad, np.nan), np.where(is_there, bad + good, np.nan))

    def _of(self, stream: Stream, counter: np.ndarray, window: Window) -> np.ndarray:
        """Return what one counter gained, as `increments` says."""
        span = window.seconds
        with np.errstate(invalid="ignore"):
            is_new = self._last(stream.started_s, 0, span) > self.times_s - span
        # What a process counted before it restarted under its old id is over.
        now = counter[:, self.times_s // self._pace.scrape_s]
        is_restarted = self._first(stream.started_s, span) < self._last(stream.started_s, 0, span)
        last = np.where(is_restarted, now, self._last(counter, 0, span))
        before = self._last(counter, span, LOOKBACK_S)
        of_process = np.maximum.reduce(
            [self._count(each, span) for each in (stream.failed, stream.passed, stream.started_s)]
        )
        is_old = self._count(counter, span) >= of_process
        unseen = np.where(is_old, self._first(counter, span), 0)
        base = np.where(is_new, 0, np.where(np.isnan(before), unseen, before))
        return np.maximum(last - base, 0)

    def _count(self, samples: np.ndarray, span_s: int) -> np.ndarray:
        """Return how many samples are in `[now - span, now]`."""
        total = np.cumsum(~np.isnan(samples), axis=1)
        total = np.concatenate([np.zeros((len(samples), 1), int), total], axis=1)
        newest = self.times_s // self._pace.scrape_s + 1
        oldest = np.maximum(-(-(self.times_s - span_s) // self._pace.scrape_s), 0)
        return total[:, newest] - total[:, oldest]

    def _last(self, samples: np.ndarray, offset_s: int, span_s: int) -> np.ndarray:
        """Return the newest sample in `[now - offset - span, now - offset]`, else NaN."""
        scrape = self._pace.scrape_s
        columns = np.arange(samples.shape[1])
        newest = np.maximum.accumulate(np.where(np.isnan(samples), -1, columns), axis=1)
        at_s = self.times_s - offset_s
        column = at_s // scrape
        found = np.where(column >= 0, newest[:, np.maximum(column, 0)], -1)
        is_recent = (found >= 0) & (found * scrape >= at_s - span_s)
        values = np.take_along_axis(samples, np.maximum(found, 0), axis=1)
        return np.where(is_recent, values, np.nan)

    def _first(self, samples: np.ndarray, span_s: int) -> np.ndarray:
        """Return the oldest sample in `[now - span, now]`, else NaN."""
        scrape, count = self._pace.scrape_s, samples.shape[1]
        columns = np.arange(count)
        masked = np.where(np.isnan(samples), count, columns)[:, ::-1]
        oldest = np.minimum.accumulate(masked, axis=1)[:, ::-1]
        column = np.maximum(-(-(self.times_s - span_s) // scrape), 0)
        found = oldest[:, column]
        is_there = (found < count) & (found * scrape <= self.times_s)
        values = np.take_along_axis(samples, np.minimum(found, count - 1), axis=1)
        return np.where(is_there, values, np.nan)

    def _tiled(self, window: Window) -> Increments:
        tile = self.over(MINUTES_5)
        return Increments(
            self._sum_over_time(tile.failed, window), self._sum_over_time(tile.evaluated, window)
        )

    def _sum_over_time(self, recorded: np.ndarray, window: Window) -> np.ndarray:
        """Return the sum of a recorded value at multiples of a tile, up to now."""
        every = TILE_S // self._pace.evaluation_s
        tiles = recorded[:, ::every]
        total = np.concatenate([np.zeros((len(tiles), 1)), np.nancumsum(tiles, axis=1)], axis=1)
        there = np.concatenate(
            [np.zeros((len(tiles), 1)), np.cumsum(~np.isnan(tiles), axis=1)], axis=1
        )
        newest = self.times_s // TILE_S + 1
        oldest = np.maximum(-(-(self.times_s - window.seconds) // TILE_S), 0)
        value = total[:, newest] - total[:, oldest]
        return np.where(there[:, newest] > there[:, oldest], value, np.nan)


def firing(condition: np.ndarray, *, kept_s: int, pace: Pace) -> np.ndarray:
    """Return where an alert fires whose condition holds there, and who is kept for a while."""
    kept = kept_s // pace.evaluation_s
    columns = np.arange(condition.shape[1])
    last = np.maximum.accumulate(np.where(condition, columns, -(10**9)), axis=1)
    return columns - last <= kept


def onsets(fires: np.ndarray) -> np.ndarray:
    """Return how often each run's alert started to fire."""
    before = np.concatenate([np.zeros((len(fires), 1), bool), fires[:, :-1]], axis=1)
    return (fires & ~before).sum(axis=1)
