"""Events and status of spans: what was found, what was raised, and why a span is an error.

A message never contains a value of the statement or of a row unless raw capture is on, and passes
the user's `redact`. Tests: `tests/tracing/test_span_events.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from opentelemetry.trace import Span, Status, StatusCode

from sqlobs import semconv
from sqlobs.tracing.description.attribute_set import ENTRY_CAP, LIST_CAP, cut_name
from sqlobs.tracing.description.report_attributes import describe
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.engine_errors import (
    engine_label_of,
    error_type_of,
    innermost,
    is_of_engine,
)

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.config import SqlCapture
    from sqlobs.tracing.description.redaction import Redaction
    from sqlobs.unit import AttributeValue

FRAMES: Final = 20
"""Innermost frames of a stack trace."""


def mark_failure(
    span: Span, report: CheckReport, redaction: Redaction, *, is_error: bool
) -> str | None:
    """Add the findings of a report as events; failed SQL sets the status if `is_error`.

    Returns:
        The description of the status; None where it is no error.
    """
    for finding in describe(report).events[:LIST_CAP]:
        message = redaction.clean("message", finding.message)
        shown = {} if message is None else {semconv.SQLOBS_FINDING_MESSAGE: _capped(message)}
        span.add_event(semconv.EVENT_FINDING, {**finding.attributes, **shown})
    if not is_error or report.verdict != "failed":
        return None
    failure = f"failed: {report.failure_code}" if report.failure_code else "failed"
    span.set_status(Status(StatusCode.ERROR, failure))
    return failure


def exception_attributes(error: BaseException, message: str | None) -> dict[str, AttributeValue]:
    """Return the attributes of the event `exception`.

    The stack trace has no source lines: they may contain values.
    """
    attributes: dict[str, AttributeValue] = {semconv.EXCEPTION_TYPE: error_type_of(error)}
    if message is not None:
        attributes[semconv.EXCEPTION_MESSAGE] = _capped(message)
    frames, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{code.co_filename}:{trace.tb_lineno} in {code.co_qualname}")
        trace = trace.tb_next
    if frames:
        attributes[semconv.EXCEPTION_STACKTRACE] = "\n".join(frames[-FRAMES:])
    return attributes


def engine_message(
    error: BaseException, capture: SqlCapture, redaction: Redaction, *, sql: str, dialect: str
) -> str | None:
    """Return what an engine said, masked unless SQL is captured raw; None where it is withheld."""
    if capture == "none" or (capture == "masked" and not is_of_engine(error)):
        return None
    from sqlobs.check.report.message_masking import mask_engine_message

    with INTERNAL_ERRORS.contained("execution.message"):
        text = str(innermost(error))
        if capture == "masked":
            is_rejected = engine_label_of(error) == "fail"
            text = mask_engine_message(text, sql=sql, dialect=dialect, is_about_names=is_rejected)
        return redaction.clean("message", _capped(text)) or None
    return None


def _capped(text: str) -> str:
    return cut_name(text, ENTRY_CAP)[0]
