"""A record as span attributes, masked and capped as `telemetry.md` says; the verdict comes last.

The SDK evicts the oldest attribute beyond 128, so what matters most is set at the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.failure_codes import group_of, primary
from sqlobs.tracing.caps import ENTRY_CAP, QUESTION_CAP, SQL_CAP, cut_list, cut_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.report import CheckReport, Finding
    from sqlobs.config import Settings, SqlCapture
    from sqlobs.tracing.record import (
        AttemptRecord,
        CallContext,
        EvaluationRecord,
        ExecutionRecord,
        GenerationRecord,
        Texts,
    )
    from sqlobs.unit import AttributeValue

QUOTED: Final = "<quoted>"
"""Stands for an invented name that may be anything: a model writes `region = "North West"`."""

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,62}")


@dataclass(frozen=True, slots=True)
class Capture:
    """What texts may stand on a span."""

    sql: SqlCapture = "masked"
    content: bool = False
    """Question and prompts."""

    @classmethod
    def of(cls, settings: Settings) -> Capture:
        """Return what the settings allow on spans."""
        return cls(settings.capture_sql, settings.capture_content)


class _Attributes(dict[str, "AttributeValue"]):
    """Attributes in order of setting: leaves out what is not known, cuts what is too long."""

    def __init__(self) -> None:
        super().__init__()
        self.cut: list[str] = []

    def put(self, name: str, value: AttributeValue | None) -> None:
        if value is None:
            return
        self[name] = self._capped(name, value, ENTRY_CAP) if isinstance(value, str) else value

    def put_text(self, name: str, text: str, *, cap: int) -> bool:
        """Set a long text; returns whether it was cut."""
        self[name] = self._capped(name, text, cap)
        return name in self.cut

    def put_list(self, name: str, values: Sequence[str]) -> None:
        """Set an array; an empty one is not set."""
        if not values:
            return
        self[name], was_cut = cut_list(values)
        if was_cut:
            self.cut.append(name)

    def put_cuts(self) -> None:
        """Say which attributes were cut."""
        self.put_list(semconv.SQLOBS_TRUNCATED_ATTRIBUTES, self.cut)

    def _capped(self, name: str, text: str, cap: int) -> str:
        shortened, was_cut = cut_text(text, cap)
        if was_cut:
            self.cut.append(name)
        return shortened


def start_attributes(workflow: str) -> dict[str, AttributeValue]:
    """Return what is known when a generation starts; samplers see it."""
    return {
        semconv.GEN_AI_OPERATION_NAME: "invoke_workflow",
        semconv.GEN_AI_WORKFLOW_NAME: workflow,
    }


def verdict_attributes(
    record: GenerationRecord, capture: Capture = Capture()
) -> dict[str, AttributeValue]:
    """Return what is known when a generation has been checked, the verdict last.

    Args:
        record: The generation; its texts have passed `redact`.
        capture: Which texts may stand on the span.
    """
    attributes = _Attributes()
    _put_context(attributes, record.context)
    for name, value in record.tags.items():
        attributes.put(name, value)
    _put_measures(attributes, record)
    _put_texts(attributes, record.texts, capture)
    if record.report is not None:
        _put_statement(attributes, record.report)
    _put_check(attributes, record)
    if (report := record.evaluated) is not None:
        _put_findings(attributes, report, record.texts)
    attributes.put_cuts()
    _put_verdict(attributes, record)
    return attributes


def attempt_attributes(attempt: AttemptRecord) -> dict[str, AttributeValue]:
    """Return the attributes of a `sqlobs.attempt` span."""
    attributes = _Attributes()
    _put_codes(attributes, attempt.report)
    attributes.put(semconv.SQLOBS_ATTEMPT_NUMBER, attempt.number)
    attributes.put(semconv.SQLOBS_VERDICT, attempt.verdict)
    return attributes


def execution_attributes(execution: ExecutionRecord) -> dict[str, AttributeValue]:
    """Return the attributes of a `sqlobs.execute` span, or of a unit's execution."""
    attributes = _Attributes()
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


def evaluation_attributes(record: EvaluationRecord) -> dict[str, AttributeValue]:
    """Return the attributes of a `gen_ai.evaluation.result` event."""
    attributes = _Attributes()
    attributes.put(semconv.SQLOBS_GENERATION_ID, record.span.traceparent)
    attributes.put(semconv.SQLOBS_EVALUATOR_NAME, record.evaluator)
    attributes.put(semconv.SQLOBS_EVALUATOR_VERSION, record.evaluator_version)
    attributes.put(semconv.SQLOBS_EVALUATOR_KIND, record.kind)
    attributes.put(semconv.ERROR_TYPE, record.error_type)
    attributes.put(semconv.GEN_AI_EVALUATION_EXPLANATION, record.explanation)
    attributes.put(semconv.GEN_AI_EVALUATION_SCORE_VALUE, record.score)
    attributes.put(semconv.GEN_AI_EVALUATION_SCORE_LABEL, record.label)
    attributes.put(semconv.GEN_AI_EVALUATION_NAME, record.name)
    return attributes


@cache
def checker_version() -> str:
    """Return the versions a verdict rests on: an upgrade must not look like an incident."""
    return f"{__version__}+sqlglot-{version('sqlglot')}"


def shown_name(name: str) -> str:
    """Return an invented name as it may be recorded: only if it looks like an identifier."""
    return name if all(map(_IDENTIFIER.fullmatch, name.split("."))) else QUOTED


def _put_context(attributes: _Attributes, context: CallContext) -> None:
    attributes.put(semconv.GEN_AI_CONVERSATION_ID, context.conversation)
    attributes.put(semconv.USER_ID, context.user)
    attributes.put(semconv.SESSION_ID, context.session)
    attributes.put(semconv.GEN_AI_PROMPT_NAME, context.prompt_name)
    attributes.put(semconv.GEN_AI_PROMPT_VERSION, context.prompt_version)
    attributes.put(semconv.GEN_AI_REQUEST_MODEL, context.model)
    attributes.put(semconv.SQLOBS_TARGET_NAME, context.target)
    attributes.put(semconv.SQLOBS_TARGET_SYSTEM, context.target_system)
    attributes.put(semconv.SQLOBS_TENANT, context.tenant)
    attributes.put(semconv.SQLOBS_DIALECT, context.dialect)


def _put_measures(attributes: _Attributes, record: GenerationRecord) -> None:
    stages, usage = record.stages, record.usage
    attributes.put(semconv.SQLOBS_GENERATION_DURATION, record.duration_s)
    attributes.put(semconv.SQLOBS_GENERATION_TIME_TO_FIRST_TOKEN, stages.first_token_s)
    attributes.put(semconv.SQLOBS_LLM_DURATION, stages.llm_s)
    attributes.put(semconv.SQLOBS_RETRIEVAL_DURATION, stages.retrieval_s)
    attributes.put(semconv.SQLOBS_EXECUTION_DURATION, stages.execution_s)
    attributes.put(semconv.SQLOBS_USAGE_INPUT_TOKENS, usage.input_tokens)
    attributes.put(semconv.SQLOBS_USAGE_OUTPUT_TOKENS, usage.output_tokens)
    attributes.put(semconv.SQLOBS_USAGE_COST, usage.cost_usd)
    attributes.put(semconv.SQLOBS_STREAM_ABANDONED, record.is_abandoned or None)


def _put_texts(attributes: _Attributes, texts: Texts, capture: Capture) -> None:
    if capture.content and texts.question is not None:
        attributes.put_text(semconv.SQLOBS_QUESTION_TEXT, texts.question, cap=QUESTION_CAP)
    sql = {"raw": texts.sql, "masked": texts.masked_sql, "none": None}[capture.sql]
    was_cut = sql is not None and attributes.put_text(semconv.SQLOBS_QUERY_TEXT, sql, cap=SQL_CAP)
    captured = "redacted" if texts.is_redacted else capture.sql
    attributes.put(semconv.SQLOBS_QUERY_CAPTURE, "none" if sql is None else captured)
    attributes.put(semconv.SQLOBS_QUERY_TRUNCATED, was_cut)


def _put_statement(attributes: _Attributes, report: CheckReport) -> None:
    attributes.put(semconv.SQLOBS_QUERY_SUMMARY, report.summary)
    attributes.put(semconv.SQLOBS_QUERY_FINGERPRINT, report.fingerprint)
    attributes.put(semconv.SQLOBS_QUERY_STATEMENT, report.statement)
    attributes.put_list(semconv.SQLOBS_QUERY_TABLES, _shown_tables(report))


def _shown_tables(report: CheckReport) -> list[str]:
    if report.schematic is None:  # no table is known to be in the schema
        return [shown_name(table) for table in report.tables]
    unknown = set(report.unknown_tables)
    return [
        shown_name(table) if table in unknown or table.rpartition(".")[2] in unknown else table
        for table in report.tables
    ]


def _put_check(attributes: _Attributes, record: GenerationRecord) -> None:
    attributes.put(semconv.SQLOBS_SCHEMA_VERSION, record.schema_version)
    attributes.put(semconv.SQLOBS_CHECKER_VERSION, checker_version())
    attributes.put(semconv.SQLOBS_CHECK_STATUS, record.check_status)
    if record.report is not None:
        attributes.put(semconv.SQLOBS_CHECK_METHOD, record.check_method)
        attributes.put(semconv.SQLOBS_CHECK_DURATION, record.check_duration_s)


def _put_findings(attributes: _Attributes, report: CheckReport, texts: Texts) -> None:
    tables = [shown_name(name) for name in report.unknown_tables]
    columns = [shown_name(name) for name in report.unknown_columns]
    attributes.put_list(semconv.SQLOBS_SUGGESTIONS, _suggestions(report))
    attributes.put_list(semconv.SQLOBS_HALLUCINATED_COLUMNS, columns)
    attributes.put_list(semconv.SQLOBS_HALLUCINATED_TABLES, tables)
    if invented := tables + columns:
        attributes.put(semconv.SQLOBS_HALLUCINATED_FIRST, invented[0])
    if report.schema_hallucination is not None:
        attributes.put(semconv.SQLOBS_HALLUCINATED_COUNT, len(invented))
    _put_syntax_error(attributes, report, texts)
    if report.verdict == "failed":
        attributes.put(semconv.SQLOBS_REPAIRABLE, report.fixed_sql is not None)
    _put_codes(attributes, report)


def _suggestions(report: CheckReport) -> list[str]:
    found = (
        f"{shown_name(finding.identifier)} -> {finding.suggestion}"
        for finding in report.findings
        if finding.identifier is not None and finding.suggestion is not None
    )
    return list(dict.fromkeys(found))


def _put_syntax_error(attributes: _Attributes, report: CheckReport, texts: Texts) -> None:
    error = _first_syntax_error(report)
    if error is not None:
        attributes.put(semconv.SQLOBS_SYNTAX_ERROR_MESSAGE, texts.syntax_message)
        attributes.put(semconv.SQLOBS_SYNTAX_ERROR_LINE, error.line)
        attributes.put(semconv.SQLOBS_SYNTAX_ERROR_COLUMN, error.column)


def _first_syntax_error(report: CheckReport) -> Finding | None:
    return next((found for found in report.errors if group_of(found.code) == "syntax"), None)


def _put_codes(attributes: _Attributes, report: CheckReport) -> None:
    attributes.put_list(semconv.SQLOBS_WARNING_CODES, _by_severity(report.warning_codes))
    codes = _by_severity(report.failure_codes)
    attributes.put_list(semconv.SQLOBS_FAILURE_CODES, codes)
    if report.verdict == "failed" and codes:
        attributes.put(semconv.SQLOBS_FAILURE_GROUP, group_of(codes[0]))
        attributes.put(semconv.SQLOBS_FAILURE_CODE, codes[0])


def _by_severity(codes: Sequence[str]) -> list[str]:
    """Order codes as the primary one is chosen."""
    rest, ordered = list(codes), []
    while (first := primary(rest)) is not None:
        ordered.append(first)
        rest.remove(first)
    return ordered


def _put_verdict(attributes: _Attributes, record: GenerationRecord) -> None:
    report = record.evaluated
    labels = (
        {} if report is None else {"syntactic": report.syntactic, "schematic": report.schematic}
    )
    attributes.put(semconv.ERROR_TYPE, record.error_type)
    attributes.put(semconv.SQLOBS_ATTEMPTS, max(1, len(record.attempts)))
    attributes.put(semconv.SQLOBS_FIRST_ATTEMPT_VERDICT, record.first_attempt_verdict)
    attributes.put(semconv.SQLOBS_SYNTACTIC_REASON, record.syntactic_reason)
    attributes.put(semconv.SQLOBS_SCHEMATIC_REASON, record.schematic_reason)
    attributes.put(semconv.SQLOBS_SYNTACTIC, labels.get("syntactic"))
    attributes.put(semconv.SQLOBS_SCHEMATIC, labels.get("schematic"))
    attributes[semconv.SQLOBS_CORRECTNESS_LABELS] = tuple(
        name for name, holds in labels.items() if holds
    )
    attributes.put(semconv.SQLOBS_OUTCOME, record.outcome)
    attributes.put(semconv.SQLOBS_VERDICT, record.verdict)
