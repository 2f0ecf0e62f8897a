"""How well rates and intervals from samples meet the rate over all requests of a window."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import mean

from tests.benchmarks.scale import scaled
from tests.collector.simulated import DESIGNS, Window, simulate
from tests.collector.stores import EMBEDDED

WINDOWS = scaled(int(os.environ.get("SQLOBS_WINDOWS", "500")), least=5)
BINS = (("fewer than 10", 0, 10), ("10 to 29", 10, 30), ("30 and more", 30, sys.maxsize))


def coverage(windows: list[Window]) -> float:
    return mean(window.is_covered for window in windows)


def bias(windows: list[Window]) -> float:
    """The mean estimate of the wrong share relative to the mean truth, less 1."""
    return (
        mean(1 - one.figures["weighted"] for one in windows) / mean(one.truth for one in windows)
        - 1
    )


def main() -> None:
    """Print coverage and bias by design and by sampled events."""
    for name, design in DESIGNS.items():
        with tempfile.TemporaryDirectory() as directory:
            engine = EMBEDDED.open(Path(directory))
            windows = simulate(engine, design, WINDOWS)
            engine.dispose()
        print(f"{name}: bias {bias(windows):.2%} of {len(windows):,} windows")
        for title, least, end in BINS:
            found = [one for one in windows if least <= one.events < end]
            if found:
                print(f"  {title} events: {coverage(found):.1%} of {len(found):,} covered")
        enough = [one for one in windows if min(one.wrong, one.requests - one.wrong) >= 10]
        if enough:
            print(
                f"  10 or more wrong requests, sampled or not: {coverage(enough):.1%} of"
                f" {len(enough):,} covered, bias {bias(enough):.2%}",
                flush=True,
            )
