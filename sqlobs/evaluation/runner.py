"""Evaluate many cases at a time, in any order, with rows in order at the end."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import groupby
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.resumption import Progress
    from sqlobs.runs.case import CaseResult

    Evaluate = Callable[[Sequence[Case]], Generator[CaseResult]]

_MOST_TOGETHER: Final = 32
"""Cases of one database that a thread takes in one go."""

_SHARES: Final = 4
"""A short set has at least so many parts for each thread: none is left with all the rest."""

_HOLD_S: Final = 0.1
"""Finished rows are handed on together, but not later than that."""


def evaluate_cases(
    cases: Sequence[Case],
    evaluate: Evaluate,
    *,
    workers: int,
    progress: Progress[CaseResult] | None = None,
    on_row: Callable[[CaseResult], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> list[CaseResult]:
    """Evaluate cases and return their rows in the order of the cases.

    Args:
        cases: What to evaluate.
        evaluate: Evaluates some cases of one database, from any thread, without raising.
        workers: How many threads do so.
        progress: Keeps finished rows and knows those of an earlier attempt.
        on_row: Called with each finished row, in the calling thread.
        on_stop: Ends what `evaluate` waits for, where the caller is interrupted.
    """
    rows = dict(progress.finished) if progress is not None else {}
    missing = [case for case in cases if case.index not in rows]
    crew = _Crew(_parts(missing, workers), evaluate, on_stop)
    with closing(crew.work(workers)) as finished:
        for some in finished:
            rows.update((row.index, row) for row in some)
            if progress is not None:
                progress.add(some)
            if on_row is not None:
                for row in some:
                    on_row(row)
    return [rows[case.index] for case in cases]


def _parts(cases: Sequence[Case], workers: int) -> Iterator[Sequence[Case]]:
    """Cut a set into runs of cases of one database."""
    most = min(_MOST_TOGETHER, -(-len(cases) // (workers * _SHARES)))
    for _, group in groupby(cases, key=lambda case: case.db):
        same = list(group)
        for at in range(0, len(same), most):
            yield same[at : at + most]


class _Crew:
    """Threads that take part after part and hand finished rows to the caller."""

    def __init__(
        self,
        parts: Iterable[Sequence[Case]],
        evaluate: Evaluate,
        on_stop: Callable[[], None] | None,
    ) -> None:
        self._is_stopping = threading.Event()
        self._waiting = deque(parts)
        self._evaluate = evaluate
        self._on_stop = on_stop
        self._finished: SimpleQueue[Sequence[CaseResult] | BaseException | None] = SimpleQueue()

    def work(self, workers: int) -> Generator[Sequence[CaseResult]]:
        """Yield rows in the order of completion, until all parts are done.

        Raises:
            BaseException: What ended a thread.
        """
        with ThreadPoolExecutor(workers, thread_name_prefix="sqlobs-evaluation") as pool:
            for _ in range(workers):
                pool.submit(self._take_parts)
            try:
                yield from self._rows(workers)
            except BaseException:  # an interrupt, or the caller stopped iterating
                self._stop()
                raise

    def _rows(self, busy: int) -> Iterator[Sequence[CaseResult]]:
        while busy:
            found = self._finished.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                busy -= 1
            else:
                yield found

    def _stop(self) -> None:
        self._is_stopping.set()
        if self._on_stop is not None:
            self._on_stop()

    def _take_parts(self) -> None:
        try:
            while self._waiting and not self._is_stopping.is_set():
                try:
                    part = self._waiting.popleft()
                except IndexError:  # another thread was faster
                    break
                self._take(part)
        except BaseException as error:  # noqa: BLE001 - raised again where the rows are taken
            self._finished.put(error)
        finally:
            self._finished.put(None)

    def _take(self, part: Sequence[Case]) -> None:
        held: list[CaseResult] = []
        since = monotonic()
        with closing(self._evaluate(part)) as rows:
            for row in rows:
                held.append(row)
                if self._is_stopping.is_set():
                    break
                if monotonic() - since > _HOLD_S:
                    self._finished.put(held)
                    held, since = [], monotonic()
        self._finished.put(held)
