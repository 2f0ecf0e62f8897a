"""The record of an ended request, which the senders read. Tests: `tests/telemetry`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.failure_codes import Reason, group_of
from sqlobs.semconv.labels import model_label
from sqlobs.tracing.description.attempt_texts import attempts_text
from sqlobs.tracing.description.names import Names
from sqlobs.tracing.description.report_attributes import finding_message
from sqlobs.tracing.records.record import (
    CallContext,
    CheckStatus,
    GenerationRecord,
    StageTimes,
    Texts,
    Usage,
)

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.prices import Price
    from sqlobs.tracing.requests.generation_lifecycle import TracedRequest


def record_of(
    request: TracedRequest, status: CheckStatus, reason: Reason | None
) -> GenerationRecord:
    """Return what is known of an ended request now; only a check that ran has a report."""
    report = request.report if status in {"complete", "error"} else None
    context = _context(request)
    return GenerationRecord(
        workflow=request.operation.workflow,
        span=request.identity,
        start_ns=request.start_ns,
        end_ns=request.end_ns,
        outcome=request.outcome,
        error_type=request.error_type,
        report=report,
        reason=reason,
        check_status=status,
        check_method="static"
        if report is None or report.decided_by == "none"
        else report.decided_by,
        check_duration_s=request.check_s,
        overhead_s=request.overhead_s + request.waited_s,
        texts=_texts(request, report),
        context=context,
        schema_version=request.resolved.schema_version,
        attempts=request.attempt_records,
        executions=request.executions,
        stages=_stages(request),
        usage=_priced(request.rollup.usage, context.model, request.runtime.settings.prices),
        is_abandoned=request.is_abandoned,
    )


def _context(request: TracedRequest) -> CallContext:
    context, model = request.resolved.context, request.rollup.model
    return context if context.model is not None or model is None else replace(context, model=model)


def _priced(usage: Usage, model: str | None, prices: Mapping[str, Price]) -> Usage:
    """Return tokens with their cost, where the application reports none and a price is known."""
    if not prices or usage.cost_usd is not None or model is None:
        return usage
    price = prices.get(model) or prices.get(model_label(model))
    if price is None or usage.input_tokens is usage.output_tokens is None:
        return usage
    cost = price.of(input_tokens=usage.input_tokens or 0, output_tokens=usage.output_tokens or 0)
    return replace(usage, cost_usd=cost)


def _stages(request: TracedRequest) -> StageTimes:
    stages = request.rollup.stages
    if request.chunks is None:
        return stages
    return replace(stages, first_token_s=(request.chunks.first_ns - request.start_ns) / 1e9)


def _texts(request: TracedRequest, report: CheckReport | None) -> Texts:
    resolved, redaction = request.resolved, request.runtime.redaction
    attempts = None
    if request.runtime.senders.takes_units:
        attempts = attempts_text(request.attempt_records, redaction)
    return redaction.redacted(
        Texts(
            sql=request.text if report is None else report.sql,
            masked_sql=None if report is None else report.masked_sql,
            question=request.question,
            question_digest=redaction.digest(request.question),
            reference=resolved.reference,
            hint=resolved.hint,
            syntax_message=None if report is None else _syntax_message(report),
            attempts=attempts,
        )
    )


def _syntax_message(report: CheckReport) -> str | None:
    """Return the message of the first syntax error, masked."""
    found = next((one for one in report.findings if group_of(one.code) == "syntax"), None)
    return None if found is None else finding_message(found, Names(report))
