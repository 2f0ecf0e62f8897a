"""Effects of a late report on a unit: its own result, or another evaluation; pure."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from sqlobs import semconv
from sqlobs.scores.registry import SCORES
from sqlobs.semconv.evaluations import CORRECTION, FEEDBACK
from sqlobs.types import Label
from sqlobs_collector.store import payload
from sqlobs_collector.store.feedback import opinion_of
from sqlobs_collector.store.rows import Evaluated, feedback_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.store.payload import Value
    from sqlobs_collector.store.rows import Joinable

_REPORTED_VERSION: Final = "1"
_VERSION_CHARACTERS: Final = 64
_KINDS: Final = frozenset({"static", "native", "llm", "engine", "human"})
_LABELS: Final = frozenset(get_args(Label))
_EVALUATED: Final = frozenset(
    {"done", "error", "truncated", "nondeterministic", "refused", "expired"}
)
"""States of units that went through the evaluation."""
_NOT_RUN_HERE: Final = frozenset({"no_target", "content_not_captured", "target_unavailable"})


@dataclass(frozen=True, slots=True)
class LateReportEffect:
    """The effects of one report."""

    evaluated: Evaluated | None = None
    """A result that the report itself is."""
    is_requeued: bool = False
    """Whether to evaluate the unit again because of new facts."""


def late_report_effect_of(report: Joinable) -> LateReportEffect:
    """Return what follows from a report about its unit as it stands."""
    if report.payload is None:
        return LateReportEffect()
    said = payload.unpack(report.payload)
    was_evaluated = report.state in _EVALUATED and report.has_payload
    if report.kind == "execution":
        return LateReportEffect(is_requeued=was_evaluated and report.reason in _NOT_RUN_HERE)
    return LateReportEffect(
        evaluated=_evaluated(report, said.attributes),
        is_requeued=was_evaluated and said.correction is not None,
    )


def _evaluated(report: Joinable, said: Mapping[str, Value]) -> Evaluated | None:
    name = _text(said, semconv.GEN_AI_EVALUATION_NAME)
    label = _text(said, semconv.GEN_AI_EVALUATION_SCORE_LABEL)
    if name not in SCORES or name == CORRECTION or label not in _LABELS:
        return None
    is_feedback = name == FEEDBACK
    version = _text(said, semconv.SQLOBS_EVALUATOR_VERSION)
    kind = _text(said, semconv.SQLOBS_EVALUATOR_KIND)
    return Evaluated(
        unit_id=report.unit.unit_id,
        metric=str(name),
        # All feedback is kept, whichever version of the unit has it; the latest counts.
        version=feedback_version(report.record_id) if is_feedback else version or _REPORTED_VERSION,
        label=str(label),  # type: ignore[arg-type]  # one of _LABELS
        kind=kind if kind in _KINDS else "human" if is_feedback else "static",
        created_ns=report.occurred_ns,
        value=_number(said.get(semconv.GEN_AI_EVALUATION_SCORE_VALUE)),
        reason=_text(said, semconv.SQLOBS_REASON),
        explanation=_text(said, semconv.GEN_AI_EVALUATION_EXPLANATION, cap=1024),
        detail=json.dumps(opinion_of(said)) if is_feedback else None,
    )


def _text(said: Mapping[str, Value], name: str, *, cap: int = _VERSION_CHARACTERS) -> str | None:
    value = said.get(name)
    return value[:cap] if isinstance(value, str) else None


def _number(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
