"""What a judge, human or model, is shown of an evaluated unit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sqlobs.judge.item import JudgeItem
from sqlobs.judge.verdicts.rendering import render
from sqlobs_collector.evaluation.requests import Skip, target_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.outcome import ExecutionRequest, PairOutcome
    from sqlobs.scores.score import ScoreResult
    from sqlobs_collector.evaluation.content import Content
    from sqlobs_collector.evaluation.requests import Targets
    from sqlobs_collector.evaluation.schemas import KnownSchema, Schemas
    from sqlobs_collector.masking import Masker
    from sqlobs_collector.store.rows import Queued


_TEXTS: Final = (
    *("sql", "question", "hints", "reference", "predicted_error"),
    *("predicted_result", "reference_result"),
)


@dataclass(frozen=True, slots=True)
class Findings:
    """What the evaluation of a unit found."""

    unit: Queued
    content: Content
    request: ExecutionRequest | Skip
    """The execution request, or why there is none."""
    reference: str | None
    pair: PairOutcome | None
    """`None` = nothing was run."""
    scores: Sequence[ScoreResult]


class JudgeItems:
    """Builds items from findings."""

    def __init__(self, schemas: Schemas, targets: Targets, masker: Masker) -> None:
        """Set up.

        Args:
            schemas: The schemas for the judge.
            targets: The databases, for their dialects and hints.
            masker: What of an item must not be stored.
        """
        self._masker = masker
        self._schemas = schemas
        self._targets = targets

    def item(self, findings: Findings, sql: str) -> JudgeItem:
        """Return a unit's statement with all that is known for judging it."""
        unit, content = findings.unit, findings.content
        known = self.schema(findings)
        alias = target_of(unit, self._targets)
        settings = None if alias is None else self._targets.known[alias]
        hints = [content.hints, settings.hints if settings else None]
        dialect = settings.dialect if settings else unit.dialect
        item = JudgeItem(
            sql=sql,
            question=content.question,
            dialect=dialect,
            schema=known.text([sql, findings.reference], dialect=dialect) if known else None,
            hints="\n".join(filter(None, hints)) or None,
            reference=findings.reference,
        )
        return item if findings.pair is None else _with_outcome(item, findings, findings.pair)

    def storable(self, item: JudgeItem) -> JudgeItem:
        """Return an item as it may be stored: masked, without results of columns in the rules."""
        masker = self._masker
        if not masker.is_active:
            return item
        if masker.names_column(item.sql) or masker.names_column(item.reference):
            item = replace(item, predicted_result=None, reference_result=None)
        texts: dict[str, Any] = {
            name: masker.text(said)
            for name in _TEXTS
            if isinstance(said := getattr(item, name), str)
        }
        return replace(item, **texts, facts=tuple(map(masker.text, item.facts)))

    def schema(self, findings: Findings) -> KnownSchema | None:
        """Return the schema that a unit was generated for; None: it is unknown."""
        unit = findings.unit
        return self._schemas.find(
            workspace=unit.workspace,
            version=unit.schema_version,
            alias=target_of(unit, self._targets),
        )


def _with_outcome(item: JudgeItem, findings: Findings, pair: PairOutcome) -> JudgeItem:
    """Return the item with the execution's outcome; results only if the judge may see them."""
    predicted = pair.prediction
    if predicted.outcome.status != "ok":
        error = predicted.failure_code or predicted.refusal or predicted.outcome.status
        return replace(item, predicted_error=str(error), results_equal=False)
    if any(one.name == "ex" and one.label == "pass" for one in findings.scores):
        return replace(item, results_equal=True)
    shown = replace(item, predicted_result=render(predicted.outcome.table))
    if pair.reference is None:
        return shown
    reference_result = render(pair.reference.outcome.table)
    return replace(shown, results_equal=False, reference_result=reference_result)
