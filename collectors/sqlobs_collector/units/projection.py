"""Records to rows of the store: pure, and the same at every replay."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES
from sqlobs.semconv.evaluations import FEEDBACK
from sqlobs_collector.sampling import (
    LEAST_PROBABILITY,
    SamplingFacts,
    decide,
    explicit_randomness,
    head_probability,
)
from sqlobs_collector.store.dispatcher import FAILURE, ORDINARY
from sqlobs_collector.store.portable import indexable
from sqlobs_collector.store.rows import ReportRow, UnitRow
from sqlobs_collector.store.searchable import question_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.sampling import Decision, SamplingRules
    from sqlobs_collector.store.payload import Value
    from sqlobs_collector.store.rows import ReportKind, UnitState
    from sqlobs_collector.units.decoding import Record

_NEGATIVE: Final = frozenset(
    {
        ("thumb", "down"),
        ("rating", "1"),
        ("rating", "2"),
        ("edit", "corrected"),
        ("edit", "rejected"),
        ("follow_up", "reasked"),
        ("follow_up", "abandoned"),
    }
)


def unit_row(record: Record, rules: SamplingRules) -> UnitRow:
    """Return the unit of a `sqlobs.unit` record, sampling decided."""
    head = _probability(record.attributes.get(semconv.SQLOBS_SAMPLING_PROBABILITY))
    decision = decide(_facts(record, head), rules)
    return _row(
        record,
        head=head,
        decision=decision,
        state=state_of(decision),
        reason=reason_of(decision),
    )


def span_row(record: Record) -> UnitRow:
    """Return the unit that a generation span tells of; held, since its own unit may still come."""
    return _row(
        record,
        head=head_probability(record.tracestate),
        decision=None,
        state="held",
        reason="pending",
    )


def report_row(record: Record) -> ReportRow:
    """Return what a record other than a unit says about one."""
    return ReportRow(
        record_id=record.digest,
        workspace=record.workspace,
        trace_id=record.trace_id,
        span_id=record.span_id,
        kind=_report_kind(record),
        occurred_ns=record.occurred_ns,
        received_ns=record.received_ns,
        is_negative=_is_negative(record.attributes),
        is_joined=False,
        payload=record.payload,
    )


def state_of(decision: Decision) -> UnitState:
    """Return the state that sampling leads to."""
    return "queued" if decision.is_kept else "sampled_out"


def reason_of(decision: Decision) -> str | None:
    """Return the reason of that state, from the closed list of reasons."""
    return None if decision.is_kept else "sampled_out"


def _row(
    record: Record,
    *,
    head: float | None,
    decision: Decision | None,
    state: UnitState,
    reason: str | None,
) -> UnitRow:
    attributes = record.attributes
    is_unit = record.event == semconv.EVENT_UNIT
    schematic = _flag(attributes.get(semconv.SQLOBS_SCHEMATIC))
    return UnitRow(
        workspace=record.workspace,
        trace_id=record.trace_id,
        span_id=record.span_id,
        source="unit" if is_unit else "span",
        occurred_ns=record.occurred_ns,
        received_ns=record.received_ns,
        service_name=indexable(record.service[0]),
        environment=indexable(record.service[1]),
        service_version=record.service_version and indexable(record.service_version),
        workflow=_text(attributes, semconv.SQLOBS_WORKFLOW) or "",
        tenant=_text(attributes, semconv.SQLOBS_TENANT),
        target=_text(attributes, semconv.SQLOBS_TARGET_NAME),
        dialect=_text(attributes, semconv.SQLOBS_DIALECT),
        model=_text(attributes, semconv.GEN_AI_REQUEST_MODEL),
        prompt_version=_text(attributes, semconv.GEN_AI_PROMPT_VERSION),
        schema_version=_text(attributes, semconv.SQLOBS_SCHEMA_VERSION),
        capture=_text(attributes, semconv.SQLOBS_QUERY_CAPTURE),
        question_digest=_text(attributes, semconv.SQLOBS_QUESTION_DIGEST),
        fingerprint=_text(attributes, semconv.SQLOBS_QUERY_FINGERPRINT),
        outcome=_text(attributes, semconv.SQLOBS_OUTCOME),
        verdict=_text(attributes, semconv.SQLOBS_VERDICT),
        first_verdict=_text(attributes, semconv.SQLOBS_FIRST_ATTEMPT_VERDICT),
        failure_code=_text(attributes, semconv.SQLOBS_FAILURE_CODE),
        syntactic=_flag(attributes.get(semconv.SQLOBS_SYNTACTIC)),
        schematic=schematic,
        hallucinated=None if schematic is None else _invents(attributes),
        first_hallucinated=_flag(attributes.get(semconv.SQLOBS_FIRST_ATTEMPT_HALLUCINATED)),
        trace_sampled=_flag(attributes.get(semconv.SQLOBS_TRACE_SAMPLED)) if is_unit else True,
        head_probability=head,
        randomness=explicit_randomness(record.tracestate),
        probability=decision.probability if decision else None,
        rule=decision.rule if decision else None,
        state=state,
        reason=reason,
        state_ns=record.received_ns,
        payload=record.payload,
        conversation=_text(attributes, semconv.GEN_AI_CONVERSATION_ID),
        question_key=_question_key(record),
        duration_s=_amount(attributes, semconv.SQLOBS_GENERATION_DURATION),
        cost_usd=_amount(attributes, semconv.SQLOBS_USAGE_COST),
        user_digest=record.user_digest,
        conversation_digest=record.conversation_digest,
        priority=_priority(attributes),
    )


def _facts(record: Record, head: float | None) -> SamplingFacts:
    return SamplingFacts(
        trace_id=record.trace_id,
        verdict=_text(record.attributes, semconv.SQLOBS_VERDICT),
        outcome=_text(record.attributes, semconv.SQLOBS_OUTCOME),
        head_probability=head,
    )


def _question_key(record: Record) -> int | None:
    return question_key(
        record.texts.get(semconv.SQLOBS_QUESTION_TEXT),
        record.attributes.get(semconv.SQLOBS_QUESTION_DIGEST),
    )


def _priority(attributes: Mapping[str, Value]) -> int:
    return FAILURE if attributes.get(semconv.SQLOBS_VERDICT) == "failed" else ORDINARY


def _text(attributes: Mapping[str, Value], name: str) -> str | None:
    value = attributes.get(name)
    return indexable(value) if isinstance(value, str) else None


def _amount(attributes: Mapping[str, Value], name: str) -> float | None:
    """Return a number of at least 0; anything else is unknown."""
    value = attributes.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < math.inf else None


def _flag(value: Value) -> bool | None:
    return value if isinstance(value, bool) else None


def _probability(value: Value) -> float | None:
    """Return a probability that a decision can have; anything else is unknown."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if LEAST_PROBABILITY <= value <= 1 else None


def _invents(attributes: Mapping[str, Value]) -> bool:
    codes = attributes.get(semconv.SQLOBS_FAILURE_CODES)
    return isinstance(codes, list) and not SCHEMA_HALLUCINATION_CODES.isdisjoint(map(str, codes))


def _report_kind(record: Record) -> ReportKind:
    if record.event == semconv.EVENT_EXECUTION:
        return "execution"
    is_feedback = record.attributes.get(semconv.GEN_AI_EVALUATION_NAME) == FEEDBACK
    return "feedback" if is_feedback else "evaluation"


def _is_negative(attributes: Mapping[str, Value]) -> bool:
    kind = _text(attributes, semconv.SQLOBS_FEEDBACK_KIND)
    return (kind, _text(attributes, semconv.SQLOBS_FEEDBACK_VALUE)) in _NEGATIVE
