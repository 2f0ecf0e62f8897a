"""What the rules detect, how fast, and how often they page for nothing: `python -m tests.monitoring.detection`.

Prints a table: 1,000 incidents per cell, and pages per 30 days of healthy or noisy traffic.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from sqlobs.monitoring.objective_alerts import PAGE_HOUR
from sqlobs.monitoring.rates import PAGE_BOUNDS
from sqlobs.monitoring.rules import KEPT_S
from tests.monitoring.twin import Pace, Rules, Stream, firing, onsets

PACE = Pace()
EXPORT_S = 60
BEFORE_S = 6 * 3600
NOTIFIED_AFTER_S = 10
"""Alertmanager waits for so long to group notices (`group_wait` of the example)."""
NOISE = 0.003
DAYS = 30


@dataclass(frozen=True)
class Incident:
    """A cell: from its onset on a share of the requests fails."""

    share: float
    objective: float
    within_s: int
    kind: str = "page"
    """`page`, `any` (a page or a ticket), or `version` (the ticket of a canary)."""
    requests_per_hour: float = 600


CELLS = (
    *(Incident(share, 0.02, 600) for share in (0.3, 0.5, 1.0)),
    *(Incident(share, 0.05, 600) for share in (0.3, 0.5, 1.0)),
    Incident(0.15, 0.02, 900),
    Incident(0.15, 0.05, 1800),
    Incident(0.06, 0.02, 7200, "any"),
    Incident(0.15, 0.05, 7200, "any"),
    Incident(1.0, 0.02, 1200, "version", 30),
    Incident(1.0, 0.05, 1200, "version", 30),
)


def detected_after_s(cell: Incident, *, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return the seconds from onset to webhook of each run; infinite if there was none."""
    seconds = BEFORE_S + cell.within_s + 600
    onset_s = BEFORE_S + rng.uniform(0, EXPORT_S, (runs, 1))
    is_canary = cell.kind == "version"
    before = 0 if is_canary else cell.requests_per_hour
    edges = np.arange(0, seconds + 1, PACE.scrape_s)
    healthy = _arrivals(before, edges, rng, runs, until_s=onset_s)
    ill = _arrivals(cell.requests_per_hour, edges, rng, runs, from_s=onset_s)
    failed = rng.binomial(healthy, NOISE) + rng.binomial(ill, cell.share)
    phase = rng.uniform(0, EXPORT_S, (runs, 1))
    stream = Stream(
        _exported(np.cumsum(failed, axis=1), edges, phase),
        _exported(np.cumsum(healthy + ill - failed, axis=1), edges, phase),
        np.full((runs, len(edges)), -1e9),
    )
    rules = Rules([stream], objective=cell.objective, pace=PACE)
    holds = rules.version_ticket() if is_canary else rules.page()
    if cell.kind == "any":
        holds |= rules.slow_ticket(days=False)
    holds &= rules.times_s >= onset_s
    at_s = np.where(holds.any(axis=1), rules.times_s[holds.argmax(axis=1)], np.inf)
    return at_s - onset_s[:, 0] + NOTIFIED_AFTER_S


def _arrivals(per_hour, edges, rng, runs, *, from_s=None, until_s=None) -> np.ndarray:
    """Return the Poisson arrivals between two scrapes, by run; nothing outside a span."""
    low, high = edges[:-1], edges[1:]
    low = low if from_s is None else np.clip(low, from_s, None)
    high = high if until_s is None else np.clip(high, None, until_s)
    spans = np.maximum(high - low, 0) * np.ones((runs, 1))
    arrivals = rng.poisson(spans * per_hour / 3600)
    return np.concatenate([np.zeros((runs, 1), int), arrivals], axis=1)


def _exported(totals: np.ndarray, edges: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """Return what a scrape sees: the totals at the last export before it."""
    at_s = np.floor((edges - phase) / EXPORT_S) * EXPORT_S + phase
    columns = np.clip(np.floor(at_s / PACE.scrape_s).astype(int), 0, None)
    return np.take_along_axis(totals, columns, axis=1).astype(float)


@dataclass(frozen=True)
class Quiet:
    """Traffic without an incident: nobody should be woken."""

    name: str
    share: float
    objective: float = 0.02
    requests_per_hour: float = 600
    repeats: int = 1
    """How often a question that fails is asked, in a row."""
    at_most: float = 0
    """Pages in 30 days, on average."""


NIGHTS = (
    Quiet("0.3 % noise", NOISE),
    Quiet("half the objective of 2 %", 0.01),
    Quiet("half the objective of 5 %", 0.025, 0.05),
    *(Quiet(f"{rate} an hour, 0.3 %", NOISE, 0.02, rate) for rate in (1, 10, 60)),
    Quiet("at the objective of 2 %", 0.02, at_most=3),
    Quiet("at the objective of 5 %", 0.05, 0.05, at_most=3),
    Quiet("0.3 %, each failing question three times", NOISE, repeats=3, at_most=1),
)


def pages(night: Quiet, *, runs: int, rng: np.random.Generator, days: int = DAYS) -> np.ndarray:
    """Return the pages of each run, of every alert on a rate that pages."""
    return np.array([_pages_once(night, rng, days) for _ in range(runs)])


def _pages_once(night: Quiet, rng: np.random.Generator, days: int) -> int:
    edges = np.arange(0, days * 86_400 + 1, PACE.scrape_s)
    phase = rng.uniform(0, EXPORT_S, (1, 1))
    total = 0
    for objective, share, bounds in (
        (night.objective, night.share, None),
        (0.02, min(night.share, NOISE), (*PAGE_BOUNDS, PAGE_HOUR)),  # syntax failures
        (0.05, min(night.share, NOISE), (*PAGE_BOUNDS, PAGE_HOUR)),  # application errors
    ):
        asked = _arrivals(night.requests_per_hour, edges, rng, 1)
        failed, asked = _repeated(rng.binomial(asked, share), asked, night.repeats)
        stream = Stream(
            _exported(np.cumsum(failed, axis=1), edges, phase),
            _exported(np.cumsum(asked - failed, axis=1), edges, phase),
            np.full((1, len(edges)), -1e9),
        )
        rules = Rules([stream], objective=objective, pace=PACE)
        holds = rules.page() if bounds is None else rules.exceeds(*bounds)
        total += int(onsets(firing(holds, kept_s=KEPT_S, pace=PACE))[0])
    return total


def _repeated(failed: np.ndarray, asked: np.ndarray, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the requests with each failing one asked again, 15 seconds later each time."""
    more = sum(
        (np.roll(failed, again, axis=1) for again in range(1, repeats)), np.zeros_like(failed)
    )
    return failed + more, asked + more


def main() -> int:
    """Print both tables; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--incidents", type=int, default=1000, help="runs per cell")
    parser.add_argument("--months", type=int, default=10, help="runs of 30 days per row")
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    missed = 0
    for cell in CELLS:
        after_s = detected_after_s(cell, runs=given.incidents, rng=rng)
        share = float(np.mean(after_s <= cell.within_s))
        missed += share < 0.95
        print(
            f"{cell.share:4.0%} at {cell.requests_per_hour:g}/h, objective {cell.objective:.0%},"
            f" {cell.kind}: {share:.1%} within {cell.within_s // 60} min,"
            f" p95 {np.quantile(after_s, 0.95) / 60:.1f} min",
            flush=True,
        )
    for night in NIGHTS:
        found = pages(night, runs=given.months, rng=rng)
        missed += found.mean() > night.at_most
        print(
            f"{night.name}: {found.mean():.2f} pages in 30 days (bar {night.at_most:g},"
            f" {given.months} runs: {found.tolist()})",
            flush=True,
        )
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
