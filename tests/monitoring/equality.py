"""The numpy twin of the rules equals promtool: `python -m tests.monitoring.equality`.

Three days of a shop with noise, incidents, a canary, a deploy, a restart and a gap: at every
evaluation the same alerts fire, and every 5 minutes the same increments are recorded.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sqlobs.monitoring.increments import DAY, DAYS_3, HOURS_6
from sqlobs.monitoring.promql import INSTANCE, Selection
from sqlobs.monitoring.rates import FAST_WINDOWS
from sqlobs.monitoring.rule_tests import counter, evaluations, of_version
from sqlobs.monitoring.rules import KEPT_S
from sqlobs.monitoring.schema_hallucination import RECENT_S, SLOW_KEPT_S
from sqlobs.monitoring.service_rates import HALLUCINATION
from sqlobs.semconv import metrics
from tests.monitoring.promtool import History, rules_for
from tests.monitoring.twin import Pace, Rules, Stream, firing

PACE = Pace()
OBJECTIVE = 0.02
NOISE = 0.003
PER_HOUR = 300
"""Of each process; 30 more are those of the canary."""
HOUR_S = 3600
INCIDENTS = ((0.25, 0.5, 0.3), (0.45, 0.7, 0.06), (0.8, 0.82, 1.0))
"""Start and end as parts of the history, and the share of requests that fails."""
CANARY = (0.6, 0.66)
GAP = (0.33, 0.335)
KEPT = {
    "SqlobsSchemaHallucination": KEPT_S,
    "SqlobsSchemaHallucinationSlow": SLOW_KEPT_S,
    "SqlobsSchemaHallucinationVersion": RECENT_S,
}


@dataclass(frozen=True)
class Process:
    """A process of the shop: its id, and the parts of the history in which it runs."""

    instance: str
    starts: tuple[float, ...]
    """It restarts under the same id at each but the first."""
    end: float


PROCESSES = (
    Process("a", (-1, 0.4), 0.55),  # restarts, then a deploy replaces it
    Process("b", (-1,), 2),
    Process("c", (0.55,), 2),
)


class Shop:
    """The samples of the shop's processes, for both."""

    def __init__(self, *, seconds: int, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.times_s = np.arange(0, seconds + 1, PACE.scrape_s)
        self._part = self.times_s / seconds
        self._seconds = seconds
        self._share = np.full(self.times_s.shape, NOISE)
        for start, end, share in INCIDENTS:
            self._share[self._within(start, end)] = share
        self.is_scraped = ~self._within(*GAP)
        self.streams = {each.instance: self._stream(each) for each in PROCESSES}
        canary = self._counters(
            self._requests(30) * self._within(*CANARY), np.ones_like(self._part)
        )
        started_s = self.streams["b"].started_s
        self.canary = Stream(*(np.where(each > 0, each, np.nan) for each in canary), started_s)

    def _within(self, start: float, end: float) -> np.ndarray:
        return (self._part >= start) & (self._part < end)

    def _requests(self, per_hour: float) -> np.ndarray:
        return self._rng.poisson(per_hour * PACE.scrape_s / HOUR_S, self.times_s.shape)

    def _counters(self, asked: np.ndarray, share: np.ndarray) -> list[np.ndarray]:
        failed = self._rng.binomial(asked, share)
        return [
            np.where(self.is_scraped, np.cumsum(each), np.nan) for each in (failed, asked - failed)
        ]

    def _stream(self, process: Process) -> Stream:
        failed, passed, started_s = (np.full(self.times_s.shape, np.nan) for _ in range(3))
        for start, end in zip(process.starts, (*process.starts[1:], process.end), strict=True):
            lives = self._within(start, end)
            counted = self._counters(self._requests(PER_HOUR) * lives, self._share)
            # A counter of a process is not there before its first request.
            counted = [np.where(each > 0, each, np.nan) for each in counted]
            begins_s = start * self._seconds - 5
            for samples, values in zip(
                (failed, passed, started_s),
                (*counted, np.where(self.is_scraped, begins_s, np.nan)),
                strict=True,
            ):
                samples[lives] = values[lives]
        return Stream(failed, passed, started_s)


def history(*, seconds: int, seed: int) -> History:
    """Return the shop's series, and what the twin finds at every evaluation."""
    shop = Shop(seconds=seconds, seed=seed)
    found = History(PACE.scrape_s, PACE.evaluation_s)
    started = Selection(metrics.START_TIME)
    for instance, stream in shop.streams.items():
        place = {INSTANCE: instance}
        found.series[evaluations("fail", **place)] = stream.failed
        found.series[evaluations("pass", **place)] = stream.passed
        found.series[counter(started, **place)] = stream.started_s
    found.series[of_version("v2", "fail", **{INSTANCE: "b"})] = shop.canary.failed
    _expect(found, shop)
    return found


def _expect(found: History, shop: Shop) -> None:
    rules = _rules([*shop.streams.values()])
    holds = {
        "SqlobsSchemaHallucination": rules.page(),
        "SqlobsSchemaHallucinationSlow": rules.slow_ticket(),
        "SqlobsSchemaHallucinationVersion": _rules([shop.canary]).version_ticket(),
    }
    for name, condition in holds.items():
        (fires,) = firing(condition, kept_s=KEPT[name], pace=PACE)
        for at_s, is_firing in zip(rules.times_s, fires, strict=True):
            query = f'count(ALERTS{{alertname="{name}", alertstate="firing"}})'
            found.expect(query, at_s, 1 if is_firing else None)
    every = FAST_WINDOWS[0].seconds // PACE.evaluation_s
    for window in (*FAST_WINDOWS, HOURS_6, DAY, DAYS_3):
        now = rules.over(window)
        for name, values in (
            (HALLUCINATION.failed_in(window), np.where(np.isnan(now.evaluated), np.nan, np.nan_to_num(now.failed))),
            (HALLUCINATION.evaluated_in(window), now.evaluated),
        ):  # fmt: skip
            for at_s, value in zip(rules.times_s[::every], values[0, ::every], strict=True):
                found.expect(f"sum({name})", at_s, None if np.isnan(value) else float(value))


def _rules(streams: list[Stream]) -> Rules:
    rows = [
        Stream(*(each[None] for each in (one.failed, one.passed, one.started_s))) for one in streams
    ]
    return Rules(rows, objective=OBJECTIVE, pace=PACE)


def differences(compared: History) -> str:
    """Return what promtool finds otherwise than the twin."""
    with tempfile.TemporaryDirectory() as directory:
        return compared.differences(Path(directory), rules_for({*KEPT}))


def firing_by_alert(compared: History) -> dict[str, int]:
    """Return at how many evaluations each alert fires."""
    return {
        name: sum(bool(value) for query, _, value in compared.expected if f'"{name}"' in query)
        for name in KEPT
    }


def main() -> int:
    """Print how many values were compared, and those that differ; 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=72)
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    compared = history(seconds=round(given.hours * HOUR_S), seed=given.seed)
    for name, times in firing_by_alert(compared).items():
        print(f"{name} fires at {times} evaluations")
    found = differences(compared)
    count = len(compared.expected)
    print(found or f"{count} values in {given.hours:g} hours: twin and promtool are equal")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
