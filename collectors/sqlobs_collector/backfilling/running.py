"""What runs a backfill: the interface of runners, and the one in this process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from queue import SimpleQueue
from typing import Final, NamedTuple, Protocol, TypeAlias

_log = logging.getLogger(__name__)

UNFINISHED: Final = "unfinished"
"""The state of a unit whose results could not be stored: the next run evaluates it."""
SKIPPED: Final = "skipped"
"""The state of a unit that was finished before, or that the collector took up meanwhile."""


class Chunk(NamedTuple):
    """Units of one target that are evaluated and stored together."""

    place: int
    """The row group that they are in, if they come from a file."""
    unit_ids: tuple[int, ...]


class UnitResult(NamedTuple):
    """What came of a unit."""

    unit_id: int
    state: str
    """Its state in the store, or `UNFINISHED`, or `SKIPPED`."""
    reason: str | None = None


Evaluate: TypeAlias = Callable[[Chunk], Sequence[UnitResult]]


class Work(Protocol):
    """What is done with chunks; can be pickled."""

    def open(self) -> AbstractContextManager[Evaluate]:
        """Open what one worker needs: it evaluates one chunk at a time."""


class Runner(Protocol):
    """Hands chunks to workers. One suite for all runners: `tests/collector/test_backfilling.py`."""

    def run(self, chunks: Sequence[Chunk], work: Work, *, workers: int) -> Iterator[UnitResult]:
        """Yield one row for each unit of each chunk, in any order.

        A chunk whose work raises, or ends its worker again and again, gives rows of the state
        `UNFINISHED` with the reason; all others go on.

        Args:
            chunks: What to do.
            work: How.
            workers: How many chunks are evaluated at a time at most, on all machines together.
        """


class PlainRunner:
    """Works in threads of this process; statements run in processes of their own in any case."""

    def run(self, chunks: Sequence[Chunk], work: Work, *, workers: int) -> Iterator[UnitResult]:
        """Open the work once for each thread."""
        idle: SimpleQueue[Evaluate] = SimpleQueue()
        with ExitStack() as stack:
            for _ in range(min(workers, len(chunks))):
                idle.put(stack.enter_context(work.open()))

            def evaluate(chunk: Chunk) -> Sequence[UnitResult]:
                worker = idle.get()
                try:
                    return evaluated(worker, chunk)
                finally:
                    idle.put(worker)

            threads = ThreadPoolExecutor(workers, thread_name_prefix="backfill")
            stack.callback(threads.shutdown, cancel_futures=True)
            for results in threads.map(evaluate, chunks):
                yield from results


def evaluated(evaluate: Evaluate, chunk: Chunk) -> Sequence[UnitResult]:
    """Return the rows of a chunk; an exception becomes the reason of its units."""
    try:
        return evaluate(chunk)
    except Exception as error:  # noqa: BLE001 - one chunk must not hold up the others
        _log.exception("cannot evaluate the units from %s on", chunk.unit_ids[0])
        return unfinished(chunk, type(error).__name__)


def unfinished(chunk: Chunk, reason: str) -> list[UnitResult]:
    """Return the rows of a chunk that was not stored."""
    return [UnitResult(unit_id, UNFINISHED, reason) for unit_id in chunk.unit_ids]
