"""Whole programs against a real OTLP backend: exit, fork, preload, pools, no SDK, late set-up."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.otlp import backend, counted, values_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PRELUDE = """
import os, sys, time
from sqlobs import Schema, configure, context, current_generation, flush, shutdown
from sqlobs import trace_generation, trace_execution

SCHEMA = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")
configure(service_name="shop", schema=SCHEMA, mode=os.environ.get("MODE", "auto"))

@trace_generation
def generate(question):
    return "SELECT totl FROM orders"
"""


@pytest.fixture
def vendor():
    """The backend that `OTEL_*` variables name."""
    with backend() as received:
        yield received


@pytest.fixture
def collector():
    """The collector."""
    with backend() as received:
        yield received


FORKS = {"PYTHONWARNINGS": "ignore:This process:DeprecationWarning"}
"""Python 3.12 and later warn of every fork of a process with threads."""


def run(program, *, prelude=PRELUDE, **environment):
    """Run a program in a fresh interpreter; it must exit well and say nothing on stderr."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "SQLOBS_"))}
    completed = subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(program)],
        env={**clean, **FORKS, **environment},
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=50,
        check=False,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    return completed.stdout.strip()


def to(vendor):
    """The variables of a process whose telemetry goes to a backend."""
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": vendor.endpoint,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    }


def generations(vendor):
    """The attributes of every generation span that arrived."""
    return [
        values_of(span.attributes)
        for span in vendor.spans
        if span.name.startswith("invoke_workflow")
    ]


@pytest.mark.parametrize("mode", ["auto", "inline", "deferred"])
def test_at_exit_everything_is_sent(vendor, mode):
    """A program that just ends loses no span and no count."""
    run("for _ in range(20): generate('q')", MODE=mode, **to(vendor))
    spans = generations(vendor)
    assert [span["sqlobs.verdict"] for span in spans] == ["failed"] * 20
    assert sum(counted(vendor, "sqlobs.generations").values()) == 20


def test_units_go_to_the_collector_one_per_request(vendor, collector):
    """Raw SQL and question in the unit's body; nothing of them reaches the vendor."""
    program = """
    with context(reference="SELECT 'canary1'", hints="canary2"):
        for number in range(10):
            generate(f"How many canary3 {number}?")
    """
    run(program, SQLOBS_COLLECTOR_ENDPOINT=collector.endpoint, **to(vendor))
    units = [record for record in collector.logs if record.event_name == "sqlobs.unit"]
    assert len(units) == 10
    spans = {span.span_id for span in vendor.spans if span.name != "sqlobs.context"}
    assert {unit.span_id for unit in units} == spans
    body = {pair.key: pair.value.string_value for pair in units[0].body.kvlist_value.values}
    assert body["sqlobs.query.text"] == "SELECT totl FROM orders"
    assert body["sqlobs.question.text"].startswith("How many canary3")
    assert body["sqlobs.reference.query.text"] == "SELECT 'canary1'"
    assert b"canary" not in vendor.raw


def test_with_a_collector_alone_everything_goes_there(collector):
    """Traces and metrics follow the units where no OTEL variable names another place."""
    run("generate('q')", SQLOBS_COLLECTOR_ENDPOINT=collector.endpoint)
    assert len(generations(collector)) == 1
    assert sum(counted(collector, "sqlobs.generations").values()) == 1
    assert [r.event_name for r in collector.logs if r.event_name == "sqlobs.unit"] == [
        "sqlobs.unit"
    ]


def test_without_any_endpoint_nothing_is_sent_and_the_handle_has_ids():
    """No variable, no collector: silent, and an id for feedback anyway."""
    program = """
    with context() as ctx:
        generate("q")
    version, trace, span, flags = ctx.generation.id.split("-")
    assert (version, len(trace), len(span)) == ("00", 32, 16), ctx.generation.id
    assert int(trace, 16) and int(span, 16)
    print("ok")
    """
    assert run(program) == "ok"


def test_a_disabled_sdk_sends_nothing_and_still_checks(vendor, collector):
    """`OTEL_SDK_DISABLED` stops spans, metrics and units; attempts are checked."""
    program = """
    @trace_generation
    def repaired(question):
        report = current_generation().attempt("SELECT totl FROM orders")
        assert report.unknown_columns == ("totl",)
        return report.fixed_sql

    with context() as ctx:
        assert repaired("q") == "SELECT total FROM orders"
    print(generate("q"))
    """
    environment = {"SQLOBS_COLLECTOR_ENDPOINT": collector.endpoint, **to(vendor)}
    printed = run(program, OTEL_SDK_DISABLED="true", **environment)
    assert printed == "SELECT totl FROM orders"
    assert vendor.requests == []
    assert collector.requests == []


def test_the_application_may_set_its_provider_after_configure(vendor):
    """Providers are resolved at the first request; the application's own is used and kept."""
    program = """
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    theirs = TracerProvider(resource=Resource.create({"service.name": "theirs"}))
    theirs.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(theirs)
    generate("q")
    assert trace.get_tracer_provider() is theirs
    """
    run(program, **to(vendor))
    assert len(generations(vendor)) == 1
    assert [r["service.name"] for r in vendor.resources("/v1/traces")] == ["theirs"]


def test_configure_is_idempotent(vendor):
    """The same again changes nothing, in the middle of the work or before it."""
    program = """
    generate("q")
    configure(service_name="shop", schema=SCHEMA, mode=os.environ.get("MODE", "auto"))
    generate("q")
    """
    run(program, **to(vendor))
    assert len({instance for instance, _ in counted(vendor, "sqlobs.generations")}) == 1
    assert len(generations(vendor)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("mode", ["auto", "deferred"])
def test_issue_08_workers_forked_after_the_import_are_alive(vendor, mode):
    """gunicorn --preload: decorated before the fork, served after it; nobody waits for a lock."""
    program = """
    children = []
    for _ in range(3):
        pid = os.fork()
        if not pid:
            for _ in range(5):
                generate("q")
            sys.exit(0)
        children.append(pid)
    codes = [os.waitpid(pid, 0)[1] for pid in children]
    assert codes == [0, 0, 0], codes
    """
    run(program, MODE=mode, **to(vendor))
    assert len(generations(vendor)) == 15
    per_process = {}
    for (instance, _), value in counted(vendor, "sqlobs.generations").items():
        per_process[instance] = per_process.get(instance, 0) + value
    assert sorted(per_process.values()) == [5, 5, 5]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_parent_that_served_before_the_fork_keeps_its_own_counts(vendor):
    """Parent and child count apart, under instance ids of their own."""
    program = """
    for _ in range(5):
        generate("q")
    pid = os.fork()
    if not pid:
        generate("q")
        flush(10)
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    """
    run(program, **to(vendor))
    per_process = {}
    for (instance, _), value in counted(vendor, "sqlobs.generations").items():
        per_process[instance] = per_process.get(instance, 0) + value
    assert sorted(per_process.values()) == [1, 5]
    assert len(generations(vendor)) == 6


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_multiprocessing_send_before_they_leave(vendor, tmp_path, method):
    """They end by `os._exit`, past `atexit`: a finalizer of multiprocessing drains."""
    script = tmp_path / "jobs.py"
    script.write_text(
        PRELUDE
        + textwrap.dedent(
            f"""
            import multiprocessing

            def work(number):
                for _ in range(4):
                    generate("q")

            if __name__ == "__main__":
                context = multiprocessing.get_context({method!r})
                children = [context.Process(target=work, args=(n,)) for n in range(2)]
                for child in children:
                    child.start()
                for child in children:
                    child.join()
                assert [child.exitcode for child in children] == [0, 0]
            """
        )
    )
    _run_script(script, vendor)
    assert len(generations(vendor)) == 8
    assert sum(counted(vendor, "sqlobs.generations").values()) == 8


def _run_script(script, vendor):
    """Run a file: spawned children import the main module by its path."""
    completed = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **to(vendor)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (completed.returncode, completed.stderr) == (0, "")


def test_shutdown_in_a_batch_job_sends_everything(vendor):
    """After `shutdown` nothing waits for the exit."""
    program = """
    for _ in range(30):
        generate("q")
    assert shutdown()
    os._exit(0)
    """
    run(program, MODE="deferred", **to(vendor))
    assert len(generations(vendor)) == 30
    assert sum(counted(vendor, "sqlobs.generations").values()) == 30


def test_an_unsampled_trace_is_counted_and_sent_as_a_unit(vendor, collector):
    """Counters and units do not depend on the trace sampler."""
    environment = {"SQLOBS_COLLECTOR_ENDPOINT": collector.endpoint, **to(vendor)}
    program = """
    with context() as ctx:
        for _ in range(5):
            generate("q")
    assert ctx.generation.id.endswith("-00"), ctx.generation.id
    assert len({generation.id for generation in ctx.generations}) == 5
    """
    run(program, OTEL_TRACES_SAMPLER="always_off", **environment)
    assert generations(vendor) == []
    assert sum(counted(vendor, "sqlobs.generations").values()) == 5
    assert len([r for r in collector.logs if r.event_name == "sqlobs.unit"]) == 5


@pytest.mark.parametrize("ending", ["assert not shutdown(12)", "pass"])
def test_an_unreachable_collector_does_not_affect_the_backend(vendor, ending):
    """Spans and counts arrive, and the count says what the collector did not get; so does a log."""
    program = PRELUDE + f"generate('q')\n{ending}\n"
    completed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SQLOBS_COLLECTOR_ENDPOINT": "http://127.0.0.1:9", **to(vendor)},
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=50,
        check=False,
    )
    assert completed.returncode == 0
    assert len(generations(vendor)) == 1
    assert sum(counted(vendor, "sqlobs.generations").values()) == 1
    [((_, labels), lost)] = counted(vendor, "sqlobs.export.failures").items()
    assert (dict(labels)["sqlobs.signal"], lost) == ("unit", 1)
    lines = sorted(completed.stderr.splitlines())
    assert [line.partition(" (")[0] for line in lines] == [
        "sqlobs: the collector at http://127.0.0.1:9 does not answer; units are queued",
        "sqlobs: units lost: 1; the process ended before they were sent",
    ]
