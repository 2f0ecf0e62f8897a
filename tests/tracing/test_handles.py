"""A handle can be waited for, and explains what was found without ever raising."""

from __future__ import annotations

import asyncio
import threading
from time import monotonic, sleep

import pytest

import sqlobs
from sqlobs.tracing.requests.generation import OutsideGeneration
from sqlobs.tracing.worker.pace import Pace
from tests.tracing.rig import BAD, GOOD, Rig
from tests.tracing.test_background_worker import Blocker

EXPLAINED = (
    "The SQL was rejected for sqlite:\n"
    "- schema.unknown_column (line 1, column 8): Unknown column totl. Did you mean total?"
)


@pytest.fixture
def deferred():
    """An instance that defers every check."""
    with Rig(mode="deferred") as rig:
        yield rig


def ask(rig, sql):
    """Return the handle of one request that answers with this SQL."""
    with rig.sqlobs.context() as asked:
        rig.sqlobs.trace_generation(lambda question: sql)("q")
    return asked.generation


@pytest.mark.parametrize("mode", ["inline", "deferred", "auto"])
def test_after_waiting_the_report_is_there_in_every_mode(mode):
    """The README's example needs no `mode`."""
    with Rig(mode=mode) as rig:
        handle = ask(rig, BAD)
        report = handle.wait()
        assert (report.verdict, handle.report, handle.explain()) == ("failed", report, EXPLAINED)
        assert ask(rig, BAD).wait().verdict == "failed"  # an answer that was given before
        assert (ask(rig, GOOD).wait().verdict, ask(rig, GOOD).explain()) == ("ok", "")


def test_whoever_waits_makes_the_worker_look(deferred, monkeypatch):
    """It looks at its queue four to twenty times a second otherwise: a repair loop would wait."""
    ask(deferred, GOOD).wait()
    monkeypatch.setattr(Pace, "pause_s", lambda pace: 30.0)
    sleep(0.3)  # the worker waits by the new pace
    assert ask(deferred, BAD).wait(10).verdict == "failed"
    sleep(0.05)
    assert asyncio.run(ask(deferred, f"{BAD} -- 2").ready(10)).verdict == "failed"


def test_waiting_ends_in_time_and_explaining_before_the_report_is_empty(deferred):
    """The check continues without those who gave up; the next ones get its report."""
    blocker = Blocker(deferred)
    handle = ask(deferred, BAD)
    assert (handle.wait(0.05), handle.report, handle.explain()) == (None, None, "")
    assert asyncio.run(handle.ready(0.05)) is None
    blocker.gate.set()
    assert handle.wait().verdict == "failed"


def test_all_waiting_threads_are_woken(deferred):
    """Threads and event loops side by side."""
    blocker = Blocker(deferred)
    handle = ask(deferred, BAD)
    found = []
    threads = [threading.Thread(target=lambda: found.append(handle.wait())) for _ in range(4)]
    threads += [
        threading.Thread(target=lambda: found.append(asyncio.run(handle.ready()))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    sleep(0.05)
    blocker.gate.set()
    for thread in threads:
        thread.join(20)
    assert [report.verdict for report in found] == ["failed"] * 8


def test_an_event_loop_is_not_blocked_while_a_handle_is_awaited(deferred):
    """`ready` blocks nobody: the sign that ends the check comes from the same loop."""
    blocker = Blocker(deferred)
    handle = ask(deferred, BAD)

    async def main():
        asyncio.get_running_loop().call_later(0.05, blocker.gate.set)
        return await handle.ready()

    assert asyncio.run(main()).verdict == "failed"


def test_a_report_that_comes_after_the_deadline_of_the_span_reaches_the_handle(deferred):
    """The span ended as `pending`; anyone who waits still gets the verdict."""
    OutsideGeneration(lambda: deferred.sqlobs.runtime).attempt(GOOD)  # loads the parser
    deferred.sqlobs.runtime.worker._watchdog._deadline_s = 0.05
    blocker = Blocker(deferred)
    handle = ask(deferred, BAD)
    until = monotonic() + 10
    while not deferred.exporter.get_finished_spans() and monotonic() < until:
        sleep(0.01)
    assert handle.report is None
    blocker.gate.set()
    assert handle.wait().verdict == "failed"


def test_nothing_waits_inside_the_request(deferred):
    """Its end is what the check comes after; an attempt has its report at once."""
    seen = []

    def generate(question):
        handle = sqlobs.current_generation()
        seen.append(handle.wait())
        handle.attempt(BAD)
        seen.append(handle.wait().verdict)
        return GOOD

    deferred.sqlobs.trace_generation(generate)("q")
    assert seen == [None, "failed"]


@pytest.mark.parametrize(
    ("options", "answer"),
    [({"check": "off"}, BAD), ({}, None)],
    ids=["check off", "no answer"],
)
def test_wait_returns_at_once_where_nothing_is_checked(options, answer):
    """None comes long before the time is over."""
    with Rig(mode="deferred", **options) as rig:
        handle = ask(rig, answer)
        started = monotonic()
        assert (handle.wait(60), handle.explain()) == (None, "")
        assert monotonic() - started < 30


def test_outside_any_request_a_handle_answers_at_once():
    """There is nothing to wait for and nothing to explain."""
    handle = sqlobs.current_generation()
    assert (handle.wait(), asyncio.run(handle.ready()), handle.explain()) == (None, None, "")


def test_a_full_queue_wakes_waiting_threads(deferred):
    """No check will be made of a request that was refused."""
    deferred.sqlobs.runtime.worker.submit = lambda *_, **__: False
    handle = ask(deferred, BAD)
    assert handle.wait(30) is None
