from __future__ import annotations

import asyncio
import threading

import pytest
from sqlalchemy.exc import OperationalError

from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from tests.collector.running import wait_until

LONG_S = 600.0


def test_the_worker_continues_without_a_pause_while_there_is_work():
    """The wait begins when a turn found nothing left."""
    left = [LONG_S, AT_ONCE, AT_ONCE, AT_ONCE]
    follower = PollingWorker("test", left.pop)
    follower.start()
    wait_until(lambda: not left)
    follower.stop()


def test_a_notification_ends_the_wait():
    """Anyone who brings work says so."""
    turns = threading.Semaphore(0)

    def turn() -> float:
        turns.release()
        return LONG_S

    follower = PollingWorker("test", turn)
    follower.start()
    assert turns.acquire(timeout=20)
    follower.notify()
    assert turns.acquire(timeout=20)
    follower.stop()


def test_a_failed_turn_is_retried(caplog):
    """One bad moment must not end a stage."""
    failures = [ZeroDivisionError()]
    done = threading.Event()

    def turn() -> float:
        if failures:
            raise failures.pop()
        done.set()
        return LONG_S

    follower = PollingWorker("test", turn)
    follower.start()
    follower.notify()
    assert done.wait(20)
    follower.stop()
    assert "test failed and will be retried" in caplog.text


def test_what_the_store_complains_of_is_logged_once_and_without_its_values(caplog):
    """However many turns fail; and that it works again."""
    turns = []
    done = threading.Event()

    def turn() -> float:
        turns.append(None)
        if len(turns) <= 3:
            broken = OSError("duplicate key\nDETAIL:  Key (id)=(a text)")
            raise OperationalError("INSERT INTO unit VALUES (?)", ("a text",), broken)
        done.set()
        return LONG_S

    follower = PollingWorker("projector", turn)
    follower.start()
    assert done.wait(20)
    follower.stop()
    assert [record.getMessage() for record in caplog.records] == [
        "projector failed and will be retried: duplicate key",
        "projector works again",
    ]
    assert "a text" not in caplog.text


def test_stop_drains_within_its_timeout(caplog):
    """With time: until nothing is left. Without: the turn in progress is the last."""
    for drain_s, expected in ((0.0, 1), (LONG_S, 4)):
        began, goes_on = threading.Event(), threading.Event()
        turns = []

        def turn(began=began, goes_on=goes_on, turns=turns) -> float:
            began.set()
            assert goes_on.wait(20)
            turns.append(1)
            return AT_ONCE if len(turns) < 4 else LONG_S

        follower = PollingWorker("test", turn, drain_s=drain_s)
        follower.start()
        assert began.wait(20)
        stopping = threading.Thread(target=follower.stop)
        stopping.start()
        wait_until(lambda follower=follower: follower.is_stopping)
        goes_on.set()
        stopping.join()
        assert len(turns) == expected
    assert caplog.text == ""


def test_what_is_left_after_the_drain_is_said(caplog):
    """Endless work ends anyway, and the log tells that it was not all."""
    follower = PollingWorker("test", lambda: AT_ONCE, drain_s=0.05)
    follower.start()
    follower.stop()
    follower.stop()
    assert "stopped with work left" in caplog.text


def test_stop_without_start_does_nothing():
    """A stage that never ran can be stopped."""
    PollingWorker("test", lambda: LONG_S).stop()


def test_stop_leaves_a_long_read_behind():
    """A collector that is to end must not wait for a gauge over millions of units."""
    begun, may_end = threading.Event(), threading.Event()

    def turn() -> float:
        begun.set()
        may_end.wait(LONG_S)
        return LONG_S

    follower = PollingWorker("test", turn, only_reads=True)
    follower.start()
    assert begun.wait(20)
    [thread] = [one for one in threading.enumerate() if one.name == "sqlobs-test"]
    follower.stop()
    assert (thread.is_alive(), thread.daemon) == (True, True)
    may_end.set()
    thread.join(20)
    assert not thread.is_alive()


def test_what_a_turn_has_begun_is_canceled_after_the_grace():
    """A call that never ends must not hold up the stop."""
    begun = threading.Event()

    async def call() -> None:
        begun.set()
        await asyncio.Event().wait()

    async def begin() -> None:
        task = asyncio.create_task(call())
        await follower.finish({task}, grace_s=0)
        fates.append(task.cancelled())

    def turn() -> float:
        asyncio.run(begin())
        return LONG_S

    fates: list[bool] = []
    follower = PollingWorker("test", turn)
    follower.start()
    assert begun.wait(20)
    follower.stop()
    assert fates == [True]


def test_the_first_failure_ends_what_was_begun_with_it():
    """Nothing runs on behind the back of a turn that failed."""

    async def fail() -> None:
        raise ZeroDivisionError

    async def begin() -> bool:
        other = asyncio.create_task(asyncio.Event().wait())
        with pytest.raises(ZeroDivisionError):
            await PollingWorker("test", lambda: LONG_S).finish(
                {asyncio.create_task(fail()), other}, grace_s=LONG_S
            )
        return other.cancelled()

    assert asyncio.run(begin())
