"""The checker's labels of units whose application leaves checking to the collector: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlobs
from sqlobs import semconv
from sqlobs.errors import SqlobsError
from sqlobs.failure_codes import primary
from sqlobs.metrics.labels import is_valid_and_grounded
from sqlobs.scores.registry import SCORES
from sqlobs.scores.score import ScoreResult
from sqlobs.semconv.evaluations import CHECKED, ONLINE
from sqlobs.types import label_of, negated
from sqlobs_collector.evaluation.requests import Skip
from sqlobs_collector.evaluation.scoring import unscored

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.execution.outcome import ExecutionRequest
    from sqlobs.schema.model import Schema
    from sqlobs_collector.evaluation.content import Content


def is_left_open(content: Content) -> bool:
    """Return whether the application left checking to the collector (`check="off"`)."""
    return content.attributes.get(semconv.SQLOBS_SYNTACTIC_REASON) == "check_off"


def checked_scores(
    content: Content,
    request: ExecutionRequest | Skip,
    *,
    schema: Schema | None,
    dialect: str | None,
) -> list[ScoreResult]:
    """Return the labels that the application's check would have given.

    Args:
        content: The unit's content.
        request: The execution request, or why there is none.
        schema: The schema that the SQL was generated for; None = unknown.
        dialect: The target's dialect.
    """
    reason = request.reason if isinstance(request, Skip) else None
    if content.sql is None or reason not in {None, "no_target"}:
        return unscored(ONLINE, reason or "content_not_captured")
    try:
        report = sqlobs.check_sql(content.sql, schema=schema, dialect=dialect, native=False)
    except SqlobsError:  # the dialect is unknown or differs from the schema's
        return unscored(ONLINE, "no_dialect")
    both = is_valid_and_grounded(None, syntactic=report.syntactic, schematic=report.schematic)
    labels = (report.syntactic, report.schematic, negated(report.hallucinated), both)
    return [_score(name, passes, report) for name, passes in zip(CHECKED, labels, strict=True)]


def _score(name: str, passes: bool | None, report: CheckReport) -> ScoreResult:  # noqa: FBT001 - the label
    if passes is None:
        label = "syntactic" if name == "syntactic" else "schematic"
        return SCORES[name].not_evaluated(report.reasons.get(label, "undecided"))
    codes = report.failure_codes
    return ScoreResult(
        name,
        label_of(passes),
        value=float(passes),
        explanation=None if passes else primary(codes),
        detail={"codes": list(codes)} if codes else {},
    )
