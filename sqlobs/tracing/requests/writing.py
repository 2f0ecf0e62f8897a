"""How an ended request is written on its span, which then ends: once, whoever comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.trace import Status, StatusCode

from sqlobs.tracing.records.record import AttemptRecord
from sqlobs.tracing.requests.claim import take

if TYPE_CHECKING:
    from sqlobs.tracing.requests.ending import Ending
    from sqlobs.tracing.requests.request import Request
    from sqlobs.unit import AttributeValue


def write(ending: Ending, attributes: dict[str, AttributeValue], *, is_error: bool) -> bool:
    """Set what the span says and end it; False where somebody else has ended it."""
    request = ending.request
    if not take(request.claims, "span"):
        return False
    if request.outer is not None:
        _write_nested(ending, request.outer)
        return True
    span = request.span
    if span is None:
        return True
    try:
        if span.is_recording():
            span.set_attributes(attributes)
            if is_error:
                span.set_status(Status(StatusCode.ERROR))
    finally:
        span.end(end_time=request.end_ns)
    return True


def _write_nested(ending: Ending, outer: Request) -> None:
    """Write a generation inside another as an attempt of that one."""
    request, report = ending.request, ending.report
    span = request.span
    if report is not None and ending.text is not None:
        attempt, number = outer.add_attempt(ending.text)
        attempt.report = outer.last_report = report
        if span is not None and span.is_recording():
            attributes = request.runtime.attempt_attributes(AttemptRecord(number, report))
            span.set_attributes(attributes)
    if span is not None:
        if ending.outcome == "error":
            span.set_status(Status(StatusCode.ERROR))
        span.end(end_time=request.end_ns)
