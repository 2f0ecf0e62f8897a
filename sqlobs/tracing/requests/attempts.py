"""The statements that a request tries: each is checked once, numbered, and has its own span.

Tests: `tests/tracing/test_requests.py`, and `test_executions.py` for agents.
"""

from __future__ import annotations

from time import perf_counter, time_ns
from typing import TYPE_CHECKING

from opentelemetry.trace import set_span_in_context

from sqlobs import semconv
from sqlobs.tracing.description.attributes import attempt_attributes
from sqlobs.tracing.description.span_events import mark_failure
from sqlobs.tracing.records.record import AttemptRecord
from sqlobs.tracing.requests.answer import Attempt, text_in

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.options.option_layer import Resolved
    from sqlobs.tracing.requests.generation_lifecycle import TracedRequest
    from sqlobs.tracing.requests.request import Request
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import AttributeValue


def try_now(request: Request, sql: object) -> CheckReport:
    """Check a statement now, and count it as an attempt of an open request."""
    started = perf_counter()
    text = sql if type(sql) is str else text_in(sql)
    attempt, number = request.add_attempt(text or "")
    if attempt.report is not None:
        return attempt.report
    start_ns = time_ns()
    report = request.runtime.checked(text, request.resolve(), request.identity)
    attempt.report = request.last_report = report
    _add_span(request, AttemptRecord(number, report), start_ns=start_ns)
    request.overhead_s += perf_counter() - started
    return report


def all_tried(
    request: TracedRequest, resolved: Resolved, answer: Attempt | None
) -> tuple[AttemptRecord, ...]:
    """Check the unchecked attempts of an ended request, and number them all.

    The answer, already checked, comes last. It is an attempt of its own where it differs from the
    one before it; an agent's is among the statements that it executed.
    """
    check = request.runtime.checker.check
    for attempt in request.attempts:
        attempt.report = attempt.report or check(attempt.text, resolved)
    records = [
        AttemptRecord(number, attempt.report)
        for number, attempt in enumerate(request.attempts, start=1)
        if attempt.report is not None
    ]
    final = None if answer is None else answer.report
    if final is not None and _is_another(request, final, records):
        records.append(AttemptRecord(len(records) + 1, final))
        if len(records) > 1:
            _add_span(request, records[-1], start_ns=request.end_ns, end_ns=request.end_ns)
    return tuple(records)


def _is_another(request: Request, report: CheckReport, records: list[AttemptRecord]) -> bool:
    if not records:
        return True
    return not request.operation.is_agent and records[-1].report.sql != report.sql


def _add_span(
    request: Request, attempt: AttemptRecord, *, start_ns: int, end_ns: int | None = None
) -> None:
    """Add the child span of an attempt; without `end_ns` it ends now."""
    tracer = request.runtime.tracer
    if tracer is None or request.span is None or not request.span.is_recording():
        return
    span = tracer.start_span(
        semconv.SPAN_ATTEMPT, context=set_span_in_context(request.span), start_time=start_ns
    )
    span.set_attributes(described_attempt(request.runtime, attempt))
    mark_failure(
        span,
        attempt.report,
        request.runtime.redaction,
        is_error=request.runtime.settings.mark_failures_as_errors,
    )
    span.end(end_time=end_ns)


def described_attempt(runtime: Runtime, attempt: AttemptRecord) -> dict[str, AttributeValue]:
    """Return the attributes of an attempt, with its SQL as the settings capture it."""
    report, capture = attempt.report, runtime.capture.sql
    sql = {"raw": report.sql, "masked": report.masked_sql}.get(capture)
    return attempt_attributes(attempt, runtime.redaction.clean("sql", sql))
