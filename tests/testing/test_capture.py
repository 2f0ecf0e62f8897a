from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from opentelemetry import trace as trace_api

import sqlobs
from sqlobs import Schema
from sqlobs.testing import capture_spans, span_tree
from sqlobs.tracing.instance import Sqlobs

ROOT = Path(__file__).parents[2]
SCHEMA = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")


@sqlobs.trace_generation(schema=SCHEMA)
def answer(question: str) -> str:
    """Answer with one repair."""
    generation = sqlobs.current_generation()
    generation.attempt("SELECT totl FROM orders")
    return f"SELECT total FROM orders WHERE id = {len(question)}"


def test_a_test_reads_its_spans_right_after_the_call(sqlobs_spans):
    """Inline checks, no exporter, no waiting: the span is there when the function returns."""
    assert answer("how much?") == "SELECT total FROM orders WHERE id = 9"
    assert sqlobs_spans.generation.attributes["sqlobs.verdict"] == "ok"
    assert sqlobs_spans.tree == "invoke_workflow answer\n  sqlobs.attempt\n  sqlobs.attempt"
    shown = span_tree(sqlobs_spans, attributes=["sqlobs.attempt.number", "sqlobs.verdict"])
    assert shown == (
        "invoke_workflow answer sqlobs.verdict=ok\n"
        "  sqlobs.attempt sqlobs.attempt.number=1 sqlobs.verdict=failed\n"
        "  sqlobs.attempt sqlobs.attempt.number=2 sqlobs.verdict=ok"
    )


def test_counters_and_units_are_captured_beside_the_spans(sqlobs_spans):
    """What an alert would read and what the collector would get."""
    answer("how much?")
    answer("and now?")
    assert sqlobs_spans.counter("sqlobs.generations") == 2
    assert sqlobs_spans.counter("sqlobs.attempts", sqlobs_attempt_number="1") == 2
    assert sqlobs_spans.counter("sqlobs.generations", sqlobs_verdict="failed") == 0
    assert [unit.question_text for unit in sqlobs_spans.units] == ["how much?", "and now?"]
    assert sqlobs_spans.units[0].query_text == "SELECT total FROM orders WHERE id = 9"
    assert list(sqlobs_spans.collector.schemas) == [SCHEMA.version]


def test_capturing_again_starts_empty(sqlobs_spans):
    """One test does not see what another traced; `clear` does the same within a test."""
    assert len(sqlobs_spans) == 0
    answer("how much?")
    sqlobs_spans.clear()
    assert (len(sqlobs_spans), sqlobs_spans.units) == (0, [])


def test_one_generation_is_asked_for_and_none_or_two_are_an_error(sqlobs_spans):
    """The message says how many there were."""
    with pytest.raises(AssertionError, match="captured 0"):
        _ = sqlobs_spans.generation
    answer("a")
    answer("b")
    with pytest.raises(AssertionError, match="captured 2"):
        _ = sqlobs_spans.generation


def test_what_configure_is_told_inside_stays_and_the_capture_ends(monkeypatch):
    """An application that configures itself while it is imported under test stays configured."""
    monkeypatch.delenv("SQLOBS_COLLECTOR_ENDPOINT", raising=False)
    instance = Sqlobs()
    trace = instance.trace_generation(name="late")
    with capture_spans(instance) as spans:
        instance.configure(schema=SCHEMA)
        trace(lambda: "SELECT total FROM orders")()
    assert spans.generation.attributes["sqlobs.verdict"] == "ok"
    trace(lambda: "SELECT total FROM orders")()
    instance.shutdown()
    assert len(spans) == 1
    assert instance.holder.configuration.options.schema is SCHEMA
    assert instance.holder.configuration.destination.delivers_inline is False


def test_a_capture_leaves_global_providers_alone(sqlobs_spans):
    """The application's own set-up is not in the way of its tests, nor they in its."""
    answer("a")
    assert type(trace_api.get_tracer_provider()).__module__.startswith("opentelemetry.trace")


def test_the_plugin_is_an_entry_point_and_loads_nothing_heavy():
    """pytest loads it in every project that has sqlobs installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module = project["entry-points"]["pytest11"]["sqlobs"]
    assert import_module(module).sqlobs_spans is not None
    program = (
        f"import sys, {module}\n"
        "heavy = {'sqlglot', 'opentelemetry', 'pydantic', 'wrapt', 'httpx', 'openai'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert completed.stdout == "[]\n"


LISTENER = """
import ast, sys, threading

parse = ast.parse

def listen(source, filename="<unknown>", *args, **options):
    if threading.current_thread() is not threading.main_thread():
        print("parsed on a thread:", filename)
    return parse(source, filename, *args, **options)

ast.parse = listen
"""


def test_no_module_is_parsed_while_the_worker_runs(tmp_path):
    """CPython 3.11 may fail where two threads parse at once, as pytest does in its imports."""
    (tmp_path / "listener.py").write_text(LISTENER)
    options = ["-B", "-m", "pytest", "-qs", "-p", "no:cacheprovider", "-p", "listener"]
    completed = subprocess.run(
        [sys.executable, *options, "examples/test_my_generator.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONPYCACHEPREFIX": str(tmp_path)},
    )
    assert completed.returncode == 0, completed.stdout
    assert "parsed on a thread" not in completed.stdout
