"""User feedback on a generation, sent as a late `gen_ai.evaluation.result` named `feedback`.

Tests: `tests/telemetry/test_feedback.py`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.tracing.description.attribute_set import QUESTION_CAP, AttributeSet
from sqlobs.unit import TEXT_CAP

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.tracing.records.record import FeedbackRecord
    from sqlobs.types import Label

EVALUATION: Final = "feedback"
OTHER: Final = "other"

_SCORES: Final = {
    ("thumb", "up"): 1.0,
    ("thumb", "down"): 0.0,
    **{("rating", str(stars)): (stars - 1) / 4 for stars in range(1, 6)},
    ("edit", "accepted"): 1.0,
    ("edit", "corrected"): 0.0,
    ("edit", "rejected"): 0.0,
}
"""Implicit feedback (`reasked`, `exported`, …) has no score."""

_GOOD: Final = 0.5
"""The lowest score that passes."""

_logger = logging.getLogger("sqlobs")


@dataclass(frozen=True, slots=True)
class Opinion:
    """Kind and value of feedback, both from closed lists."""

    kind: str
    value: str

    @property
    def score(self) -> float | None:
        """Between 0 and 1; None for implicit feedback."""
        return _SCORES.get((self.kind, self.value))

    @property
    def label(self) -> Label:
        """The label of the evaluation `feedback`."""
        if self.score is None:
            return "not_evaluated"
        return "pass" if self.score >= _GOOD else "fail"


def opinion_of(record: FeedbackRecord) -> Opinion:
    """Return kind and value for metrics and events; unlisted ones become `other`."""
    kind, value = record.kind, _spelled(record.value)
    values = semconv.FEEDBACK_VALUES.get(kind)
    if values is None:
        _warn_once()
        return Opinion(OTHER, OTHER)
    return Opinion(kind, value if value in values else OTHER)


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
    attributes.put(semconv.GEN_AI_EVALUATION_NAME, EVALUATION)
    return attributes


def _spelled(value: str | float | None) -> str:
    """Return a value as the lists spell it; 4.0 stars are `4`."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().lower()


@cache
def _warn_once() -> None:
    _logger.warning(
        "sqlobs: unknown kind of feedback, counted as %r. Use one of %s (logged once)",
        OTHER,
        ", ".join(semconv.FEEDBACK_VALUES),
    )
