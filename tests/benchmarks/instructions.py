"""Python instructions that a request and a check execute, counted, not timed.

Bytecode instructions of one thread, those of OpenTelemetry and wrapt included; the compiled parser
and other C code do not count. The same run counts the same on every machine, so `make test` compares
with `instructions.json`: `python -m tests.benchmarks.instructions --record` writes it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from sqlobs import Sqlobs
from sqlobs.check.assessment import Request, assess
from sqlobs.check.engine.profile import profile_of
from tests.agreement.own import clinic
from tests.agreement.own import statements as own_statements
from tests.benchmarks.model_statements import schema_of, statements
from tests.benchmarks.scale import scaled
from tests.benchmarks.tracing import instance as new_instance
from tests.benchmarks.tracing import provider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

RECORDED = Path(__file__).with_suffix(".json")
REQUESTS = scaled(30, least=6)
STATEMENTS = scaled(20, least=3)
TABLES = 10
DIALECTS = ("sqlite", "postgres", "mysql", "duckdb", "clickhouse", "spark")
PACKAGES = ("opentelemetry-sdk", "sqlglot", "wrapt")


class InstructionCount:
    """Counts the instructions of threads that start, or of a block, while it is on."""

    def __init__(self) -> None:
        self.value = 0

    def trace(self, frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        """Count; the interpreter calls it before each instruction."""
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self.value += event == "opcode"
        return self.trace

    def of(self, call: Callable[[], object]) -> int:
        """Return the instructions of a call on this thread."""
        before = self.value
        sys.settrace(self.trace)
        try:
            call()
        finally:
            sys.settrace(None)
        return self.value - before


def answer(sql: str) -> str:
    """Answer at once: the statement of a request is its question."""
    return sql


def traced(mode: str) -> tuple[Sqlobs, Callable[[str], str]]:
    """Return an instance and its traced function, after a request."""
    instance = Sqlobs(
        tracer_provider=provider(),
        meter_provider=MeterProvider(metric_readers=[InMemoryMetricReader()]),
        schema=schema_of(TABLES),
        mode=mode,
    )
    call = instance.trace_generation(answer)
    for sql in islice(statements(TABLES, seed=1), 10):
        call(sql)
    instance.flush()
    return instance, call


def per_request(call: Callable[[str], str], texts: Iterable[str]) -> int:
    """Return the instructions of a request on its own thread, in the mean."""
    count, asked = InstructionCount(), list(texts)
    total = sum(count.of(lambda sql=sql: call(sql)) for sql in asked)  # type: ignore[misc]
    return round(total / len(asked))


def of_requests() -> dict[str, int]:
    """Return the instructions of a request in each mode, and of the worker behind it."""
    texts = list(islice(statements(TABLES, seed=2), REQUESTS))
    found = {}
    for mode in ("inline", "deferred"):
        instance, call = traced(mode)
        found[f"{mode}, distinct statements"] = per_request(call, texts)
        instance.flush()
        found[f"{mode}, repeated statements"] = per_request(call, texts)
        instance.shutdown()
    disabled = new_instance("auto", disabled=True).trace_generation(answer)
    found["disabled"] = per_request(disabled, texts)
    return {**found, "worker, repeated statements": of_worker(texts)}


def of_worker(texts: list[str]) -> int:
    """Return the instructions of the worker per request whose verdict is known."""
    count = InstructionCount()
    threading.settrace(count.trace)
    instance, call = traced("inline")
    threading.settrace(None)
    for sql in texts:
        call(sql)
    instance.flush()
    before = count.value
    for sql in texts:
        call(sql)
    instance.flush()
    instance.shutdown()
    return round((count.value - before) / len(texts))


def of_checks(dialect: str) -> int:
    """Return the instructions of a check, in the mean over statements of our own."""
    schema = clinic(dialect)
    known = own_statements(dialect)
    chosen = known[:: max(len(known) // STATEMENTS, 1)]
    profile = profile_of(schema, None)

    def check(sql: str) -> object:
        return assess(Request(sql, schema, profile, native=False, strict=None, policy=None))

    for sql in chosen:
        check(sql)  # prepares
    count = InstructionCount()
    total = sum(count.of(lambda sql=sql: check(sql)) for sql in chosen)  # type: ignore[misc]
    return round(total / len(chosen))


def counted() -> dict[str, int]:
    """Return all counts of this process."""
    return of_requests() | {f"check, {dialect}": of_checks(dialect) for dialect in DIALECTS}


def in_new_process() -> dict[str, int]:
    """Return all counts of a process in which sets are always in the same order."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.instructions"],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        check=True,
    )
    counts: dict[str, int] = json.loads(ended.stdout)
    return counts


def conditions() -> dict[str, str]:
    """Return the versions that the counts depend on."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {"python": python, **{name: version(name) for name in PACKAGES}}


def main() -> None:
    """Print the counts, and those that are recorded."""
    recorded = json.loads(RECORDED.read_text())
    for name, count in in_new_process().items():
        known = recorded["counts"].get(name)
        print(f"{name:<40}{count:>9,}" + ("" if known is None else f"  recorded {known:,}"))


def record() -> None:
    """Write the counts down."""
    written = {"conditions": conditions(), "counts": in_new_process()}
    RECORDED.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    else:
        print(json.dumps(counted()))
