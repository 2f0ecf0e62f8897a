"""The outcome of evaluating a unit: rows, a state, and labels to count; pure."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.catalog import checker_version
from sqlobs.semconv import evaluations
from sqlobs.semconv.evaluations import EXECUTION, LOCAL_ENGINE
from sqlobs.types import label_of
from sqlobs_collector.evaluation.scoring import COMPARED, state_of
from sqlobs_collector.store.judge_rows import Inquiry
from sqlobs_collector.store.rollup import HOUR_NS
from sqlobs_collector.store.rows import WAIT, Evaluated, Transition

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.execution.outcome import Execution
    from sqlobs.failure_codes import Reason
    from sqlobs.scores.score import ScoreResult
    from sqlobs_collector.evaluation.references import Reference
    from sqlobs_collector.store.rows import Queued

SCORING_VERSION: Final = "1"
"""Part of an evaluation's key: changed scoring is a new version of the evaluation."""
UNAVAILABLE_PATIENCE_S: Final = 3600
"""A unit whose target is unreachable for this long expires."""
ATTEMPTS: Final = 5
"""Maximum attempts on a unit that causes internal errors."""
_UNTRIED: Final[frozenset[Reason]] = frozenset(
    {
        "no_reference",
        "no_target",
        "content_not_captured",
        "abstained",
        "clarified",
        "cancelled",
        "call_failed",
    }
)
"""Reasons for which nothing was tried; they are not sent to the backend."""
CHECKED: Final = frozenset(evaluations.CHECKED)
"""The evaluations that are the checker's."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit with all of its results."""

    unit: Queued
    scores: list[ScoreResult]
    checked: Sequence[ScoreResult] = ()
    """The checker's labels that the application did not evaluate."""
    local: ScoreResult | None = None
    """The local engine's verdict; None: it was not asked."""
    execution: Execution | None = None
    """That of the prediction, if it was sent to a target."""
    wanted: frozenset[str] = frozenset()
    """The evaluations to store; the unit's state depends on all of them."""
    reference: Reference | None = None
    inquiries: Sequence[Inquiry | Evaluated] = ()
    """Requests to the judge, or the reasons for none; empty without a judge."""
    candidates: Sequence[Evaluated] = ()
    """The results for SQL corrected by users."""
    awaits_schema: bool = False
    """Nothing was scored: the schema that the unit names has not come yet."""

    @property
    def kept(self) -> list[ScoreResult]:
        """The scores that become evaluations."""
        local = () if self.local is None else (self.local,)
        found = (*self.checked, *self.scores, *local)
        return [one for one in found if self._is_wanted(one.name)]

    def _is_wanted(self, metric: str) -> bool:
        """Return whether an evaluation is kept: both labels together where both are."""
        if metric == evaluations.HEADLINE:
            return {"syntactic", "schematic"} <= self.wanted
        return metric in self.wanted


def transition_of(one: Scored, *, now_ns: int) -> Transition:
    """Return a unit's next state; held units are retried for a limited time."""
    unit = one.unit
    if one.awaits_schema:
        return Transition(unit.unit_id, "held", "no_schema", now_ns)
    state, reason = state_of(one.scores)
    if state == "held" and reason == "error" and unit.attempts + 1 >= ATTEMPTS:
        state = "error"
    elif state == "held" and now_ns - unit.received_ns > UNAVAILABLE_PATIENCE_S * 10**9:
        state = "expired" if reason != "error" else state
    return Transition(unit.unit_id, state, reason, now_ns)


def static_label(one: Scored) -> str:
    """Return both labels of the checker together: a fail, else an absence, else a pass."""
    found = {score.name: score.label for score in one.checked}
    labels = {
        found.get("syntactic") or label_of(one.unit.syntactic),
        found.get("schematic") or label_of(one.unit.schematic),
    }
    return next((label for label in ("fail", "not_evaluated") if label in labels), "pass")


def engine_label(one: Scored) -> str | None:
    """Return the target's verdict on the statement, else the local engine's; None: there is none.

    One verdict a unit: a statement on which checker and engine disagree counts once.
    """
    found = {score.name: score for score in one.kept}
    ran, local = found.get(EXECUTION), found.get(LOCAL_ENGINE)
    if ran is not None and "engine_label" in ran.detail:
        return str(ran.detail["engine_label"])
    return None if local is None or local.reason is not None else local.label


def kind_of(score: ScoreResult) -> str:
    """Return the kind of the evaluator."""
    return "static" if score.name in CHECKED else "engine"


def row_of(one: Scored, score: ScoreResult, *, now_ns: int) -> Evaluated:
    """Return one score as a row."""
    execution = one.execution if score.name == EXECUTION else None
    detail = dict(score.detail)
    if execution is not None and execution.wait_s is not None:
        detail[WAIT] = execution.wait_s
    reference = one.reference if score.name in COMPARED else None
    if reference is not None:
        detail["reference"] = reference.source
        if reference.source == "golden" and score.name == "ex":
            detail["reference_sql"] = reference.sql  # the file may change later
    is_checked = score.name in CHECKED
    return Evaluated(
        unit_id=one.unit.unit_id,
        metric=score.name,
        version=checker_version() if is_checked else SCORING_VERSION,
        label=score.label,
        kind=kind_of(score),
        created_ns=now_ns,
        value=score.value,
        reason=score.reason,
        explanation=score.explanation,
        detail=json.dumps(detail) if detail else None,
        duration_s=None if execution is None else execution.outcome.elapsed_s,
        golden_set=None if reference is None else reference.golden_set,
        stands_in=is_checked,
        emitted_ns=now_ns if score.reason in _UNTRIED else None,
    )


def judgeable(kept: Iterable[Scored], *, now_ns: int) -> Counter[tuple[str, int]]:
    """Count the units that the judge is asked about, or would be without sampling, by hour."""
    return Counter(
        (one.unit.workspace, now_ns // HOUR_NS)
        for one in kept
        if any(isinstance(row, Inquiry) or row.reason == "sampled_out" for row in one.inquiries)
    )
