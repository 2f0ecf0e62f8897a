"""Reports, executions and statements as the values of a run's rows."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlobs.metrics.credit_score import Technique
from sqlobs.metrics.diagnosis import diagnose
from sqlobs.metrics.digest import bag_digest
from sqlobs.metrics.labels import SqlCorrectness
from sqlobs.runs.case import CaseResult, CheckFinding, CheckSummary, RunOutcome
from sqlobs.scores.local_verdicts import engine_verdict
from sqlobs.scores.registry import PARTIAL_SCORES, SCORES
from sqlobs.scores.scoring import execution_result
from sqlobs.scores.techniques import technique_scores
from sqlobs.semconv.evaluations import EXECUTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.timing import Timing
    from sqlobs.execution.outcome import Execution
    from sqlobs.metrics.statement_parts import SqlShape
    from sqlobs.runs.case import Assignment, Bucket, CellMode, JudgeVerdict
    from sqlobs.schema.model import Schema
    from sqlobs.scores.comparison import Comparison
    from sqlobs.scores.score import ScoreResult
    from sqlobs.scores.scoring import ScoredRequest

_CACHED_STATEMENTS = 4096
_MOST_COLUMNS = 100
"""A row of the run names no more; there are tables with ten thousand."""


_MATCHING_ROWS = frozenset(
    {
        Technique.EXACT_COLUMN_AND_PARTIAL_CELL,
        Technique.SEMANTIC_COLUMN_AND_PARTIAL_CELL,
        Technique.FREE_COLUMN_AND_PARTIAL_CELL,
    }
)


def case_row(case: Case) -> CaseResult:
    """Return a case's row before its evaluation."""
    return CaseResult(
        index=case.index,
        id=case.id,
        question=case.question,
        sample_of=case.sample_of,
        difficulty=case.difficulty,
        category=case.category,
        db=case.db,
        suite=case.suite,
        decided_by="tests" if case.task else "results" if case.results else "reference",
        dialogue=case.dialogue,
        turn=case.turn,
        hint=case.hint,
        reference_sql=case.references[0] if case.references else None,
        alternatives=case.references[1:],
        has_reference=case.has_reference,
        predicted_sql=case.predicted_sql,
        generation=case.generation,
    )


def score_fields(row: CaseResult, bucket: Bucket, scored: ScoredRequest) -> dict[str, Any]:
    """Return the fields of a row for its scores and the kind of mistake that they indicate.

    Partial credit compares raw cells: a case that the default rule accepts is never a mistake.
    """
    fields: dict[str, Any] = {
        "scores": {**row.scores, **scored.values},
        "unscored": {**row.unscored, **scored.reasons},
    }
    if scored.comparison is not None:
        fields |= _rule_fields(fields["scores"], scored.comparison)
    diagnosis = diagnose(scored.credit) if scored.credit is not None else None
    if diagnosis is not None:
        is_right = bucket == "ok"
        fields["mistake"] = "perfect" if is_right else diagnosis.mistake
        fields["is_close"] = diagnosis.is_close and not is_right
    return fields


def with_scores(row: CaseResult, scored: ScoredRequest) -> CaseResult:
    """Add the scores to a row whose bucket is known."""
    return replace(row, **score_fields(row, row.bucket, scored))


def _rule_fields(scores: Iterable[str], pair: Comparison) -> dict[str, Any]:
    """Return how cells were compared and rows matched, and which scores are of sampled rows."""
    technique = pair.settings.technique
    further = technique_scores(pair.settings.further)
    known = {name: SCORES[name] for name in scores if name in SCORES}
    known |= {score.name: score for score in further}
    by_technique: CellMode = "text" if technique.compares_text else "raw"
    modes = {n: by_technique if each.is_partial else each.cells for n, each in known.items()}
    assignment: Assignment | None = None
    if technique is Technique.UNIFIED_COLUMN_AND_SEMANTIC_ROW:
        assignment = "optimal"
    elif technique in _MATCHING_ROWS:
        assignment = pair.settings.credit.matching.assignment
    sampled = [] if pair.is_cut else _sampled(pair)
    return {
        "cell_mode": {name: mode for name, mode in modes.items() if mode},
        "assignment": assignment,
        "approximate": tuple(name for name in known if name in sampled),
    }


def _sampled(pair: Comparison) -> list[str]:
    """Return the scores that come from a sample of the rows."""
    own = [score.name for score in PARTIAL_SCORES] if pair.credit.is_approximate else []
    sampled = (t for t, credit in pair.further_credits.items() if credit.is_approximate)
    return own + [score.name for t in sampled for score in technique_scores((t,))]


def with_execution(row: CaseResult, predicted: Execution) -> CaseResult:
    """Add whether the engine accepted the prediction, whatever its reference did."""
    return replace(row, **execution_fields(row.scores, row.unscored, predicted))


def execution_fields(
    scores: Mapping[str, float | None], unscored: Mapping[str, str], predicted: Execution
) -> dict[str, Any]:
    """Return scores and reasons with those of whether the engine accepted the prediction."""
    found = execution_result(SCORES[EXECUTION], predicted)
    reasons = {} if found.reason is None else {found.name: found.reason}
    return {"scores": {**scores, found.name: found.value}, "unscored": {**unscored, **reasons}}


def with_verdicts(row: CaseResult, verdicts: Mapping[str, JudgeVerdict]) -> CaseResult:
    """Add verdicts of judges that need no reference, each as a score, too."""
    scores = {
        name: None if found.correct is None else float(found.correct)
        for name, found in verdicts.items()
    }
    reasons = {name: found.reason for name, found in verdicts.items() if found.reason}
    return replace(
        row,
        verdicts=dict(verdicts),
        scores={**row.scores, **scores},
        unscored={**row.unscored, **reasons},
    )


def with_local_verdict(row: CaseResult, found: ScoreResult | None) -> CaseResult:
    """Add the verdict of the engine on this machine; None = it was not asked."""
    if found is None:
        return row
    reasons = {} if found.reason is None else {found.name: found.reason}
    return replace(
        row,
        scores={**row.scores, found.name: found.value},
        unscored={**row.unscored, **reasons},
        local_engine=engine_verdict(found.detail, found.explanation),
    )


def with_timing(row: CaseResult, timing: Timing) -> CaseResult:
    """Add the scores that need times, and how these were measured."""
    return replace(row, scores={**row.scores, **timing.scores}, timed=timing.runs)


def check_summary(sql: str, schema: Schema | None, dialect: str | None) -> CheckSummary:
    """Check a statement and return what a row keeps of the report."""
    from sqlobs.check.checker import check_by

    spoken = None if schema is not None else dialect
    report, strict = check_by(sql, (None, "sql_correctness"), schema=schema, dialect=spoken)
    return CheckSummary(
        sql=report.sql,
        verdict=report.verdict,
        syntactic=report.syntactic,
        schematic=report.schematic,
        failure_code=report.failure_code,
        reasons=dict(report.reasons),
        strict_labels=SqlCorrectness(strict.syntactic, strict.schematic).labels,
        findings=tuple(
            CheckFinding(
                code=finding.code,
                severity=finding.severity,
                message=finding.message,
                identifier=finding.identifier,
                suggestion=finding.suggestion,
                start=finding.start,
                end=finding.end,
                line=finding.line,
                column=finding.column,
            )
            for finding in report.findings
        ),
    )


def outcome_row(execution: Execution, *, has_digest: bool = False) -> RunOutcome:
    """Return an execution without its result's rows, but with their digest if it is wanted."""
    outcome = execution.outcome
    table = outcome.table
    return RunOutcome(
        status=outcome.status,
        elapsed_ms=round(outcome.elapsed_s * 1000, 3),
        error=outcome.error,
        engine_class=execution.engine_class,
        failure_code=execution.failure_code,
        rows=None if table is None else len(table.rows),
        columns=() if table is None else table.columns[:_MOST_COLUMNS],
        is_truncated=table is not None and table.truncated,
        digest=bag_digest(table.rows) if has_digest and table is not None else None,
    )


def shape_of(reference_sql: str | None, dialect: str | None) -> Mapping[str, int]:
    """Return what the reference is made of, to slice by; nothing where it does not parse."""
    return {} if reference_sql is None else _shape(reference_sql, dialect)


def counts_of(shape: SqlShape | None) -> Mapping[str, int]:
    """Return the counts of a statement's parts; nothing without a tree."""
    return {} if shape is None else {name: int(getattr(shape, name)) for name in shape.__slots__}


@lru_cache(_CACHED_STATEMENTS)
def _shape(sql: str, dialect: str | None) -> Mapping[str, int]:
    from sqlobs.metrics.tree_comparison import sql_shape

    return counts_of(sql_shape(sql, dialect=dialect))
