"""User feedback on a generation, sent as a late `gen_ai.evaluation.result` named `feedback`.

Tests: `tests/telemetry/test_feedback.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.semconv.evaluations import FEEDBACK
from sqlobs.semconv.feedback import OTHER, Opinion, listed_opinion
from sqlobs.tracing.description.attribute_set import QUESTION_CAP, AttributeSet
from sqlobs.unit import TEXT_CAP

if TYPE_CHECKING:
    from sqlobs.tracing.records.record import FeedbackRecord

_logger = logging.getLogger("sqlobs")


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
