"""Execution match of one case: one bucket, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.metrics.execution_accuracy import ex
from sqlobs.metrics.order_by import ordering_of
from sqlobs.metrics.text_match import is_unanswerable
from sqlobs.runs.case import NO_REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.metrics.match import Match
    from sqlobs.runs.case import Bucket
    from sqlobs.types import ExecutionOutcome


@dataclass(frozen=True, slots=True)
class ExecutionMatch:
    """Where one case ends, and why."""

    bucket: Bucket
    reason: str | None = None
    reference: ExecutionOutcome | None = None
    predicted: ExecutionOutcome | None = None

    @property
    def is_match(self) -> bool:
        """The case passes."""
        return self.bucket == "ok"


def execution_match(
    reference_sql: str | None,
    predicted_sql: str | None,
    *,
    is_read_only: Callable[[str], bool],
    run: Callable[[str], ExecutionOutcome],
    dialect: str | None = None,
) -> ExecutionMatch:
    """Decide one case: unanswerable, skipped, not a query, failed, or compared by `ex`.

    Two `None`s match without being run. The reference runs first. Statements run as written.

    Args:
        reference_sql: The correct statement; None or `None` = unanswerable.
        predicted_sql: The statement to evaluate.
        is_read_only: Tells whether a text is one statement that only reads.
        run: Runs one statement under limits.
        dialect: sqlglot's name of the dialect, for finding the reference's order.
    """
    early = match_by_text(reference_sql, predicted_sql)
    if early is not None or reference_sql is None or predicted_sql is None:
        return early or ExecutionMatch("other_error")
    if not (is_read_only(reference_sql) and is_read_only(predicted_sql)):
        return ExecutionMatch("non_select")
    try:
        reference = run(reference_sql)
        if reference.table is None:
            return match_of_outcomes(reference, None, None)
        predicted = run(predicted_sql)
        ordering = ordering_of(reference_sql, dialect=dialect)
        if predicted.table is None:
            return match_of_outcomes(reference, predicted, None)
        match = ex(reference.table, predicted.table, ordering=ordering)
        return match_of_outcomes(reference, predicted, match)
    except Exception as error:  # noqa: BLE001 - the bucket of everything unexpected
        return ExecutionMatch("other_error", f"{type(error).__name__}: {error}")


def match_by_text(reference_sql: str | None, predicted_sql: str | None) -> ExecutionMatch | None:
    """Decide a case that needs no execution: a side is `None`, or the prediction is empty."""
    lacks = is_unanswerable(reference_sql), is_unanswerable(predicted_sql)
    if any(lacks):
        return ExecutionMatch("ok") if all(lacks) else ExecutionMatch("mismatch", "one_side_none")
    if predicted_sql is not None and not predicted_sql.strip():
        return ExecutionMatch("skipped", "empty_prediction")
    return None


def match_of_outcomes(
    reference: ExecutionOutcome, predicted: ExecutionOutcome | None, match: Match | None
) -> ExecutionMatch:
    """Decide a case by how both statements ran.

    Args:
        reference: The reference's execution.
        predicted: The prediction's execution; `None`: not run, because the reference failed.
        match: Whether the results are equal; `None` without two results.
    """
    sides = (("reference", reference), ("prediction", predicted))
    for side, outcome in sides:
        if outcome is not None and outcome.status == "refused":
            return ExecutionMatch("non_select", f"{side}: {outcome.error}", reference, predicted)
    for side, outcome in sides:
        if outcome is not None and outcome.table is None:
            bucket = _bucket_of_failure(side, outcome)
            return ExecutionMatch(bucket, f"{side}: {outcome.error}", reference, predicted)
    if match is None:
        return ExecutionMatch("other_error", "not_run", reference, predicted)
    if match.equal is None:
        return ExecutionMatch("other_error", match.reason, reference, predicted)
    return ExecutionMatch("ok" if match.equal else "mismatch", None, reference, predicted)


def match_alone(predicted: ExecutionOutcome) -> ExecutionMatch:
    """Decide a case without a reference: whether the prediction ran is all that is known."""
    if predicted.status == "refused":
        return ExecutionMatch("non_select", f"prediction: {predicted.error}", predicted=predicted)
    if predicted.table is None:
        bucket = _bucket_of_failure("prediction", predicted)
        return ExecutionMatch(bucket, f"prediction: {predicted.error}", predicted=predicted)
    return ExecutionMatch("skipped", NO_REFERENCE, predicted=predicted)


def _bucket_of_failure(side: str, outcome: ExecutionOutcome) -> Bucket:
    if outcome.status == "timeout":
        return "timeout"
    if outcome.status == "not_run":
        return "other_error"
    return "gold_fail" if side == "reference" else "pred_fail"
