"""A generation as a unit: the record that the collector executes and judges.

Tests: `tests/telemetry/test_unit.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.tracing.description.attribute_set import cut_text
from sqlobs.tracing.description.attributes import (
    Capture,
    execution_attributes,
    generation_attributes,
)
from sqlobs.unit import TEXT_CAP, Unit

if TYPE_CHECKING:
    from sqlobs.config import CollectorCapture
    from sqlobs.tracing.records.record import GenerationRecord
    from sqlobs.unit import AttributeValue


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
        question_text=_capped(texts.question),
        reference_query_text=_capped(texts.reference),
        hint_text=_capped(texts.hint),
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
        semconv.SQLOBS_GENERATION_ID: record.generation_id,
        semconv.SQLOBS_QUESTION_DIGEST: record.texts.question_digest,
        semconv.SQLOBS_REFERENCE_CASE_ID: record.context.case_id,
        semconv.SQLOBS_TRACE_SAMPLED: record.span.sampled,
        semconv.SQLOBS_SAMPLING_PROBABILITY: 1.0,  # every request is sent
    }
    return {name: value for name, value in values.items() if value is not None}


def _capped(text: str | None) -> str | None:
    return None if text is None else cut_text(text, TEXT_CAP)[0]
