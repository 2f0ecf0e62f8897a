"""What comparing two large results costs, against `set(map(tuple, rows))` of the same rows as lists.

1,000,000 rows of 10 columns: 4 integer, 4 text, 2 date; rows and columns of the second table are
permuted, and the comparison has to find that out. The plain comparison gets the columns in place.
"""

from __future__ import annotations

import datetime as dt
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from sqlobs.metrics.cells import CANONICAL
from sqlobs.metrics.comparison import equal_bags
from sqlobs.metrics.permuted_comparison import equal_permuted_bags
from sqlobs.types import ResultTable
from tests.benchmarks.scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = scaled(1_000_000, least=2_000)
ORDER = (3, 7, 1, 9, 0, 5, 4, 2, 8, 6)
BAR = 0.35
"""The permuted comparison's share of the plain one's time."""
MEMORY_BAR_MB = 250
STATUS = Path("/proc/self/status")


def lists(rows: int) -> list[list[object]]:
    """Return rows as a driver that makes lists would give them."""
    source = random.Random(2)
    days = [dt.date(2000, 1, 1) + dt.timedelta(day) for day in range(5_000)]
    return [
        [
            number,
            source.randrange(1_000),
            source.randrange(10**12),
            number % 7,
            f"customer {source.randrange(10**9)}",
            source.choice(("open", "paid", "sent", "returned")),
            f"city {number % 5_000}",
            f"a longer remark about order number {number * 7}",
            days[number % 5_000],
            days[number * 31 % 5_000],
        ]
        for number in range(rows)
    ]


def arrow(rows: list[list[object]], order: tuple[int, ...]) -> ResultTable:
    """Return an Arrow-backed table with its columns in this order."""
    columns = list(zip(*rows, strict=True))
    arrays = [pa.array(columns[place]) for place in order]
    names = [f"c{place}" for place in order]
    return ResultTable.from_arrow(pa.Table.from_arrays(arrays, names=names))


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU time of the work and the memory it took at its height, in MB."""
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again
    before = _megabytes("VmRSS")
    started = time.process_time()
    assert work()
    return time.process_time() - started, _megabytes("VmHWM") - before


def main(rows: int = ROWS) -> None:
    """Print times, ratios and memory."""
    left = lists(rows)
    right = [list(row) for row in left]
    random.Random(5).shuffle(right)
    identity = tuple(range(len(ORDER)))
    reference, permuted = arrow(left, identity), arrow(right, ORDER)
    in_place = arrow(right, identity)
    floats = [
        ResultTable.from_arrow(
            pa.table({"a": [row[2] / 7 for row in side], "b": [row[0] for row in side]})
        )  # type: ignore[operator]  # an integer
        for side in (left, right)
    ]
    work = {
        "set(map(tuple, rows))": lambda: set(map(tuple, left)) == set(map(tuple, right)),
        "bags, columns permuted": lambda: (
            equal_permuted_bags(reference, permuted, cells=CANONICAL).equal
        ),
        "bags, columns in place": lambda: equal_bags(reference, in_place, cells=CANONICAL).equal,
        "one float column, tolerance": lambda: equal_bags(*floats, cells=CANONICAL).equal,
    }
    small = arrow(left[:1_000], identity)
    assert equal_permuted_bags(small, small, cells=CANONICAL).equal  # imports what it needs
    base = 0.0
    for name, task in work.items():
        seconds, megabytes = measured(task)
        base = base or seconds
        print(f"{name:<30} {seconds:6.2f} s {seconds / base:6.2f} x {megabytes:7.0f} MB")
    print(f"bars: {BAR} x and {MEMORY_BAR_MB} MB for the permuted columns")


def _megabytes(name: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024
