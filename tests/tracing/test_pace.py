"""How long the background worker waits between two looks at its queue."""

from __future__ import annotations

from sqlobs.tracing.worker.pace import FEW, LONG_S, SHORT_S, Pace


def test_a_worker_waits_longer_after_few_tasks_that_no_span_waits_for() -> None:
    pace = Pace()
    for _ in range(FEW):
        pace.did(is_awaited=False)
    assert pace.pause_s() == LONG_S


def test_it_looks_soon_after_many_tasks() -> None:
    pace = Pace()
    for _ in range(FEW + 1):
        pace.did(is_awaited=False)
    assert (pace.pause_s(), pace.pause_s()) == (SHORT_S, LONG_S)


def test_it_looks_soon_after_a_task_that_a_span_waited_for() -> None:
    pace = Pace()
    pace.did(is_awaited=True)
    pace.did(is_awaited=False)
    assert (pace.pause_s(), pace.pause_s()) == (SHORT_S, LONG_S)
