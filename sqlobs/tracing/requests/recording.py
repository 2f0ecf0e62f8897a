"""From an ending to the record that the senders read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.failure_codes import group_of
from sqlobs.tracing.records.record import GenerationRecord

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.failure_codes import Reason
    from sqlobs.tracing.records.record import (
        CallContext,
        CheckMethod,
        CheckStatus,
        StageTimes,
        Texts,
    )
    from sqlobs.tracing.requests.ending import Ending
    from sqlobs.tracing.requests.request import Request


def record_of(ending: Ending, status: CheckStatus, reason: Reason | None) -> GenerationRecord:
    """Return what is known of a request now.

    Args:
        ending: The request's end, checked or not.
        status: How far its check came; without a check the record carries no report.
        reason: Why there is no report.
    """
    request = ending.request
    report = ending.report if status in {"complete", "error"} else None
    return GenerationRecord(
        workflow=request.operation.name,
        span=request.identity,
        start_ns=request.start_ns,
        end_ns=request.end_ns,
        outcome=ending.outcome,
        error_type=ending.error_type,
        report=report,
        reason=reason,
        check_status=status,
        check_method=_method(report),
        check_duration_s=ending.check_s,
        texts=_texts(ending, report),
        context=_context(ending),
        schema_version=ending.resolved.schema_version,
        attempts=ending.attempts,
        executions=request.executions,
        stages=_stages(request),
        usage=request.rollup.usage,
        is_abandoned=ending.is_abandoned,
    )


def _method(report: CheckReport | None) -> CheckMethod:
    """Return who decided; what nobody decided was looked at by the static part."""
    return "static" if report is None or report.decided_by == "none" else report.decided_by


def _context(ending: Ending) -> CallContext:
    told = ending.resolved.context
    seen = ending.request.rollup.model
    return told if told.model is not None or seen is None else replace(told, model=seen)


def _stages(request: Request) -> StageTimes:
    stages = request.rollup.stages
    if request.chunks is None:
        return stages
    return replace(stages, first_token_s=(request.chunks.first_ns - request.start_ns) / 1e9)


def _texts(ending: Ending, report: CheckReport | None) -> Texts:
    resolved = ending.resolved
    return ending.request.runtime.redaction.texts(
        sql=ending.text if report is None else report.sql,
        masked_sql=None if report is None else report.masked_sql,
        question=ending.question,
        reference=resolved.reference,
        hint=resolved.hint,
        syntax_message=None if report is None else _syntax_message(report),
    )


def _syntax_message(report: CheckReport) -> str | None:
    """Return what the first syntax error says, without what may be a part of a value."""
    from sqlobs.check.llm_output.refusals import NO_SQL
    from sqlobs.check.report.message_masking import mask_message
    from sqlobs.tracing.description.names import Names

    for finding in report.findings:
        if finding.code == NO_SQL:
            return finding.message  # our own sentence, which quotes nothing of the answer
        if group_of(finding.code) == "syntax":
            # The name the finding is about may be told; a word that stands near may be anything.
            name = finding.identifier
            shown = {report.dialect, name and Names(report).invented(name)}
            return mask_message(
                finding.message,
                sql=report.sql,
                masked_sql=report.masked_sql,
                known=shown.__contains__,
            )
    return None
