"""What the first traced call waits for: nothing, as `configure` and a thread have prepared it."""

from __future__ import annotations

import threading

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from sqlobs.tracing.sending.late_processor import _MOST_SPANS, LateProcessor
from sqlobs.tracing.worker.background_worker import BackgroundWorker
from sqlobs.tracing.worker.task import Errand
from tests.otlp import backend
from tests.tracing.test_processes import generations, run

PRELUDE = """
import os, sys, threading, time
from sqlobs import Schema, configure, flush, trace_generation

SCHEMA = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")
configure(service_name="shop", schema=SCHEMA, collector=os.environ["COLLECTOR"])

@trace_generation
def generate(question):
    return "SELECT totl FROM orders"

def imported_by(call):
    '''The modules that this thread imports meanwhile.'''
    found, main = [], threading.get_ident()
    class Finder:
        def find_spec(self, name, path=None, target=None):
            if threading.get_ident() == main:
                found.append(name)
    sys.meta_path.insert(0, Finder())
    call()
    del sys.meta_path[0]
    return found

def warmed_up():
    return not any(thread.name == "sqlobs-warm-up" for thread in threading.enumerate())
"""


def test_the_first_traced_call_imports_nothing_on_its_thread():
    """Right after `configure`, and once the thread that prepares has ended."""
    for wait in ("", "while not warmed_up(): time.sleep(0.01)\n"):
        with backend() as collector:
            program = wait + "print(imported_by(lambda: generate('q')))"
            assert run(program, prelude=PRELUDE, COLLECTOR=collector.endpoint) == "[]"
            assert [span["sqlobs.verdict"] for span in generations(collector)] == ["failed"]


def test_parser_and_schema_are_prepared_without_a_request():
    """The first request after a deployment is checked as fast as any other."""
    program = """
    from sqlobs.check.checker import is_prepared
    while not warmed_up(): time.sleep(0.01)
    print(is_prepared(SCHEMA))
    """
    with backend() as collector:
        assert run(program, prelude=PRELUDE, COLLECTOR=collector.endpoint) == "True"


def test_a_program_that_exits_during_the_warm_up_sends_its_requests():
    """The worker starts late, and the end waits for it."""
    with backend() as collector:
        run("for _ in range(5): generate('q')", prelude=PRELUDE, COLLECTOR=collector.endpoint)
        assert len(generations(collector)) == 5
        assert len([log for log in collector.logs if log.event_name == "sqlobs.unit"]) == 5


def test_a_fork_while_it_is_prepared_leaves_no_half_module_in_the_child():
    """A child checks like its parent, however busy the thread that imports was."""
    program = """
    children = []
    for _ in range(4):
        pid = os.fork()
        if not pid:
            from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
            generate("q")
            flush(20)
            os._exit(bool(INTERNAL_ERRORS.counts))
        children.append(pid)
    print([os.waitpid(pid, 0)[1] for pid in children])
    """
    with backend() as collector:
        printed = run(program, prelude=PRELUDE, COLLECTOR=collector.endpoint)
        assert printed == "[0, 0, 0, 0]"
        assert [span["sqlobs.verdict"] for span in generations(collector)] == ["failed"] * 4


# -- the parts ------------------------------------------------------------------------------------


def test_tasks_wait_while_threads_are_held_back():
    """No thread is started for them before the release; then all are done, in order."""
    done, worker = [], BackgroundWorker(capacity=10)
    worker.hold()
    before = threading.active_count()
    for number in range(3):
        assert worker.submit(Errand(lambda number=number: done.append(number)))
    assert (threading.active_count(), done) == (before, [])
    worker.release()
    assert worker.flush(10)
    assert done == [0, 1, 2]
    worker.close()


def test_a_flush_does_not_wait_for_the_release():
    """The end of a process may come first."""
    done, worker = [], BackgroundWorker(capacity=10)
    worker.hold()
    worker.submit(Errand(lambda: done.append(1)))
    assert worker.close(10)
    assert done == [1]
    worker.release()


def spans_to(processor, count):
    """End spans on a provider with this processor alone."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor)
    for number in range(count):
        provider.get_tracer("t").start_span(str(number)).end()
    return provider


def test_spans_that_end_before_their_exporters_are_made_are_exported():
    """None is lost, none comes twice, however they are made."""
    exporter, made = InMemorySpanExporter(), []

    def make():
        made.append(1)
        return [SimpleSpanProcessor(exporter)]

    processor = LateProcessor(make)
    provider = spans_to(processor, 3)
    assert (made, exporter.get_finished_spans()) == ([], ())
    processor.attach()
    provider.get_tracer("t").start_span("3").end()
    assert provider.force_flush()
    assert [span.name for span in exporter.get_finished_spans()] == ["0", "1", "2", "3"]
    provider.shutdown()
    assert made == [1]


def test_so_many_spans_and_no_more_wait_for_their_exporters():
    """Where nothing else makes the exporters, the next span does."""
    exporter = InMemorySpanExporter()
    provider = spans_to(LateProcessor(lambda: [SimpleSpanProcessor(exporter)]), _MOST_SPANS + 1)
    assert len(exporter.get_finished_spans()) == _MOST_SPANS + 1
    provider.shutdown()
