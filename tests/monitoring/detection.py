"""What the rules detect, how fast, and how often they page for nothing: `python -m tests.monitoring.detection`.

Prints a table: 1,000 incidents per cell, and pages per 30 days of healthy or noisy traffic.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from sqlobs.monitoring.objectives import Objectives
from sqlobs.monitoring.rates import OUTAGE_BOUNDS
from sqlobs.monitoring.rules import KEPT_S
from tests.monitoring.twin import Pace, Rules, Stream, firing, onsets
from tests.monitoring.usage_twin import below_each_bound, pages_of_usage

PACE = Pace()
EXPORT_S = 60
BEFORE_S = 6 * 3600
LASTS_S = 5 * 3600
NOTIFIED_AFTER_S = 10
"""Alertmanager waits for so long to group notices (`group_wait` of the example)."""
LONG_AGO_S = -1e9
NOISE = 0.003
DAYS = 30


@dataclass(frozen=True)
class Incident:
    """A cell: from its onset on a share of a group's requests fails."""

    share: float
    objective: float
    within_s: int
    kind: str = "page"
    """`page`, `any` (a page or a ticket), or `version` (the ticket of a canary)."""
    requests_per_hour: float = 600
    beside_per_hour: float = 0
    """Requests of the same workflow with the old prompt version, which are well."""


CELLS = (
    *(Incident(share, 0.02, 600) for share in (0.3, 0.5, 1.0)),
    *(Incident(share, 0.05, 600) for share in (0.3, 0.5, 1.0)),
    Incident(0.15, 0.02, 900),
    Incident(0.15, 0.05, 1800),
    Incident(0.06, 0.02, 7200, "any"),
    Incident(0.15, 0.05, 7200, "any"),
    Incident(1.0, 0.02, 1200, "version", 30, beside_per_hour=570),
    Incident(1.0, 0.05, 1200, "version", 30, beside_per_hour=570),
)
STEADY = tuple(Incident(0.3, objective, LASTS_S) for objective in (0.02, 0.05))
"""Random failures for five hours: one incident, which should be one page."""


class Traffic:
    """Random requests of a number of runs, as scrapes see them."""

    def __init__(self, *, seconds: int, runs: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._edges = np.arange(0, seconds + 1, PACE.scrape_s)
        self._phase = rng.uniform(0, EXPORT_S, (runs, 1))
        self._runs = runs

    def arrivals(self, per_hour, *, from_s=None, until_s=None) -> np.ndarray:
        """Return the requests between two scrapes, by run; none outside a span."""
        low, high = self._edges[:-1], self._edges[1:]
        low = low if from_s is None else np.clip(low, from_s, None)
        high = high if until_s is None else np.clip(high, None, until_s)
        spans = np.maximum(high - low, 0) * np.ones((self._runs, 1))
        arrivals = self._rng.poisson(spans * per_hour / 3600)
        return np.concatenate([np.zeros((self._runs, 1), int), arrivals], axis=1)

    def stream(self, asked: np.ndarray, failed: np.ndarray, *, is_new: bool = False) -> Stream:
        """Return the counters of a process that runs for long.

        Args:
            asked: Requests between two scrapes.
            failed: Those that fail.
            is_new: A counter is not there before its first request, as those of a prompt version.
        """
        counters = [self.exported(np.cumsum(each, axis=1)) for each in (failed, asked - failed)]
        if is_new:
            counters = [np.where(each > 0, each, np.nan) for each in counters]
        return Stream(*counters, np.full(asked.shape, LONG_AGO_S))

    def exported(self, totals: np.ndarray) -> np.ndarray:
        """Return what a scrape sees: the totals at the last export before it."""
        at_s = np.floor((self._edges - self._phase) / EXPORT_S) * EXPORT_S + self._phase
        columns = np.clip(np.floor(at_s / PACE.scrape_s).astype(int), 0, None)
        return np.take_along_axis(totals, columns, axis=1).astype(float)


def detected_after_s(cell: Incident, *, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return the seconds from onset to webhook of each run; infinite if there was none."""
    onset_s = BEFORE_S + rng.uniform(0, EXPORT_S, (runs, 1))
    traffic = Traffic(seconds=BEFORE_S + cell.within_s + 600, runs=runs, rng=rng)
    holds, times_s = _held(cell, traffic, onset_s, rng)
    holds &= times_s >= onset_s
    at_s = np.where(holds.any(axis=1), times_s[holds.argmax(axis=1)], np.inf)
    # A sample is up to one scrape old when rules see it; here both happen at the same time.
    unseen_s = rng.uniform(0, PACE.scrape_s, runs)
    return at_s - onset_s[:, 0] + unseen_s + NOTIFIED_AFTER_S


def _held(
    cell: Incident, traffic: Traffic, onset_s: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return where a cell's condition holds, and the times."""
    ill = traffic.arrivals(cell.requests_per_hour, from_s=onset_s)
    broken = rng.binomial(ill, cell.share)
    if cell.kind == "version":
        return _canary(cell, traffic, ill, broken, rng)
    healthy = traffic.arrivals(cell.requests_per_hour, until_s=onset_s)
    failed = rng.binomial(healthy, NOISE) + broken
    rules = Rules([traffic.stream(healthy + ill, failed)], objective=cell.objective, pace=PACE)
    is_told = rules.page()
    return (
        is_told | rules.slow_ticket(days=False) if cell.kind == "any" else is_told
    ), rules.times_s


def _canary(
    cell: Incident, traffic: Traffic, ill: np.ndarray, broken: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return where the ticket names the canary, and not the version beside it."""
    beside = traffic.arrivals(cell.beside_per_hour)
    old, new = (
        Rules([stream], objective=cell.objective, pace=PACE)
        for stream in (
            traffic.stream(beside, rng.binomial(beside, NOISE)),
            traffic.stream(ill, broken, is_new=True),
        )
    )
    is_blamed = np.logical_or.accumulate(old.version_ticket(), axis=1)
    return new.version_ticket() & ~is_blamed, new.times_s


def pages_of_one_incident(cell: Incident, *, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each run pages in the hours that an incident lasts."""
    traffic = Traffic(seconds=BEFORE_S + cell.within_s, runs=runs, rng=rng)
    holds, _ = _held(cell, traffic, np.full((runs, 1), float(BEFORE_S)), rng)
    return onsets(firing(holds, kept_s=KEPT_S, pace=PACE))


@dataclass(frozen=True)
class Quiet:
    """Traffic without an incident: nobody should be woken."""

    name: str
    share: float = NOISE
    """Of requests that invent a name, of those with invalid SQL, and of those that raise."""
    of_objective: float | None = None
    """Instead: every one of these shares is a part of its own objective."""
    objective: float = 0.02
    """On invented names; the others are the default ones."""
    requests_per_hour: float = 600
    repeats: int = 1
    """How often a question that fails is asked, in a row."""
    at_most: float = 0
    """Pages in 30 days, on average."""


NIGHTS = (
    Quiet("0.3 % noise"),
    Quiet("half the objective, 2 %", of_objective=0.5),
    Quiet("half the objective, 5 %", of_objective=0.5, objective=0.05),
    *(Quiet(f"{rate} an hour, 0.3 %", requests_per_hour=rate) for rate in (1, 10, 60)),
    Quiet("at the objective, 2 %", of_objective=1, at_most=3),
    Quiet("at the objective, 5 %", of_objective=1, objective=0.05, at_most=3),
    Quiet("0.3 %, each failing question three times", repeats=3, at_most=1),
)


def pages(night: Quiet, *, runs: int, rng: np.random.Generator, days: int = DAYS) -> np.ndarray:
    """Return the pages of each run, of every alert of the rule file that pages.

    Two need no simulation: SqlobsCollectorGone reads `up` alone, and
    SqlobsSchemaHallucinationInSample is for services without counters.
    """
    return np.array([_pages_once(night, rng, days) for _ in range(runs)])


def _pages_once(night: Quiet, rng: np.random.Generator, days: int) -> int:
    usual = Objectives()
    return _of_usage(night, rng, days) + sum(
        _onsets(night, objective, rng, days, is_outage=is_outage)
        for objective, is_outage in (
            (night.objective, False),
            (usual.syntax_failures, True),
            (usual.application_errors, True),
        )
    )


def _of_usage(night: Quiet, rng: np.random.Generator, days: int) -> int:
    traffic = Traffic(seconds=days * 86_400, runs=1, rng=rng)
    within = below_each_bound(traffic.arrivals(night.requests_per_hour), rng)
    exported = (traffic.exported(np.cumsum(each, axis=1))[0] for each in within)
    return pages_of_usage(exported, least=Objectives().min_requests, pace=PACE)


def _onsets(
    night: Quiet, objective: float, rng: np.random.Generator, days: int, *, is_outage: bool
) -> int:
    share = night.share if night.of_objective is None else night.of_objective * objective
    traffic = Traffic(seconds=days * 86_400, runs=1, rng=rng)
    asked = traffic.arrivals(night.requests_per_hour)
    failed, asked = _repeated(rng.binomial(asked, share), asked, night.repeats)
    rules = Rules([traffic.stream(asked, failed)], objective=objective, pace=PACE)
    holds = rules.exceeds(*OUTAGE_BOUNDS) if is_outage else rules.page()
    return int(onsets(firing(holds, kept_s=KEPT_S, pace=PACE))[0])


def _repeated(failed: np.ndarray, asked: np.ndarray, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the requests with each failing one asked again, 15 seconds later each time."""
    more = sum(
        (np.roll(failed, again, axis=1) for again in range(1, repeats)), np.zeros_like(failed)
    )
    return failed + more, asked + more


def main() -> int:
    """Print the tables; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--incidents", type=int, default=1000, help="runs per cell")
    parser.add_argument("--months", type=int, default=10, help="runs of 30 days per row")
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    is_kept = [
        *(_print_cell(cell, given.incidents, rng) for cell in CELLS),
        *(_print_steady(cell, given.incidents, rng) for cell in STEADY),
        *(_print_night(night, given.months, rng) for night in NIGHTS),
    ]
    return 0 if all(is_kept) else 1


def _print_cell(cell: Incident, runs: int, rng: np.random.Generator) -> bool:
    after_s = detected_after_s(cell, runs=runs, rng=rng)
    share = float(np.mean(after_s <= cell.within_s))
    print(
        f"{cell.share:4.0%} at {cell.requests_per_hour:g}/h, objective {cell.objective:.0%},"
        f" {cell.kind}: {share:.1%} within {cell.within_s // 60} min,"
        f" p95 {np.quantile(after_s, 0.95) / 60:.1f} min",
        flush=True,
    )
    return share >= 0.95


def _print_steady(cell: Incident, runs: int, rng: np.random.Generator) -> bool:
    found = pages_of_one_incident(cell, runs=runs, rng=rng)
    share = float(np.mean((found == 1) | (found == 2)))
    print(
        f"{cell.share:4.0%} for {cell.within_s // 3600} h, objective {cell.objective:.0%}:"
        f" one page in {np.mean(found == 1):.1%}, at most one resolve in {share:.1%}",
        flush=True,
    )
    return share >= 0.95


def _print_night(night: Quiet, runs: int, rng: np.random.Generator) -> bool:
    found = pages(night, runs=runs, rng=rng)
    print(
        f"{night.name}: {found.mean():.2f} pages in 30 days (bar {night.at_most:g},"
        f" {runs} runs: {found.tolist()})",
        flush=True,
    )
    return bool(found.mean() <= night.at_most)


if __name__ == "__main__":
    raise SystemExit(main())
