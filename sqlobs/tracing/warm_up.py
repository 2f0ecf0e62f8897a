"""Loads before the first request what it would wait for: modules, parser, schema, first span.

Tests: `tests/tracing/test_warm_up.py`.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.fork_guard import IMPORTS
from sqlobs.schema.model import Schema
from sqlobs.tracing.checking import INVALID
from sqlobs.tracing.description.attributes import generation_attributes
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import Arguments
from sqlobs.tracing.options.option_layer import Resolved, resolve
from sqlobs.tracing.records.record import GenerationRecord
from sqlobs.unit import SpanIdentity

if TYPE_CHECKING:
    from sqlobs.tracing.runtime import Runtime


def start_warm_up(runtime: Runtime) -> None:
    """Warm up on a thread; the worker's own threads start when it is done."""
    options = runtime.options
    if not isinstance(options.schema, Schema):
        options = replace(options, schema=None)  # a schema source may do I/O
    resolved = resolve(options, Arguments(None))
    if runtime.checker.is_warm(resolved):
        return
    runtime.worker.hold()
    thread = threading.Thread(
        target=_warm_up, args=(runtime, resolved), name="sqlobs-warm-up", daemon=True
    )
    try:
        thread.start()
    except RuntimeError as error:  # the system's limit of threads: the first request loads it all
        INTERNAL_ERRORS.caught("warm_up.start", error)
        runtime.worker.release()


def _warm_up(runtime: Runtime, resolved: Resolved) -> None:
    with INTERNAL_ERRORS.contained("warm_up"):
        runtime.checker.warm_up(resolved)
        with IMPORTS:
            _rehearse(runtime, resolved)
    runtime.worker.release()


def _rehearse(runtime: Runtime, resolved: Resolved) -> None:
    """Write an invalid statement on a span that is not exported, as a request would."""
    import sqlobs.check.llm_output.refusals
    import sqlobs.check.report.message_masking  # noqa: F401 - used to describe syntax errors

    record = GenerationRecord(
        workflow="",
        span=SpanIdentity(trace_id=1, span_id=1),
        start_ns=0,
        end_ns=0,
        outcome="answered",
        report=runtime.checker.check(INVALID, resolved),
    )
    runtime.senders.providers.rehearse(generation_attributes(record, runtime.capture))
