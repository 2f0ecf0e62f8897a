"""Verdicts after the end of their span: after the deadline, of the fallback, or of the user.

Each is sent as a `gen_ai.evaluation.result`. Tests: `tests/tracing/test_fallback.py`,
`test_background_worker.py` and `tests/telemetry/test_feedback.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.check.fallback import LABELS, FallbackAnswer, open_labels, with_answer
from sqlobs.semconv.evaluations import FEEDBACK
from sqlobs.semconv.feedback import OTHER, Opinion, listed_opinion
from sqlobs.tracing.description.attribute_set import QUESTION_CAP, AttributeSet
from sqlobs.tracing.description.names import Names
from sqlobs.tracing.records.record import EvaluationRecord, FeedbackRecord, GenerationRecord
from sqlobs.types import FallbackMode, label_of, negated
from sqlobs.unit import TEXT_CAP, AttributeValue, SpanIdentity

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.failure_codes import Reason

_logger = logging.getLogger("sqlobs")

_SCORES: Final = {"pass": 1.0, "fail": 0.0}


def late_evaluations(record: GenerationRecord) -> Iterator[EvaluationRecord]:
    """Yield the online evaluations of a record as results of their own."""
    for name, label in record.evaluations:
        yield EvaluationRecord(
            span=record.span,
            name=name,
            label=label,
            kind=record.check_method,
            evaluator="sqlobs.check",
            evaluator_version=__version__,
            score=_SCORES.get(label),
        )


FAILED: Final[frozenset[Reason]] = frozenset(
    {"error", "timeout", "judge_unavailable", "judge_malformed"}
)
"""Reasons that are failures of the evaluator itself."""
_NAMES: Final = frozenset({"table", "column", "alias"})
"""Kinds of wrong names that count for `schema_hallucination`."""


def llm_evaluations(
    span: SpanIdentity, report: CheckReport, answer: FallbackAnswer, mode: FallbackMode
) -> Iterator[EvaluationRecord]:
    """Yield the labels of the fallback as results of their own.

    Args:
        span: The evaluated span.
        report: The report of the check.
        answer: The answer of the fallback.
        mode: `late` yields the undecided labels, `always` all, for comparison.
    """
    scores: dict[str, float | None] = {name: answer.score(name) for name in LABELS}
    for name, value in _labels(report, answer, mode):
        label = label_of(value)
        yield EvaluationRecord(
            span=span,
            name=name,
            label=label,
            kind="llm",
            evaluator=answer.evaluator,
            evaluator_version=answer.evaluator_version,
            score=scores.get(name, _SCORES.get(label)) if value is not None else None,
            explanation=_explanation(report, answer),
            error_type=answer.reason if answer.reason in FAILED else None,
        )


def awaited_evaluations(record: GenerationRecord, mode: FallbackMode) -> frozenset[str]:
    """Return the online evaluations that are open until a late answer."""
    if record.report is None or mode == "wait":
        return frozenset()
    asked = set(open_labels(record.report))
    names = {*asked, "schema_hallucination"} if "schematic" in asked else asked
    return frozenset(
        name for name, label in record.evaluations if label == "not_evaluated" and name in names
    )


def _labels(
    report: CheckReport, answer: FallbackAnswer, mode: FallbackMode
) -> Iterator[tuple[str, bool | None]]:
    wanted = LABELS if mode == "always" else open_labels(report)
    for name in wanted:
        yield name, answer.label(name)
    if mode == "always":
        is_named = any(name.kind in _NAMES for name in answer.wrong_names)
        known = answer.schematic is not None
        yield "schema_hallucination", (answer.schematic or not is_named) if known else None
    elif "schematic" in wanted:
        yield "schema_hallucination", negated(with_answer(report, answer).hallucinated)


def _explanation(report: CheckReport, answer: FallbackAnswer) -> str | None:
    """Explain in our own words: those of a model may quote values."""
    if answer.reason is not None:
        return answer.explanation or None
    names = ", ".join(map(Names(report).invented, [name.name for name in answer.wrong_names]))
    checks = ", ".join(answer.failed_checks)
    return f"{checks} failed{f': {names}' if names else ''}" if checks else None


def evaluation_attributes(record: EvaluationRecord) -> dict[str, AttributeValue]:
    """Return the attributes of a `gen_ai.evaluation.result` event."""
    attributes = AttributeSet()
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


def opinion_of(record: FeedbackRecord) -> Opinion:
    """Return kind and value for metrics and events; unlisted ones become `other`."""
    opinion = listed_opinion(record.kind, record.value)
    if opinion.kind == OTHER:
        _warn_once()
    return opinion


def feedback_attributes(
    record: FeedbackRecord,
    *,
    shows_reason: bool,
    shown_sql: Callable[[str], str | None],
) -> AttributeSet:
    """Return the attributes of the event.

    Args:
        record: The feedback; its texts have passed `redact`.
        shows_reason: Whether the user's own words may be included.
        shown_sql: Masks the corrected SQL where necessary; None omits it.
    """
    opinion = opinion_of(record)
    attributes = AttributeSet()
    attributes.put(semconv.SQLOBS_GENERATION_ID, record.generation_id)
    attributes.put(semconv.SQLOBS_EVALUATOR_NAME, "user")
    attributes.put(semconv.SQLOBS_EVALUATOR_VERSION, __version__)
    attributes.put(semconv.SQLOBS_EVALUATOR_KIND, "human")
    sql = None if record.corrected_sql is None else shown_sql(record.corrected_sql)
    if sql is not None:
        attributes.put_text(semconv.SQLOBS_FEEDBACK_QUERY_TEXT, sql, cap=TEXT_CAP)
    if shows_reason and record.reason is not None:
        attributes.put_text(semconv.GEN_AI_EVALUATION_EXPLANATION, record.reason, cap=QUESTION_CAP)
    attributes.put_cuts()
    attributes.put(semconv.SQLOBS_FEEDBACK_KIND, opinion.kind)
    attributes.put(semconv.SQLOBS_FEEDBACK_VALUE, opinion.value)
    attributes.put(semconv.GEN_AI_EVALUATION_SCORE_VALUE, opinion.score)
    attributes.put(semconv.GEN_AI_EVALUATION_SCORE_LABEL, opinion.label)
    attributes.put(semconv.GEN_AI_EVALUATION_NAME, FEEDBACK)
    return attributes


@cache
def _warn_once() -> None:
    _logger.warning(
        "sqlobs: unknown kind of feedback, counted as %r. Use one of %s (logged once)",
        OTHER,
        ", ".join(semconv.FEEDBACK_VALUES),
    )
