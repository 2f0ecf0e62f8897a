from __future__ import annotations

import gc
import os
import threading
import weakref
from time import monotonic, sleep

import pytest

from sqlobs.tracing.requests.generation import OutsideGeneration
from sqlobs.tracing.worker.background_worker import BackgroundWorker
from tests.tracing.rig import BAD, GOOD, SCHEMA, Rig

DEEP = "SELECT " + "(" * 60 + "total" + ")" * 60 + " FROM orders"
LONG = f"SELECT total FROM orders WHERE total IN ({', '.join(['1'] * 1400)})"


class Blocker:
    """A checker that waits for a sign: the worker is busy as long as the test likes."""

    def __init__(self, rig):
        self._check = rig.sqlobs.runtime.checker.check
        self.gate = threading.Event()
        self.entered = threading.Event()
        rig.sqlobs.runtime.checker.check = self

    def __call__(self, sql, resolved):
        self.entered.set()
        assert self.gate.wait(30)
        return self._check(sql, resolved)


@pytest.fixture
def deferred():
    """An instance that defers every check."""
    with Rig(mode="deferred") as rig:
        yield rig


def statuses(rig):
    """The check status of each ended generation."""
    return [span.attributes["sqlobs.check.status"] for span in rig.exporter.get_finished_spans()]


def test_deferred_spans_end_on_the_worker_at_the_time_of_the_return(deferred):
    """The end time is that of the return, whenever the check was made."""
    blocker = Blocker(deferred)
    with deferred.tracer.start_as_current_span("request"):
        assert deferred.sqlobs.trace_generation(lambda question: BAD)("q") == BAD
    assert [span.name for span in deferred.exporter.get_finished_spans()] == ["request"]
    blocker.gate.set()
    outer, inner = deferred.spans
    assert outer.start_time <= inner.start_time <= inner.end_time <= outer.end_time
    assert deferred.verdict == ("answered", "failed")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [(GOOD, None), (f"{GOOD} -- {'é' * 20}", "too_large"), (LONG, "too_large")],
    ids=["short", "long in bytes only", "long"],
)
def test_sql_beyond_the_configured_size_is_undecided(monkeypatch, sql, reason):
    """A check then holds Python's lock no longer than is wanted."""
    monkeypatch.setenv("SQLOBS_CHECK_MAX_BYTES", "60")
    with Rig(mode="inline") as rig:
        assert rig.sqlobs.trace_generation(lambda question: sql)("q") == sql
        attributes = rig.generation.attributes
    reasons = [attributes.get(f"sqlobs.{label}_reason") for label in ("syntactic", "schematic")]
    assert reasons == [reason, reason]


@pytest.mark.parametrize("sql", [DEEP, LONG], ids=["deep", "long"])
def test_auto_defers_what_takes_long_and_checks_the_rest_inline(sql):
    """Small SQL on a warm checker is on its span when the call returns; big SQL follows."""
    with Rig(mode="auto") as rig:
        generate = rig.sqlobs.trace_generation(lambda question: question)
        generate(GOOD)
        rig.sqlobs.flush(5)
        generate(GOOD.lower())
        assert len(rig.exporter.get_finished_spans()) == 2
        blocker = Blocker(rig)
        generate(sql)
        assert len(rig.exporter.get_finished_spans()) == 2
        blocker.gate.set()
        assert [span.attributes["sqlobs.verdict"] for span in rig.generations] == ["ok"] * 3


def test_at_the_deadline_the_span_ends_pending_and_the_late_verdict_is_counted(deferred):
    """The watchdog ends the span once; failures right after a deployment are in the counters."""
    OutsideGeneration(lambda: deferred.sqlobs.runtime).attempt(GOOD)  # loads the parser
    deferred.sqlobs.runtime.worker._watchdog._deadline_s = 0.1
    blocker = Blocker(deferred)
    deferred.sqlobs.trace_generation(lambda question: BAD)("q")
    until = monotonic() + 10
    while not deferred.exporter.get_finished_spans() and monotonic() < until:
        sleep(0.01)
    assert statuses(deferred) == ["pending"]
    blocker.gate.set()
    assert deferred.generation.attributes["sqlobs.verdict"] == "not_evaluated"
    assert deferred.generation.attributes["sqlobs.syntactic_reason"] == "pending"
    assert deferred.counts("sqlobs.generations", "sqlobs.verdict") == {"failed": 1}
    assert deferred.counts("sqlobs.failures", "sqlobs.failure.code") == {"schema.unknown_column": 1}


def test_the_first_check_of_a_process_may_take_longer(deferred, monkeypatch):
    """While parser and catalogs are being loaded a span waits past the usual deadline."""
    from sqlobs.tracing import checking

    monkeypatch.setattr(checking.PARSER, "is_loaded", False)
    deferred.sqlobs.runtime.worker._watchdog._deadline_s = 0.1
    blocker = Blocker(deferred)
    deferred.sqlobs.trace_generation(lambda question: BAD)("q")
    threading.Timer(0.6, blocker.gate.set).start()
    assert deferred.verdict == ("answered", "failed")
    assert deferred.generation.attributes["sqlobs.check.status"] == "complete"


def test_spans_that_wait_come_before_what_nothing_waits_for(deferred):
    """A burst's checks are all made before its units are written, and `flush` sees all of it."""
    runtime = deferred.sqlobs.runtime
    blocker, done, deliver = Blocker(deferred), [], runtime.deliver

    def note(record, schema, **told):
        done.append(len(deferred.exporter.get_finished_spans()))
        deliver(record, schema, **told)

    runtime.deliver = note
    generate = deferred.sqlobs.trace_generation(lambda question: GOOD)
    for _ in range(3):
        generate("q")
    blocker.gate.set()
    assert deferred.sqlobs.flush(30)
    assert done == [3, 3, 3]


def test_a_full_queue_ends_the_span_at_once_and_counts_it(monkeypatch):
    """Never block, never lose: status `dropped`, reason `queue_full`."""
    monkeypatch.setenv("SQLOBS_CHECK_QUEUE_SIZE", "1")
    with Rig(mode="deferred") as rig:
        blocker = Blocker(rig)
        generate = rig.sqlobs.trace_generation(lambda question: GOOD)
        generate("q")
        assert blocker.entered.wait(10)
        for _ in range(3):
            generate("q")
        assert statuses(rig)[:2] == ["dropped", "dropped"]
        blocker.gate.set()
        rig.sqlobs.flush(5)
        reasons = [s.attributes.get("sqlobs.syntactic_reason") for s in rig.generations]
        assert sorted(map(str, reasons)) == ["None", "None", "queue_full", "queue_full"]
        assert rig.counts("sqlobs.generations", "sqlobs.outcome") == {"answered": 4}


def test_a_dead_worker_is_replaced(deferred):
    """A thread that died for whatever reason is started again by the next request."""
    generate = deferred.sqlobs.trace_generation(lambda question: GOOD)
    generate("q")
    deferred.sqlobs.flush(5)
    worker = deferred.sqlobs.runtime.worker
    worker._queue.put(None)
    worker._nudge.set()
    worker._thread.join(10)
    generate("q")
    assert len(deferred.generations) == 2


def test_without_a_thread_the_request_thread_does_the_work(faults, monkeypatch):
    """A process that cannot start threads loses nothing, and `configure` does not raise."""

    def refuse(self):
        if self.name.startswith("sqlobs-"):
            raise RuntimeError("can't start new thread")
        start(self)

    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with Rig(mode="deferred") as rig:
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
        assert statuses(rig) == ["dropped"]
        monkeypatch.undo()
        assert rig.counts("sqlobs.generations", "sqlobs.outcome") == {"answered": 1}
    assert set(faults.new) == {"warm_up.start", "worker.start"}


def test_after_shutdown_a_request_starts_anew(deferred):
    """Shutdown drains; what comes later has a runtime of its own."""
    generate = deferred.sqlobs.trace_generation(lambda question: GOOD)
    for _ in range(50):
        generate("q")
    assert deferred.sqlobs.shutdown(10)
    assert len(deferred.exporter.get_finished_spans()) == 50
    generate("q")
    deferred.sqlobs.flush(5)
    assert len(deferred.exporter.get_finished_spans()) == 51


def test_shutdown_has_a_deadline(deferred):
    """A check that hangs is given up: its span ends as dropped and is counted."""
    blocker = Blocker(deferred)
    generate = deferred.sqlobs.trace_generation(lambda question: GOOD)
    generate("q"), generate("q")
    assert blocker.entered.wait(10)
    started = monotonic()
    assert not deferred.sqlobs.shutdown(0.1)
    assert monotonic() - started < 5
    assert len(deferred.exporter.get_finished_spans()) == 2
    blocker.gate.set()


def test_flush_waits_for_what_has_ended(deferred):
    """After `flush` every ended request is on its span and in the counters."""
    generate = deferred.sqlobs.trace_generation(lambda question: GOOD)
    for _ in range(300):
        generate("q")
    assert deferred.sqlobs.flush(10)
    assert len(deferred.exporter.get_finished_spans()) == 300


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_counts_its_own_and_leaves_the_parents_alone(deferred):
    """gunicorn --preload: the child starts a worker of its own; the queue stays the parent's."""
    blocker = Blocker(deferred)
    generate = deferred.sqlobs.trace_generation(lambda question: GOOD)
    generate("parent")
    assert blocker.entered.wait(10)
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            blocker.gate = threading.Event()
            blocker.gate.set()
            deferred.exporter.clear()
            deferred.sqlobs.runtime.checker.check = blocker._check
            generate("child")
            deferred.sqlobs.flush(10)
            os.write(writing, str(len(deferred.exporter.get_finished_spans())).encode())
            code = 0
        finally:
            os._exit(code)
    assert os.read(reading, 10) == b"1"
    assert os.waitpid(pid, 0)[1] == 0
    os.close(reading), os.close(writing)
    blocker.gate.set()
    assert len(deferred.generations) == 1


def test_a_worker_is_garbage_collected_with_its_instance():
    """Neither exit hooks nor fork hooks keep an instance alive."""
    worker = BackgroundWorker(capacity=1)
    worker.ensure_started()
    worker.close(5)
    reference = weakref.ref(worker)
    del worker
    gc.collect()
    assert reference() is None


def test_lambda_delivers_before_the_return(monkeypatch):
    """Where the process freezes after the return, everything is done before it."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "f")
    with Rig(schema=SCHEMA) as rig:
        rig.sqlobs.trace_generation(lambda question: DEEP)("q")
        assert statuses(rig) == ["complete"]
        assert [p.value for p in rig._points("sqlobs.generations")] == [1]
        assert rig.sqlobs.runtime.worker._thread is None
