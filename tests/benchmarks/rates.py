"""How well rates and intervals from samples meet the rate over all requests of a window.

A window has at least 10 events if a sample of it is expected to have them: windows chosen by the
events that they happened to sample have more wrong requests in the sample than in truth. Beside the
bias is its standard error. The error of an estimate has a linear part whose mean is 0 if the weights
are right, and which hides a small bias: the bias is given with and without it.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from pathlib import Path
from statistics import mean, pstdev
from typing import NamedTuple

from tests.benchmarks.scale import scaled
from tests.collector.simulated import DESIGNS, Window, simulate
from tests.collector.stores import EMBEDDED

WINDOWS = scaled(int(os.environ.get("SQLOBS_WINDOWS", "500")), least=5)
BINS = (("fewer than 10", 0, 10), ("10 to 29", 10, 30), ("30 and more", 30, sys.maxsize))


class Bias(NamedTuple):
    """A relative bias and its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:+.2%} (standard error {self.error:.2%})"


def coverage(windows: list[Window]) -> float:
    return mean(window.is_covered for window in windows)


def bias(windows: list[Window], *, without_chance: bool = False) -> Bias:
    """Return the mean estimate of the wrong share relative to the mean truth, less 1."""
    truth = mean(one.truth for one in windows)
    found = [1 - one.figures["weighted"] - one.chance * without_chance for one in windows]
    ratio = mean(found) / truth
    errors = [one - ratio * window.truth for one, window in zip(found, windows, strict=True)]
    return Bias(ratio - 1, pstdev(errors) / math.sqrt(len(windows)) / truth)


def main() -> None:
    """Print coverage and bias by design and by expected events."""
    for name, design in DESIGNS.items():
        with tempfile.TemporaryDirectory() as directory:
            engine = EMBEDDED.open(Path(directory))
            windows = simulate(engine, design, WINDOWS)
            engine.dispose()
        print(f"{name}: {len(windows):,} windows")
        for title, least, end in BINS:
            found = [one for one in windows if least <= one.expected_events < end]
            if found:
                print(f"  {title} events: {coverage(found):.1%} of {len(found):,} covered")
        enough = [one for one in windows if one.expected_events >= 10]
        if enough:
            print(
                f"  10 and more events: {coverage(enough):.1%} of {len(enough):,} covered, bias"
                f" {bias(enough)}, {bias(enough, without_chance=True)} without the linear part",
                flush=True,
            )
