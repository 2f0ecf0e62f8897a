"""`check="auto"`: a single thread checks by itself, and a process as soon as somebody could wait."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time

import pytest

from sqlobs import current_generation
from sqlobs.testing import capture_spans
from sqlobs.tracing.checking import Checker
from sqlobs.tracing.checking_process import auto_checker
from sqlobs.tracing.checking_process import process as processes
from sqlobs.tracing.checking_process.auto_checker import AutoChecker
from sqlobs.tracing.checking_process.checker import ProcessChecker
from sqlobs.tracing.checking_process.process import CheckingProcess, ClosedError
from tests.tracing.rig import BAD, GOOD, SCHEMA, VERDICTS, Rig
from tests.tracing.test_checking_process import TERMS
from tests.tracing.test_checking_process_life import is_alive
from tests.tracing.test_forks import in_child

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


class Starts:
    """Starts of the checking process: held back, until a test lets one happen."""

    def __init__(self):
        self.count = 0
        self.gate = threading.Event()


@pytest.fixture
def starts(monkeypatch):
    """Starts of the process that wait for the test; none is left waiting at its end."""
    made, warm_up = Starts(), ProcessChecker.warm_up

    def held(checker, resolved):
        made.count += 1
        assert made.gate.wait(30)
        warm_up(checker, resolved)

    monkeypatch.setattr(ProcessChecker, "warm_up", held)
    yield made
    made.gate.set()


@pytest.fixture
def rig(starts):
    """An instance whose parser is loaded, and the function that it traces."""
    with Rig(check="auto") as made:
        made.ask = made.sqlobs.trace_generation(lambda question: question)
        made.ask(GOOD)
        made.sqlobs.flush(30)
        made.checker = made.sqlobs.runtime.checker
        yield made
        starts.gate.set()


def on_loop(call, *arguments):
    """Call a function on a running event loop."""

    async def run():
        return call(*arguments)

    return asyncio.run(run())


def on_thread(call, *arguments):
    """Call a function on another thread."""
    thread = threading.Thread(target=call, args=arguments)
    thread.start()
    thread.join()


def verdicts(rig):
    """The verdict of each generation so far."""
    return [span.attributes["sqlobs.verdict"] for span in rig.generations]


def wait_until(condition, seconds=30):
    """Whether a condition becomes true in time."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


# -- who checks -------------------------------------------------------------------------------------


def test_for_a_single_thread_no_process_is_started(rig, starts):
    """A script, a synchronous worker: the span has its verdict when the call returns."""
    rig.ask(BAD)
    assert len(rig.exporter.get_finished_spans()) == 2
    with rig.sqlobs.trace_generation(name="block"):
        assert current_generation().attempt(BAD).verdict == "failed"
    assert rig.sqlobs.flush(30)
    assert starts.count == 0


@pytest.mark.parametrize(("call", "mode"), [(on_loop, "auto"), (on_thread, "inline")])
def test_a_loop_or_a_second_thread_starts_one_and_nobody_waits_for_it(starts, call, mode):
    """Until it is up the application checks; after that nothing is parsed in it."""
    with Rig(check="auto", mode=mode) as rig:
        rig.checker = rig.sqlobs.runtime.checker
        ask = rig.sqlobs.trace_generation(lambda question: question)
        ask(GOOD)
        for sql in VERDICTS:
            call(ask, sql)
        assert verdicts(rig) == ["ok", *VERDICTS.values()]
        assert starts.count == 1
        starts.gate.set()
        assert wait_until(lambda: rig.checker.is_up)
        rig.checker._here.check = None
        for sql in VERDICTS:
            call(ask, f"{sql} -- again")
        assert verdicts(rig) == ["ok", *VERDICTS.values(), *VERDICTS.values()]
        assert starts.count == 1


def test_a_long_statement_waits_for_the_process_on_the_worker(rig, starts):
    """Neither the loop nor the application checks it; short ones do not wait."""
    long = BAD + " -- a comment" * 100
    here, checked_here = rig.checker._here.check, []
    rig.checker._here.check = lambda sql, resolved: (checked_here.append(sql), here(sql, resolved))[
        1
    ]
    on_loop(rig.ask, BAD)
    assert wait_until(lambda: len(rig.exporter.get_finished_spans()) == 2)
    on_loop(rig.ask, long)
    starts.gate.set()
    assert verdicts(rig) == ["ok", "failed", "failed"]
    assert checked_here == [BAD]
    assert rig.checker.is_up


def test_a_long_statement_is_checked_here_where_the_start_takes_too_long(rig, monkeypatch):
    monkeypatch.setattr(auto_checker, "START_WAIT_S", 0.01)
    on_loop(rig.ask, BAD + " -- a comment" * 100)
    assert verdicts(rig) == ["ok", "failed"]
    assert not rig.checker.is_up


def test_on_a_loop_no_check_is_waited_for(rig, starts):
    """Neither by the request nor by an awaited attempt, which waits on another thread."""
    starts.gate.set()
    on_loop(rig.ask, BAD)
    assert wait_until(lambda: rig.checker.is_up)
    threads = []
    check = rig.checker.check
    rig.checker.check = lambda *given: (threads.append(threading.current_thread()), check(*given))[
        1
    ]

    @rig.sqlobs.trace_generation
    async def repair(question):
        report = await current_generation().aattempt(f"{BAD} -- 2")
        return f"{GOOD} -- {report.verdict}"

    assert asyncio.run(repair("q")) == f"{GOOD} -- failed"
    assert verdicts(rig) == ["ok", "failed", "ok"]
    assert len(threads) == 2
    assert threading.main_thread() not in threads


def test_a_process_that_ended_is_started_again_in_the_background(rig, starts):
    """As after the system killed it: statements are checked here meanwhile."""
    starts.gate.set()
    on_loop(rig.ask, BAD)
    assert wait_until(lambda: rig.checker.is_up)
    starts.gate.clear()
    ended = rig.checker.process_id
    os.kill(ended, 9)
    assert wait_until(lambda: not rig.checker._there.process.is_ready)
    on_loop(rig.ask, f"{BAD} -- 2")
    assert verdicts(rig) == ["ok", "failed", "failed"]
    starts.gate.set()
    assert wait_until(lambda: rig.checker.is_up)
    assert rig.checker.process_id not in (None, ended)
    assert starts.count == 2


@pytest.mark.parametrize(
    ("target", "name", "value"),
    [(sys, "executable", "/nowhere/python"), (sys, "frozen", True), (os, "name", "nt")],
)
def test_where_none_can_be_started_the_application_checks(
    monkeypatch, faults, caplog, target, name, value
):
    """Also where `sys.executable` is the application itself; one line of the log says so."""
    with Rig(check="auto") as rig:
        ask = rig.sqlobs.trace_generation(lambda question: question)
        monkeypatch.setattr(target, name, value, raising=False)
        for sql in VERDICTS:
            on_loop(ask, sql)
            on_loop(ask, f"{sql} -- again")
            assert rig.sqlobs.flush(30)
        monkeypatch.undo()
        assert wait_until(lambda: faults.new)
        assert verdicts(rig) == [one for one in VERDICTS.values() for _ in range(2)]
    assert set(faults.new) == {"checking_process"}
    (line,) = [one for one in caplog.messages if "process" in one]
    assert "did not start; statements are checked in the application" in line


# -- where it stays ---------------------------------------------------------------------------------


class Engine:
    """An engine of the application's own."""

    is_quick = True

    def verdict(self, sql):
        """Know nothing."""


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, AutoChecker),
        ({"native": Engine()}, Checker),
        ({"check": "application"}, Checker),
        ({"check": "off"}, Checker),
    ],
)
def test_the_default_is_auto_but_for_an_engine_of_the_application(monkeypatch, options, kind):
    monkeypatch.delenv("SQLOBS_CHECK")
    with Rig(**options) as rig:
        assert type(rig.sqlobs.runtime.checker) is kind


@pytest.mark.parametrize("variable", ["AWS_LAMBDA_FUNCTION_NAME", "OTEL_SDK_DISABLED"])
def test_a_frozen_function_and_a_disabled_instance_start_none(monkeypatch, variable):
    monkeypatch.setenv(variable, "true")
    with Rig(check="auto") as rig:
        assert type(rig.sqlobs.runtime.checker) is Checker


def test_captured_spans_are_checked_in_the_application(rig, starts):
    """The fixture of users' tests: also on a loop, which most web frameworks test with."""
    with capture_spans(rig.sqlobs) as spans:
        on_loop(rig.ask, BAD)
        assert spans.generation.attributes["sqlobs.verdict"] == "failed"
    assert starts.count == 0


# -- forks and the end ------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_worker_decides_for_itself(rig, starts):
    """gunicorn --preload: threads of the parent, and a start in progress, are not the child's."""
    on_loop(rig.ask, BAD)
    assert wait_until(lambda: starts.count == 1)

    def work():
        rig.ask(BAD)
        rig.sqlobs.flush(30)
        return starts.count == 1 and type(rig.sqlobs.runtime.checker) is AutoChecker

    assert in_child(work, timeout_s=30)


def test_a_process_that_starts_during_the_shutdown_ends_with_it(monkeypatch):
    """A short program on a loop: it does not wait for a process that nobody needs."""
    made, pids, start = CheckingProcess(TERMS), [], processes._start

    def closed_meanwhile():
        started = start()
        pids.append(started.process.pid)
        made.close()
        return started

    monkeypatch.setattr(processes, "_start", closed_meanwhile)
    monkeypatch.setattr(processes, "CLOSE_S", 0.01)
    with pytest.raises(ClosedError):
        made.report(BAD, SCHEMA, None)
    assert not is_alive(pids[0])


def test_the_shutdown_waits_for_no_start(rig, starts):
    on_loop(rig.ask, BAD)
    assert wait_until(lambda: starts.count == 1)
    begun = time.monotonic()
    rig.sqlobs.shutdown(5)
    assert time.monotonic() - begun < 4
    assert verdicts(rig) == ["ok", "failed"]
