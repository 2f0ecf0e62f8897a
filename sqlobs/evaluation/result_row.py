"""The row of a case whose reference is a result in a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.difference import difference_of
from sqlobs.evaluation.execution_match import match_of_outcomes
from sqlobs.evaluation.rows import outcome_row
from sqlobs.metrics.match import DIFFERENT, EQUAL
from sqlobs.metrics.ordering import UNORDERED
from sqlobs.scores.registry import SCORES
from sqlobs.types import ExecutionOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.evaluation.gold_results import GoldResult
    from sqlobs.execution.outcome import Execution
    from sqlobs.runs.case import Bucket, CaseResult

_SCORE: Final = SCORES["spider2_match"]


def result_row(
    row: CaseResult, predicted: Execution | None, results: Sequence[GoldResult]
) -> CaseResult:
    """Return a case's row with its outcome: the prediction matches one of the results, or none.

    Args:
        row: The row so far.
        predicted: The prediction's execution; `None` without a statement.
        results: The correct results.

    Raises:
        InputError: a file is no result.
    """
    if predicted is None:
        scores = {**row.scores, _SCORE.name: 0.0}
        bucket: Bucket = "mismatch" if row.predicted_sql is None else "skipped"
        reason = "one_side_none" if row.predicted_sql is None else "empty_prediction"
        return replace(row, bucket=bucket, reason=reason, scores=scores)
    table = predicted.outcome.table
    is_match = table is not None and any(result.matches(table) for result in results)
    gold = results[0].table()
    outcome = ExecutionOutcome(status="ok", table=gold)
    found = match_of_outcomes(outcome, predicted.outcome, EQUAL if is_match else DIFFERENT)
    known = {} if found.bucket == "other_error" else {_SCORE.name: float(is_match)}
    row = replace(
        row,
        bucket=found.bucket,
        reason=found.reason,
        predicted=outcome_row(predicted),
        scores={**row.scores, **known},
    )
    if found.bucket != "mismatch" or table is None:
        return row
    return replace(row, difference=difference_of(gold, table, ordering=UNORDERED))
