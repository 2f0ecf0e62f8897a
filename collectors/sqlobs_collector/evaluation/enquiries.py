"""What the judge is to be asked about an evaluated unit, or the reason why it is not asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.judge.item import JudgeItem
from sqlobs.judge.verdicts.rendering import render
from sqlobs_collector.evaluation.requests import Skip, request_of, target_of
from sqlobs_collector.store.question import pack_question
from sqlobs_collector.store.rows import Enquiry, Evaluated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.outcome import PairOutcome
    from sqlobs.failure_codes import Reason
    from sqlobs_collector.evaluation.content import Content
    from sqlobs_collector.evaluation.requests import Targets
    from sqlobs_collector.evaluation.schemas import Schemas
    from sqlobs_collector.evaluation.scoring import Score
    from sqlobs_collector.store.rows import Queued

WITH_REFERENCE: Final = "flex"
WITHOUT_REFERENCE: Final = "flex_noref"
_NOT_READ_ONLY: Final = "not_read_only"
_RANDOMNESS_BYTES: Final = 7


@dataclass(frozen=True, slots=True)
class Findings:
    """What the evaluation of a unit found."""

    unit: Queued
    content: Content
    reference: str | None
    pair: PairOutcome | None
    """`None`: nothing was run."""
    scores: Sequence[Score]


class Enquirer:
    """Prepares what the judge is asked."""

    def __init__(self, schemas: Schemas, *, targets: Targets, version: str, rate: float) -> None:
        """Set up.

        Args:
            schemas: The schemas that the judge reads.
            targets: The databases, for their dialects and hints.
            version: Part of the key of a verdict: another model's is another.
            rate: The share of evaluated units that is judged.
        """
        self._schemas = schemas
        self._targets = targets
        self._version = version
        self._rate = rate

    def enquire(self, findings: Findings, *, at_ns: int) -> Enquiry | Evaluated:
        """Return the enquiry about a unit, or the evaluation that says why there is none."""
        metric = WITHOUT_REFERENCE if findings.reference is None else WITH_REFERENCE
        unit_id = findings.unit.unit_id
        item = self._item(findings)
        if isinstance(item, JudgeItem):
            return Enquiry(
                unit_id, metric, self._version, pack_question(item), self._rate, queued_ns=at_ns
            )
        return Evaluated(
            unit_id,
            metric,
            self._version,
            "not_evaluated",
            "llm",
            created_ns=at_ns,
            reason=item.reason,
            emitted_ns=at_ns,
        )

    def _item(self, findings: Findings) -> JudgeItem | Skip:
        unit, content = findings.unit, findings.content
        reason = self._obstacle(findings)
        if reason is not None or content.sql is None:
            return Skip(reason or "content_not_captured")
        alias = target_of(unit, self._targets)
        schema = self._schemas.text(
            workspace=unit.workspace, version=unit.schema_version, alias=alias
        )
        if schema is None:
            return Skip("schema_unknown")
        settings = None if alias is None else self._targets.known[alias]
        hints = [content.hints, settings.hints if settings else None]
        item = JudgeItem(
            sql=content.sql,
            question=content.question,
            dialect=settings.dialect if settings else unit.dialect,
            schema=schema,
            hints="\n".join(filter(None, hints)) or None,
            reference=findings.reference,
        )
        return item if findings.pair is None else _with_outcome(item, findings, findings.pair)

    def _obstacle(self, findings: Findings) -> Reason | None:
        """Return why the judge is not asked, whatever the schema is."""
        request = request_of(findings.unit, findings.content, self._targets)
        if isinstance(request, Skip) and request.reason != "no_target":
            return request.reason
        if findings.content.question is None:
            return "content_not_captured"
        refusal = findings.pair.prediction.refusal if findings.pair else None
        if refusal is not None and not (refusal == _NOT_READ_ONLY and findings.reference):
            return "refused"
        compared = next((one.reason for one in findings.scores if one.metric == "ex"), None)
        if findings.reference is not None and compared is not None:
            return compared
        return None if _is_chosen(findings.unit.trace_id, self._rate) else "sampled_out"


def _with_outcome(item: JudgeItem, findings: Findings, pair: PairOutcome) -> JudgeItem:
    """Return the item with what running showed: results only where the judge is to see them."""
    predicted = pair.prediction
    if predicted.outcome.status != "ok":
        error = predicted.failure_code or predicted.refusal or predicted.outcome.status
        return replace(item, predicted_error=str(error), results_equal=False)
    if any(one.metric == "ex" and one.label == "pass" for one in findings.scores):
        return replace(item, results_equal=True)
    shown = replace(item, predicted_result=render(predicted.outcome.table))
    if pair.reference is None:
        return shown
    reference_result = render(pair.reference.outcome.table)
    return replace(shown, results_equal=False, reference_result=reference_result)


def _is_chosen(trace_id: str, rate: float) -> bool:
    """Decide by a hash of the trace: independent of what kept the unit, the same at a replay."""
    digest = hashlib.blake2b(trace_id.encode(), digest_size=_RANDOMNESS_BYTES, person=b"judge")
    share = int.from_bytes(digest.digest(), "big") / (1 << 8 * _RANDOMNESS_BYTES)
    return share < rate
