"""Execution match of one case: one bucket, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.metrics.execution_accuracy import ex
from sqlobs.metrics.ordering import ordering_of
from sqlobs.metrics.text_match import is_unanswerable

if TYPE_CHECKING:
    from collections.abc import Callable

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
        predicted_sql: The statement to judge.
        is_read_only: Tells whether a text is one statement that only reads.
        run: Runs one statement under limits.
        dialect: sqlglot's name of the dialect, for finding the reference's order.
    """
    lacks = is_unanswerable(reference_sql), is_unanswerable(predicted_sql)
    if all(lacks):
        return ExecutionMatch("ok")
    if reference_sql is None or predicted_sql is None or any(lacks):
        return ExecutionMatch("mismatch", "one_side_none")
    if not predicted_sql.strip():
        return ExecutionMatch("skipped", "empty_prediction")
    if not (is_read_only(reference_sql) and is_read_only(predicted_sql)):
        return ExecutionMatch("non_select")
    try:
        return _compared(reference_sql, predicted_sql, run, dialect)
    except Exception as error:  # noqa: BLE001 - the bucket of everything unexpected
        return ExecutionMatch("other_error", f"{type(error).__name__}: {error}")


def _compared(
    reference_sql: str,
    predicted_sql: str,
    run: Callable[[str], ExecutionOutcome],
    dialect: str | None,
) -> ExecutionMatch:
    reference = run(reference_sql)
    if reference.table is None:
        bucket: Bucket = "timeout" if reference.status == "timeout" else "gold_fail"
        return ExecutionMatch(bucket, f"reference: {reference.error}", reference)
    predicted = run(predicted_sql)
    if predicted.table is None:
        bucket = "timeout" if predicted.status == "timeout" else "pred_fail"
        return ExecutionMatch(bucket, f"prediction: {predicted.error}", reference, predicted)
    match = ex(
        reference.table,
        predicted.table,
        ordering=ordering_of(reference_sql, dialect=dialect),
    )
    if match.equal is None:
        return ExecutionMatch("other_error", match.reason, reference, predicted)
    return ExecutionMatch("ok" if match.equal else "mismatch", None, reference, predicted)
