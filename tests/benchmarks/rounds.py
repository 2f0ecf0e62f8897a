"""Compares callables by turns, so that a loaded machine slows all of them alike."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from time import thread_time
from typing import TYPE_CHECKING

from tests.benchmarks.scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CALLS = scaled(100, least=2)
ROUNDS = scaled(45, least=2)


@dataclass(frozen=True)
class Figure:
    """CPU of the calling thread per call."""

    micros: float
    """Median over the rounds, in microseconds."""
    ratio: float
    """Median of the ratio to the reference within the same round."""


def compare(
    subjects: Mapping[str, Callable[[], object]],
    *,
    reference: str,
    between: Callable[[], object] = lambda: None,
    calls: int = CALLS,
    rounds: int = ROUNDS,
) -> dict[str, Figure]:
    """Measure each subject once per round; `between` runs unmeasured after each."""
    samples: dict[str, list[float]] = {name: [] for name in subjects}
    for subject in subjects.values():
        _measure(subject, calls)
    for _ in range(rounds):
        for name, subject in subjects.items():
            samples[name].append(_measure(subject, calls))
            between()
    base = samples[reference]
    return {
        name: Figure(
            statistics.median(found) * 1e6,
            statistics.median(mine / theirs for mine, theirs in zip(found, base, strict=True)),
        )
        for name, found in samples.items()
    }


def _measure(subject: Callable[[], object], calls: int) -> float:
    started = thread_time()
    for _ in range(calls):
        subject()
    return (thread_time() - started) / calls


def show(figures: Mapping[str, Figure], *, bars: Mapping[str, float]) -> None:
    """Print a table; `bars` are the ratios that must not be passed."""
    for name, figure in figures.items():
        bar = f"  (bar {bars[name]:.2f})" if name in bars else ""
        print(f"{name:<34} {figure.micros:8.2f} µs {figure.ratio:7.2f} x{bar}")
