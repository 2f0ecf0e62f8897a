"""Records as span attributes and units, masked and capped as `docs/telemetry.md` describes.

The SDK evicts the oldest of more than 128 attributes, so the verdict is set last.
Tests: `tests/telemetry/test_attributes.py` and `test_unit.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.dialects.catalog import checker_version
from sqlobs.tracing.description.attribute_set import (
    QUESTION_CAP,
    SQL_CAP,
    AttributeSet,
    cut_text,
)
from sqlobs.tracing.description.report_attributes import Description, describe, put_codes
from sqlobs.unit import TEXT_CAP, AttributeValue, Unit

if TYPE_CHECKING:
    from sqlobs.config import CollectorCapture, SqlCapture
    from sqlobs.tracing.records.record import (
        AttemptRecord,
        CallContext,
        ExecutionRecord,
        GenerationRecord,
        Texts,
    )
    from sqlobs.types import Verdict


@dataclass(frozen=True, slots=True)
class Capture:
    """Which texts a span may contain."""

    sql: SqlCapture = "masked"
    content: bool = False
    """Question, prompts and retrieval queries."""


def generation_attributes(
    record: GenerationRecord, capture: Capture = Capture()
) -> dict[str, AttributeValue]:
    """Return the attributes of a generation that has been checked, the verdict last.

    All are set at the end: each attribute set at the start costs a tenth of the span, and samplers
    can use the span's name.
    """
    attributes = AttributeSet()
    attributes.put(semconv.GEN_AI_OPERATION_NAME, "invoke_workflow")
    attributes[semconv.OPENINFERENCE_SPAN_KIND] = "CHAIN"
    attributes.put(semconv.GEN_AI_AGENT_NAME, record.workflow)
    attributes.put(semconv.SQLOBS_WORKFLOW, record.workflow)
    _put_context(attributes, record.context)
    _put_measures(attributes, record)
    _put_texts(attributes, record.texts, capture)
    _put_check(attributes, record)
    description = None if record.report is None else describe(record.report)
    if description is not None:
        attributes.add(description.statement)
    evaluated = None if record.outcome != "answered" else description
    if evaluated is not None:
        if evaluated.has_syntax_error:
            attributes.put(semconv.SQLOBS_SYNTAX_ERROR_MESSAGE, record.texts.syntax_message)
        attributes.add(evaluated.findings)
    attributes.put_cuts()
    _put_verdict(attributes, record, evaluated)
    return attributes


def attempt_attributes(attempt: AttemptRecord, sql: str | None = None) -> dict[str, AttributeValue]:
    """Return the attributes of a `sqlobs.attempt` span, with its SQL as captured."""
    attributes = AttributeSet()
    attributes[semconv.OPENINFERENCE_SPAN_KIND] = "CHAIN"
    if sql is not None:
        attributes.put_text(semconv.INPUT_VALUE, sql, cap=SQL_CAP)
    put_codes(attributes, attempt.report)
    attributes.put(semconv.SQLOBS_ATTEMPT_NUMBER, attempt.number)
    attributes.put(semconv.SQLOBS_VERDICT, attempt.verdict)
    return attributes


def execution_attributes(execution: ExecutionRecord) -> dict[str, AttributeValue]:
    """Return the attributes of a `sqlobs.execute` span, or of a unit's execution."""
    attributes = AttributeSet()
    attributes.put(semconv.SQLOBS_GENERATION_ID, execution.generation_id)
    attributes.put(semconv.SQLOBS_TARGET_NAME, execution.target)
    attributes.put(semconv.SQLOBS_QUERY_FINGERPRINT, execution.fingerprint)
    attributes.put(semconv.SQLOBS_RESULT_ROWS, execution.rows)
    attributes.put(semconv.SQLOBS_RESULT_COLUMNS, execution.columns)
    attributes.put(semconv.SQLOBS_RESULT_EMPTY, execution.is_empty)
    attributes.put(semconv.SQLOBS_RESULT_TRUNCATED, execution.is_truncated)
    attributes.put(semconv.ERROR_TYPE, execution.error_type)
    attributes.put(semconv.SQLOBS_EXECUTION_SQLSTATE_CLASS, execution.sqlstate_class)
    attributes.put(semconv.SQLOBS_EXECUTION_STATUS, execution.status)
    return attributes


def _put_context(attributes: AttributeSet, context: CallContext) -> None:
    put = attributes.put
    put(semconv.GEN_AI_CONVERSATION_ID, context.conversation)
    put(semconv.USER_ID, context.user)
    put(semconv.SESSION_ID, context.session)
    put(semconv.GEN_AI_PROMPT_NAME, context.prompt_name)
    put(semconv.GEN_AI_PROMPT_VERSION, context.prompt_version)
    put(semconv.GEN_AI_REQUEST_MODEL, context.model)
    put(semconv.SQLOBS_TARGET_NAME, context.target)
    put(semconv.SQLOBS_TARGET_SYSTEM, context.target_system)
    put(semconv.SQLOBS_TENANT, context.tenant)
    put(semconv.SQLOBS_DIALECT, context.dialect)


def _put_measures(attributes: AttributeSet, record: GenerationRecord) -> None:
    put, stages, usage = attributes.put, record.stages, record.usage
    attributes[semconv.SQLOBS_GENERATION_DURATION] = record.duration_s
    put(semconv.SQLOBS_GENERATION_TIME_TO_FIRST_TOKEN, stages.first_token_s)
    put(semconv.SQLOBS_LLM_DURATION, stages.llm_s)
    put(semconv.SQLOBS_RETRIEVAL_DURATION, stages.retrieval_s)
    put(semconv.SQLOBS_EXECUTION_DURATION, stages.execution_s)
    put(semconv.SQLOBS_USAGE_INPUT_TOKENS, usage.input_tokens)
    put(semconv.SQLOBS_USAGE_OUTPUT_TOKENS, usage.output_tokens)
    put(semconv.SQLOBS_USAGE_COST, usage.cost_usd)
    put(semconv.SQLOBS_STREAM_ABANDONED, record.is_abandoned or None)


def _put_texts(attributes: AttributeSet, texts: Texts, capture: Capture) -> None:
    if capture.content and texts.question is not None:
        attributes.put_text(semconv.SQLOBS_QUESTION_TEXT, texts.question, cap=QUESTION_CAP)
        attributes[semconv.INPUT_VALUE] = attributes[semconv.SQLOBS_QUESTION_TEXT]
    sql = _captured(texts, capture)
    was_cut = sql is not None and attributes.put_text(semconv.SQLOBS_QUERY_TEXT, sql, cap=SQL_CAP)
    if sql is not None:
        attributes[semconv.OUTPUT_VALUE] = attributes[semconv.SQLOBS_QUERY_TEXT]
    says = "none" if sql is None else "redacted" if texts.is_redacted else capture.sql
    attributes[semconv.SQLOBS_QUERY_CAPTURE] = says
    attributes[semconv.SQLOBS_QUERY_TRUNCATED] = was_cut


def _captured(texts: Texts, capture: Capture) -> str | None:
    if capture.sql == "none":
        return None
    return texts.sql if capture.sql == "raw" else texts.masked_sql


def _put_check(attributes: AttributeSet, record: GenerationRecord) -> None:
    attributes.put(semconv.SQLOBS_SCHEMA_VERSION, record.schema_version)
    attributes[semconv.SQLOBS_CHECKER_VERSION] = checker_version()
    attributes[semconv.SQLOBS_CHECK_STATUS] = record.check_status
    if record.report is not None:
        attributes[semconv.SQLOBS_CHECK_METHOD] = record.check_method
        attributes[semconv.SQLOBS_CHECK_DURATION] = record.check_duration_s


def _put_verdict(
    attributes: AttributeSet, record: GenerationRecord, evaluated: Description | None
) -> None:
    attempts = record.attempts
    first = describe(attempts[0].report) if attempts else evaluated
    attributes.put(semconv.ERROR_TYPE, record.error_type)
    attributes[semconv.SQLOBS_ATTEMPTS] = len(attempts) or 1
    attributes.put(
        semconv.SQLOBS_FIRST_ATTEMPT_HALLUCINATED, None if first is None else first.hallucinated
    )
    attributes[semconv.SQLOBS_FIRST_ATTEMPT_VERDICT] = _verdict_of(first)
    attributes.put(semconv.SQLOBS_SYNTACTIC_REASON, record.reason_of("syntactic"))
    attributes.put(semconv.SQLOBS_SCHEMATIC_REASON, record.reason_of("schematic"))
    if evaluated is None:
        attributes[semconv.SQLOBS_CORRECTNESS_LABELS] = ()
    else:
        attributes.update(evaluated.labels)
    attributes[semconv.SQLOBS_OUTCOME] = record.outcome
    attributes[semconv.SQLOBS_VERDICT] = _verdict_of(evaluated)


def _verdict_of(description: Description | None) -> Verdict:
    return "not_evaluated" if description is None else description.verdict


def unit_of(record: GenerationRecord, capture: CollectorCapture = "raw") -> Unit:
    """Return the unit of a generation.

    Args:
        record: The generation; its texts have passed `redact`.
        capture: `raw` sends SQL, question, reference and hint; `masked` masked SQL alone; `none`
            no text at all.
    """
    texts = record.texts
    sql = {"raw": texts.sql, "masked": texts.masked_sql, "none": None}[capture]
    cut_sql, was_cut = (None, False) if sql is None else cut_text(sql, TEXT_CAP)
    captured = "redacted" if texts.is_redacted else capture
    attributes: dict[str, AttributeValue] = {
        **generation_attributes(record, Capture("none")),
        **_executed(record),
        **_joined(record),
        semconv.SQLOBS_QUERY_CAPTURE: "none" if sql is None else captured,
        semconv.SQLOBS_QUERY_TRUNCATED: was_cut,
    }
    for name in (semconv.OPENINFERENCE_SPAN_KIND, semconv.GEN_AI_AGENT_NAME):
        del attributes[name]  # for backends that show spans
    if capture != "raw":
        return Unit(attributes=attributes, query_text=cut_sql)
    return Unit(
        attributes=attributes,
        query_text=cut_sql,
        question_text=_cut(texts.question),
        reference_query_text=_cut(texts.reference),
        hint_text=_cut(texts.hint),
        attempts_text=texts.attempts,
    )


def _executed(record: GenerationRecord) -> Mapping[str, AttributeValue]:
    """Return the attributes of the last execution inside the generation: that of the answer."""
    if not record.executions:
        return {}
    attributes = execution_attributes(record.executions[-1])
    # the generation's own statement, target and failure are described by the generation
    for name in (semconv.SQLOBS_QUERY_FINGERPRINT, semconv.SQLOBS_TARGET_NAME, semconv.ERROR_TYPE):
        attributes.pop(name, None)
    return attributes


def _joined(record: GenerationRecord) -> Mapping[str, AttributeValue]:
    values: dict[str, AttributeValue | None] = {
        semconv.SQLOBS_GENERATION_ID: record.span.traceparent,
        semconv.SQLOBS_QUESTION_DIGEST: record.texts.question_digest,
        semconv.SQLOBS_REFERENCE_CASE_ID: record.context.case_id,
        semconv.SQLOBS_TRACE_SAMPLED: record.span.sampled,
        semconv.SQLOBS_SAMPLING_PROBABILITY: 1.0,  # every request is sent
    }
    return {name: value for name, value in values.items() if value is not None}


def _cut(text: str | None) -> str | None:
    return None if text is None else cut_text(text, TEXT_CAP)[0]
