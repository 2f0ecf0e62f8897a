"""The application is not harmed: failures inside sqlobs, slow sources, no I/O on its threads."""

from __future__ import annotations

import logging
import threading
from time import perf_counter

import pytest

from sqlobs import SchemaSource, Sqlobs, current_generation
from tests.tracing.interpreter import output_of
from tests.tracing.rig import BAD, GOOD


def test_the_request_path_does_no_io(rig, monkeypatch):
    """logfire#2187, mlflow#12885: no socket is opened on the calling thread."""
    import socket

    opened = []
    connect = socket.socket.connect

    def spy(self, *arguments):
        opened.append(threading.current_thread())
        return connect(self, *arguments)

    monkeypatch.setattr(socket.socket, "connect", spy)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    instance = Sqlobs(collector="http://127.0.0.1:9", mode="inline")
    instance.trace_generation(lambda question: GOOD)("q")
    assert threading.current_thread() not in opened
    instance.shutdown(0.1)


def test_an_internal_error_of_the_checker_does_not_affect_the_request(rig, faults, monkeypatch):
    """Both labels are None with reason `error`; value, span and count are there."""
    import sqlobs.check.checker

    def explode(*args, **kwargs):
        raise RuntimeError("canary")

    monkeypatch.setattr(sqlobs.check.checker, "check_sql", explode)

    @rig.sqlobs.trace_generation
    def generate(question):
        report = current_generation().attempt(BAD)
        assert (report.syntactic, report.schematic) == (None, None)
        assert report.verdict == "not_evaluated"
        return GOOD

    assert generate("q") == GOOD
    attributes = rig.generation.attributes
    assert attributes["sqlobs.check.status"] == "error"
    assert attributes["sqlobs.syntactic_reason"] == "error"
    assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"not_evaluated": 1}
    assert set(faults.new) == {"check"}


@pytest.mark.parametrize("target", ["__init__", "_check_or_queue", "_close"])
def test_an_internal_error_anywhere_does_not_affect_the_call(
    rig, faults, monkeypatch, caplog, target
):
    """Each hook may raise: the caller gets the same value, one line is logged."""
    from sqlobs.tracing.requests.generation_lifecycle import TracedRequest

    def explode(*args, **kwargs):
        raise ZeroDivisionError("canary")

    monkeypatch.setattr(TracedRequest, target, explode)
    generate = rig.sqlobs.trace_generation(lambda question: GOOD)
    with caplog.at_level(logging.WARNING):
        assert [generate("q") for _ in range(3)] == [GOOD] * 3
    assert sum(faults.new.values()) == 3
    assert len(caplog.records) == 1
    assert "canary" not in caplog.text


def test_a_schema_source_that_fails_or_hangs_does_not_delay_a_request(rig, faults):
    """Without a schema the label is not evaluated; the call takes no longer."""
    gate = threading.Event()

    def hang():
        gate.wait(30)
        raise OSError("canary")

    source = SchemaSource(hang)
    generate = rig.sqlobs.trace_generation(schema=source, dialect="sqlite")(lambda question: GOOD)
    started = perf_counter()
    assert generate("q") == GOOD
    assert perf_counter() - started < 5
    assert rig.generation.attributes["sqlobs.schematic_reason"] == "no_schema"
    assert set(faults.new) == {"schema"}
    gate.set()


def test_names_unknown_to_a_stale_schema_are_no_verdict(rig):
    """A schema too old to know tomorrow's column calls it nothing, and is refreshed."""
    from tests.tracing.rig import SCHEMA

    now = [0.0]
    loads = []

    def load():
        loads.append(1)
        raise OSError("unreachable")

    source = SchemaSource(load, initial=SCHEMA, ttl_s=10, max_age_s=20, clock=lambda: now[0])
    generate = rig.sqlobs.trace_generation(schema=source)(lambda question: question)
    generate(BAD)
    now[0] = 100.0
    generate(BAD)
    generate(GOOD)
    seen = [
        (span.attributes["sqlobs.verdict"], span.attributes.get("sqlobs.schematic_reason"))
        for span in rig.generations
    ]
    assert seen == [("failed", None), ("not_evaluated", "schema_stale"), ("ok", None)]
    assert loads


def test_an_unreachable_endpoint_does_not_delay_the_host():
    """Requests and exit continue; nothing is printed but one line."""
    program = """
        import os, time
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:9"
        os.environ["OTEL_EXPORTER_OTLP_TIMEOUT"] = "1"
        from sqlobs import configure, trace_generation
        configure(mode="auto", collector="http://127.0.0.1:9")

        @trace_generation
        def generate(question):
            return "SELECT 1"

        started = time.perf_counter()
        assert all(generate("q") == "SELECT 1" for _ in range(50))
        assert time.perf_counter() - started < 10
        print("ok")
    """
    assert output_of(program) == "ok"
