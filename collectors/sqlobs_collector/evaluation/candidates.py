"""Candidates: SQL that users corrected, checked, run and compared, but never a reference by itself.

Anyone who may send feedback may send any SQL. It becomes a reference only if someone with access to
the golden file accepts it (`sqlobs golden`), based on these findings.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import sqlobs
from sqlobs.errors import SqlobsError
from sqlobs.semconv.evaluations import CORRECTION, EXECUTION
from sqlobs.types import label_of
from sqlobs_collector.evaluation.requests import Skip
from sqlobs_collector.evaluation.scoring import scores_of
from sqlobs_collector.store import payload
from sqlobs_collector.store.rows import Evaluated, feedback_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import ExecutionRequest
    from sqlobs.schema.model import Schema
    from sqlobs.scores.score import ScoreResult
    from sqlobs.types import Label
    from sqlobs_collector.store.rows import Reported

MOST: Final = 5
"""Maximum candidates per unit: each is run up to twice."""
_COMPARED: Final = "ex"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement proposed by a user."""

    record_id: str
    """ID of the feedback that contains it."""
    sql: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What candidates of one unit are compared with."""

    unit_id: int
    request: ExecutionRequest | Skip
    answer: str | None
    """The generated SQL."""
    reference: str | None
    schema: Schema | None
    dialect: str | None


def candidates_of(reports: Iterable[Reported]) -> list[Candidate]:
    """Return the latest corrections among a unit's reports, oldest first."""
    feedback = ((one, payload.unpack(one.payload)) for one in reports if one.kind == "feedback")
    found = [
        Candidate(one.record_id, said.correction)
        for one, said in feedback
        if said.correction is not None
    ]
    return found[-MOST:]


def examined(
    candidate: Candidate, standing: Standing, *, executor: Executor | None, at_ns: int
) -> Evaluated:
    """Check and run a candidate, and compare its rows with the answer's and the reference's.

    Only the result of the comparison is stored.
    """
    found = _checked(candidate.sql, standing)
    label, reason = _ran(candidate.sql, standing, executor, found)
    is_broken = found.get("verdict") == "failed"
    return Evaluated(
        unit_id=standing.unit_id,
        metric=CORRECTION,
        version=feedback_version(candidate.record_id),
        label="fail" if is_broken else label,
        kind="engine",
        created_ns=at_ns,
        reason=None if is_broken else reason,
        explanation=str(found["failure_code"]) if found.get("failure_code") else None,
        detail=json.dumps({"record": candidate.record_id, **found}),
        emitted_ns=at_ns,  # a candidate is not a score, so no backend receives it
    )


def _checked(sql: str, standing: Standing) -> dict[str, object]:
    try:
        report = sqlobs.check_sql(
            sql, schema=standing.schema, dialect=standing.dialect, native=False
        )
    except SqlobsError:  # the dialect is unknown or differs from the schema's
        return {"verdict": "not_evaluated"}
    return {"verdict": report.verdict, "failure_code": report.failure_code}


def _ran(
    sql: str, standing: Standing, executor: Executor | None, found: dict[str, object]
) -> tuple[Label, str | None]:
    """Run a candidate and add the outcome to `found`; return its label or a reason."""
    if executor is None or isinstance(standing.request, Skip):
        reason = standing.request.reason if isinstance(standing.request, Skip) else "no_target"
        return "not_evaluated", reason
    others = {"answer": standing.answer, "reference": standing.reference}
    execution: ScoreResult | None = None
    for name, other in others.items():
        if other is None and execution is not None:
            continue
        pair = executor.run(replace(standing.request, sql=sql, reference=other))
        scores = {score.name: score for score in scores_of(pair)}
        execution = scores[EXECUTION]
        if other is not None:
            found[f"equals_{name}"] = _as_bool(scores[_COMPARED].label)
    if execution is None:
        return "not_evaluated", "error"
    found["execution"] = execution.label
    if execution.label == "fail" and not found.get("failure_code"):
        found["failure_code"] = execution.explanation
    return label_of(_as_bool(execution.label)), execution.reason


def _as_bool(label: Label) -> bool | None:
    return None if label == "not_evaluated" else label == "pass"
