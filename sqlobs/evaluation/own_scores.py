"""Adds the metrics of the user's own to the row of a case; an error is a reason, never a crash."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.evaluation.own_metric import MetricCase, fault_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.own_metric import Metric
    from sqlobs.execution.outcome import Execution
    from sqlobs.runs.case import CaseResult


def with_own_scores(
    row: CaseResult,
    case: Case,
    metrics: Sequence[Metric],
    *,
    reference: Execution | None = None,
    predicted: Execution | None = None,
) -> CaseResult:
    """Add the value of each metric, or why there is none.

    Args:
        row: The case with everything else that is known.
        case: What the row is about.
        metrics: Computed in this order; each sees the values of those before it.
        reference: The execution of the closest reference; None = it was not run.
        predicted: The prediction's execution.
    """
    if not metrics:
        return row
    given = _given(row, case, reference, predicted)
    for metric in metrics:
        reason = _missing(metric, row, given)
        if reason is None:
            value, reason = _value(metric, given)
        else:
            value = None
        given.scores[metric.name] = value
        row = replace(row, scores={**row.scores, metric.name: value})
        if reason is not None:
            row = replace(row, unscored={**row.unscored, metric.name: reason})
    return row


def failure_sentences(metrics: Iterable[Metric], rows: Sequence[CaseResult]) -> list[str]:
    """Return a sentence for each metric that failed: on how many cases, and why on the first."""
    sentences = []
    for metric in metrics:
        failed = [row for row in rows if row.unscored.get(metric.name, "").startswith("error: ")]
        if failed:
            first = failed[0]
            fault = first.unscored[metric.name].removeprefix("error: ")
            sentences.append(
                f"metric {metric.name} failed on {len(failed)} of {len(rows)} cases, which it does"
                f" not score; on case {first.id or first.index}: {fault}"
            )
    return sentences


def _given(
    row: CaseResult, case: Case, reference: Execution | None, predicted: Execution | None
) -> MetricCase:
    ran = None if predicted is None else predicted.outcome
    expected = None if reference is None else reference.outcome
    return MetricCase(
        id=case.label,
        question=case.question,
        hint=case.hint,
        db=case.db,
        dialect=row.dialect,
        predicted_sql=row.predicted_sql,
        reference_sql=row.closest_sql,
        predicted=None if ran is None else ran.table,
        reference=None if expected is None else expected.table,
        predicted_error=None if ran is None or ran.status == "ok" else ran.error or ran.status,
        predicted_ms=None if ran is None else ran.elapsed_s * 1000,
        reference_ms=None if expected is None else expected.elapsed_s * 1000,
        check=row.check,
        judge=row.judge,
        scores=dict(row.scores),
    )


def _missing(metric: Metric, row: CaseResult, given: MetricCase) -> str | None:
    """Return the reason why a case lacks what a metric needs; None = it has everything."""
    needs = metric.declaration.needs
    if "reference" in needs and given.reference_sql is None:
        return "no_reference"
    if {"execution", "rows"} & set(needs) and row.predicted is None:
        return "not_executed"
    if "rows" in needs:
        tables = [given.predicted, *([given.reference] if "reference" in needs else [])]
        if any(table is None for table in tables):
            return "no_rows"
        if any(table is not None and table.truncated for table in tables):
            return "truncated"
    if "judge" in needs and (given.judge is None or given.judge.correct is None):
        return "not_judged"
    return None


def _value(metric: Metric, given: MetricCase) -> tuple[float | None, str | None]:
    try:
        value = metric.value(given)
    except Exception as error:  # noqa: BLE001 - whatever the user's code does is a reason
        return None, fault_text(error)
    return value, None if value is not None else "undecided"
