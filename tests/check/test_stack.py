"""Deep statements run on threads with a big stack, which stay for the next one.

Tests: sqlobs.check.parsing.stack
"""

from __future__ import annotations

import gc
import os
import threading
import weakref

import pytest

from sqlobs import check_sql
from sqlobs.check.parsing.stack import (
    INLINE_TOKENS,
    MOST_IDLE,
    on_big_stack,
    start_on_big_stack,
)


class Statement:
    """What a check holds on to while it runs."""


def deep_threads() -> set[int | None]:
    """Return the threads that wait for deep statements, or run one."""
    return {thread.ident for thread in threading.enumerate() if "deep-check" in thread.name}


def test_one_thread_serves_one_caller():
    served = {on_big_stack(threading.get_ident) for _ in range(200)}
    assert len(served) <= MOST_IDLE
    assert threading.get_ident() not in served


def test_a_check_starts_no_thread(monkeypatch):
    """Statements too long for the stack of the caller, and broken ones, need a resident thread."""
    long = "SELECT " + " + ".join(["{0}"] * INLINE_TOKENS)
    texts = [text.format(number) for number in range(50) for text in (long, f"{long} FROM FROM")]
    check_sql("SELECT (" * 20, dialect="sqlite")  # the first one starts it
    started: list[threading.Thread] = []
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda own: [started.append(own), start(own)])
    labels = [check_sql(sql, dialect="sqlite", native=False).syntactic for sql in texts]
    assert (labels, started) == ([True, False] * 50, [])


def test_what_work_raises_reaches_the_caller_and_the_thread_stays():
    before = on_big_stack(threading.get_ident)
    with pytest.raises(ZeroDivisionError):
        on_big_stack(lambda: 1 / 0)
    assert before in deep_threads()
    assert on_big_stack(lambda: "next") == "next"


def test_work_on_a_big_stack_stays_there():
    assert on_big_stack(lambda: on_big_stack(threading.get_ident) == threading.get_ident())
    found: list[bool] = []
    worker = start_on_big_stack(
        lambda: found.append(on_big_stack(threading.get_ident) == threading.get_ident()), name="own"
    )
    worker.join()
    assert found == [True]


def test_callers_at_the_same_time_have_a_thread_each_and_few_threads_stay():
    count = 3 * MOST_IDLE
    together = threading.Barrier(count)

    def meet() -> int:
        together.wait(60)
        return threading.get_ident()

    served: list[int] = []
    callers = [
        threading.Thread(target=lambda: served.append(on_big_stack(meet))) for _ in range(count)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(set(served)) == count
    for thread in threading.enumerate():
        if "deep-check" in thread.name and thread.ident in served:
            thread.join(0.2)
    assert len(deep_threads()) <= MOST_IDLE


def test_a_thread_that_waits_keeps_nothing_alive():
    statement = Statement()
    held = weakref.ref(statement)

    def work(held_by_work: Statement = statement) -> None:
        assert held_by_work is not None

    on_big_stack(work)
    del statement, work
    gc.collect()
    assert held() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_child_of_a_fork_starts_threads_of_its_own():
    on_big_stack(threading.get_ident)
    child = os.fork()
    if not child:
        os._exit(0 if on_big_stack(lambda: 7) == 7 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
