"""Evaluate many cases at a time, in any order, with rows in order at the end."""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.resumption import Progress
    from sqlobs.runs.case import CaseResult

_AHEAD: Final = 4
"""Cases that wait for each thread: enough to keep it busy, few enough to stop at once."""


def evaluate_cases(
    cases: Sequence[Case],
    evaluate: Callable[[Case], CaseResult],
    *,
    workers: int,
    progress: Progress[CaseResult] | None = None,
    on_row: Callable[[CaseResult], None] | None = None,
) -> list[CaseResult]:
    """Evaluate cases and return their rows in the order of the cases.

    Args:
        cases: What to evaluate.
        evaluate: Evaluates one case, from any thread, without raising.
        workers: How many cases are under way at a time.
        progress: Keeps finished rows and knows those of an earlier attempt.
        on_row: Is told about each row as it is finished, in the calling thread.
    """
    rows = dict(progress.finished) if progress is not None else {}
    for row in _rows([case for case in cases if case.index not in rows], evaluate, workers):
        rows[row.index] = row
        if progress is not None:
            progress.add(row)
        if on_row is not None:
            on_row(row)
    return [rows[case.index] for case in cases]


def _rows(
    cases: Iterable[Case], evaluate: Callable[[Case], CaseResult], workers: int
) -> Iterator[CaseResult]:
    waiting = deque(cases)
    under_way: set[Future[CaseResult]] = set()
    with ThreadPoolExecutor(workers, thread_name_prefix="sqlobs-evaluation") as pool:
        try:
            while waiting or under_way:
                while waiting and len(under_way) < workers * _AHEAD:
                    under_way.add(pool.submit(evaluate, waiting.popleft()))
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
