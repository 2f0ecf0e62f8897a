"""The collector's evaluator, store and all, against a plain loop over the same pairs.

Each figure is a ratio within one run; rounds alternate, so that a loaded machine slows all alike.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import sqlglot
from prometheus_client import CollectorRegistry

from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Target
from sqlobs_collector.evaluation.evaluator import Evaluator
from sqlobs_collector.evaluation.requests import Targets, TargetSettings
from sqlobs_collector.evaluation.scorer import Scorer
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.writing import Store
from tests.benchmarks.execution import (
    LARGE,
    MOST_PARSINGS,
    SHARE_OF_LOOP,
    SMALL,
    SQLITE_SCRIPT,
    _loop,
)
from tests.benchmarks.scale import scaled
from tests.collector import records
from tests.collector.test_units import Station, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS = scaled(5)
REPEATS = {"large": scaled(4), "small": scaled(40)}
"""How often the pairs stand in the queue, each round."""


class Bench(Station):
    """A store with an evaluator; the queue is filled again for each round."""

    def __init__(self, directory: Path, target: Target) -> None:
        super().__init__(directory)
        self.executor = Executor([target], workers=1)
        self.evaluator = Evaluator(
            StoreReader(self.engine),
            Store(self.engine),
            Scorer(
                executor=self.executor,
                targets=Targets({"shop": TargetSettings("sqlite", is_default=True)}),
            ),
            workers=1,
            flow=PipelineMetrics(CollectorRegistry()),
        )
        self._sent = 0

    def queue(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Put a unit for each pair into the queue."""
        made = []
        for reference, predicted in pairs:
            self._sent += 1
            body = {"sqlobs.query.text": predicted, "sqlobs.reference.query.text": reference}
            made.append(unit(self._sent, body=body, sqlobs__query__capture="raw"))
        self.receive(records.logs(*made))

    def work(self) -> float:
        """Work the queue off; return the seconds."""
        started = perf_counter()
        while self.evaluator.evaluate():
            pass
        return perf_counter() - started

    def close(self) -> None:
        """End the workers."""
        self.executor.close()
        super().close()


def main() -> None:
    """Print the figures with their bars."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "shop.db"
        with closing(sqlite3.connect(path)) as plain:
            plain.executescript(SQLITE_SCRIPT)
            bench = Bench(Path(directory), Target.from_url("shop", f"sqlite:///{path}"))
            _measure(bench, plain)
            bench.close()


def _measure(bench: Bench, plain: sqlite3.Connection) -> None:
    large = list(pairwise((*LARGE, LARGE[0]))) * REPEATS["large"]
    loops, ours = _rounds(bench, plain, large)
    share = statistics.median(loop / mine for loop, mine in zip(loops, ours, strict=True))
    print(f"statements of 2 ms and more: {1 / statistics.median(ours) * len(large):.0f} units/s")
    print(f"  units against a plain loop         {share:5.2f} (bar {SHARE_OF_LOOP} or more)")
    small = list(pairwise((*SMALL, SMALL[0]))) * REPEATS["small"]
    loops, ours = _rounds(bench, plain, small)
    parsing = [_parse(small) for _ in range(ROUNDS)]
    extra = (mine - loop for loop, mine in zip(loops, ours, strict=True))
    parsings = statistics.median(extra) / statistics.median(parsing)
    print(f"small statements: {1 / statistics.median(ours) * len(small):.0f} units/s")
    print(f"  overhead in parsings of both texts {parsings:5.2f} (bar {MOST_PARSINGS} or less)")


def _rounds(
    bench: Bench, plain: sqlite3.Connection, pairs: Sequence[tuple[str, str]]
) -> tuple[list[float], list[float]]:
    loops, ours = [], []
    for _ in range(ROUNDS + 1):
        bench.queue(pairs)
        started = perf_counter()
        for reference, predicted in pairs:
            _loop(plain.execute, reference, predicted)
        loops.append(perf_counter() - started)
        ours.append(bench.work())
    return loops[1:], ours[1:]


def _parse(pairs: Sequence[tuple[str, str]]) -> float:
    started = perf_counter()
    for pair in pairs:
        for sql in pair:
            sqlglot.parse(sql, read="sqlite")
    return perf_counter() - started


if __name__ == "__main__":
    main()
