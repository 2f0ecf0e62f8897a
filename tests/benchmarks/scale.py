"""How much of itself a benchmark does: all for its figures, a trace to see that it still runs."""

from __future__ import annotations

import os

SCALE = float(os.environ.get("SQLOBS_BENCH_SCALE", "1"))


def scaled(count: int, *, least: int = 1) -> int:
    """Return a count of rounds, calls or rows at this scale."""
    return max(least, round(count * SCALE))
