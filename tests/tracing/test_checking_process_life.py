"""The life of a checking process: started, replaced, ended; and the requests meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sqlobs.tracing.checking_process import process as processes
from sqlobs.tracing.checking_process.process import (
    CheckingProcessError,
    ClosedError,
)
from tests.tracing.rig import BAD, BROKEN, GOOD, SCHEMA, VERDICTS, Rig
from tests.tracing.test_checking_process import process
from tests.tracing.test_forks import in_child

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads Linux' /proc"),
]


def is_alive(pid):
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return state_of(Path(f"/proc/{pid}")) != "Z"
    except FileNotFoundError:
        return False


def stop(pid):
    """Stop a process, and wait until each of its threads has stopped."""
    os.kill(pid, signal.SIGSTOP)
    threads = list(Path(f"/proc/{pid}/task").iterdir())
    until = time.monotonic() + 10
    while any(state_of(thread) != "T" for thread in threads) and time.monotonic() < until:
        time.sleep(0.01)


def state_of(folder):
    """Return the letter of a state of a process or thread."""
    return (folder / "stat").read_text().rpartition(")")[2].split()[0]


def is_gone(pid, seconds=10):
    """Whether a process ends in time."""
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_alive(pid)


# -- the life of the process ------------------------------------------------------------------------


def test_a_process_that_ended_between_two_checks_is_replaced():
    """Nobody sees that the system killed it: no statement was in it."""
    with process() as made:
        made.report(GOOD, SCHEMA, None)
        first = made.pid
        os.kill(first, signal.SIGKILL)
        made._started.process.wait()
        assert made.report(BAD, SCHEMA, None).verdict == "failed"
        assert made.pid != first


def test_a_statement_that_ends_the_process_is_not_checked_again():
    """It would end the next one, or the application."""
    with process() as made:
        made.report(GOOD, SCHEMA, None)
        stop(made.pid)
        threading.Timer(0.2, os.kill, (made.pid, signal.SIGKILL)).start()
        with pytest.raises(CheckingProcessError, match="ended during a check"):
            made.report(BAD, SCHEMA, None)
        assert made.report(BAD, SCHEMA, None).verdict == "failed"


def test_closing_ends_the_process_and_the_wait_for_it():
    with process() as made:
        made.report(GOOD, SCHEMA, None)
        pid = made.pid
        stop(pid)
        threading.Timer(0.2, made.close).start()
        with pytest.raises(ClosedError):
            made.report(BAD, SCHEMA, None)
        assert not is_alive(pid)
        with pytest.raises(ClosedError):
            made.report(BAD, SCHEMA, None)


def test_a_forked_child_starts_a_process_of_its_own():
    """gunicorn --preload: the parent's process and socket are not shared."""
    with process() as made:
        made.report(GOOD, SCHEMA, None)
        parents = made.pid

        def work():
            mine = made.report(BAD, SCHEMA, None)
            pid = made.pid
            made.close()
            return mine.verdict == "failed" and pid != parents and not is_alive(pid)

        assert in_child(work, timeout_s=30)
        assert made.report(BROKEN, SCHEMA, None).verdict == "failed"
        assert made.pid == parents


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "pass"])
def test_the_process_ends_with_its_owner_however_that_ends(end):
    """And not with the last child that the owner forked: each gives the socket up."""
    program = f"""
import os, time
from sqlobs import Schema
from sqlobs.tracing.checking_process.messages import Terms
from sqlobs.tracing.checking_process.process import CheckingProcess
made = CheckingProcess(Terms(native=True, strict=None, policy=None, max_bytes=99))
made.report("SELECT 1", None, "sqlite")
if os.fork() == 0:
    os.close(1), os.close(2)
    time.sleep(20)
    os._exit(0)
print(made.pid, flush=True)
{end}
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False
    )
    assert ended.returncode == (-9 if "kill" in end else 0)
    assert is_gone(int(ended.stdout))


# -- the application --------------------------------------------------------------------------------


@pytest.fixture
def rig():
    """An instance whose process is started, and the function that it traces."""
    with Rig(check="process") as made:
        made.ask = made.sqlobs.trace_generation(lambda question: question)
        ask(made, GOOD)
        join_warm_up()
        yield made


def join_warm_up():
    """Wait for the thread that starts the process, which asks it, too."""
    for thread in threading.enumerate():
        if thread.name == "sqlobs-warm-up":
            thread.join(30)


def ask(rig, *texts):
    """Have the traced function answer each text, and wait for the verdicts."""
    for text in texts:
        rig.ask(text)
    rig.sqlobs.flush(30)


def statuses(rig):
    """Verdict and reason of each generation."""
    found = [span.attributes for span in rig.generations]
    return [(one["sqlobs.verdict"], one.get("sqlobs.syntactic_reason")) for one in found]


def test_a_request_waits_for_no_check_and_a_repeated_answer_for_no_process(rig):
    """A stopped process delays nobody; a known verdict needs none."""
    pid = rig.sqlobs.runtime.checker.process.pid
    stop(pid)
    rig.ask(GOOD), rig.ask(BAD)
    assert len(rig.exporter.get_finished_spans()) == 2
    os.kill(pid, signal.SIGCONT)
    assert statuses(rig) == [("ok", None), ("ok", None), ("failed", None)]


def test_inline_the_span_has_its_verdict_when_the_call_returns():
    with Rig(mode="inline", check="process") as rig:
        rig.sqlobs.trace_generation(lambda question: question)(BAD)
        (span,) = rig.exporter.get_finished_spans()
        assert span.attributes["sqlobs.verdict"] == "failed"


def test_a_check_that_takes_too_long_is_undecided_and_its_process_ends(rig, monkeypatch):
    pid = rig.sqlobs.runtime.checker.process.pid
    monkeypatch.setattr(processes, "ANSWER_S", 0.2)
    stop(pid)
    ask(rig, BAD)
    assert not is_alive(pid)
    monkeypatch.undo()
    ask(rig, BROKEN)
    assert statuses(rig) == [("ok", None), ("not_evaluated", "timeout"), ("failed", None)]


def test_a_check_that_ends_its_process_is_counted_as_our_error(rig, faults):
    pid = rig.sqlobs.runtime.checker.process.pid
    stop(pid)
    threading.Timer(0.2, os.kill, (pid, signal.SIGKILL)).start()
    ask(rig, BAD)
    ask(rig, BROKEN)
    assert statuses(rig) == [("ok", None), ("not_evaluated", "error"), ("failed", None)]
    assert faults.new == {"check": 1}


def test_where_no_process_can_be_started_the_application_checks(faults, monkeypatch, caplog):
    """As in a container whose limit of processes is reached; one line of the log says so."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with Rig(check="process") as rig:
        rig.ask = rig.sqlobs.trace_generation(lambda question: question)
        ask(rig, *VERDICTS)
        assert [verdict for verdict, _ in statuses(rig)] == [*VERDICTS.values()]
    assert set(faults.new) == {"checking_process"}
    (line,) = [one for one in caplog.messages if "process" in one]
    assert "did not start; statements are checked in the application" in line


def test_shutdown_ends_the_process(rig):
    pid = rig.sqlobs.runtime.checker.process.pid
    rig.sqlobs.shutdown(5)
    assert not is_alive(pid)
