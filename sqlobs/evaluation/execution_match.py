"""Execution match of a pipeline's run: one bucket a case, and the summary of all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from sqlobs.metrics.execution_accuracy import ex
from sqlobs.metrics.ordering import ordering_of
from sqlobs.metrics.text_match import exact_match, is_unanswerable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlobs.types import ExecutionOutcome

Bucket = Literal[
    "ok",
    "mismatch",
    "skipped",
    "non_select",
    "gold_fail",
    "pred_fail",
    "timeout",
    "other_error",
]

BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
"""In the order in which they are shown; every case is in exactly one."""


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


@dataclass(frozen=True, slots=True)
class PipelineCase:
    """What the summary needs to know of one case."""

    reference_sql: str | None
    predicted_sql: str | None
    is_exact: bool | None
    """EM; None where it was not asked for."""
    bucket: Bucket | None
    """ESM's bucket; None where it was not asked for."""

    @classmethod
    def of(
        cls, reference_sql: str | None, predicted_sql: str | None, bucket: Bucket | None
    ) -> PipelineCase:
        """Return the case with its exact match."""
        return cls(reference_sql, predicted_sql, exact_match(reference_sql, predicted_sql), bucket)


@dataclass(frozen=True, slots=True)
class PassRate:
    """A count of passes over all cases and over those attempted, in percent with one decimal."""

    passed: int
    total: int
    attempted: int

    @property
    def percent(self) -> float | None:
        """Passes over all cases; None without any."""
        return _percent(self.passed, self.total)

    @property
    def percent_of_attempted(self) -> float | None:
        """Passes over the cases with a prediction; None without any."""
        return _percent(self.passed, self.attempted)


@dataclass(frozen=True, slots=True)
class PipelineSummary:
    """The figures of one run."""

    total: int
    empty_predictions: int
    unanswerable: int
    """Cases in which both sides say so."""
    exact: PassRate
    execution: PassRate
    buckets: dict[Bucket, int]


def pipeline_summary(cases: Iterable[PipelineCase]) -> PipelineSummary:
    """Count a run's cases: exact match, execution match, buckets."""
    held = list(cases)
    empty = sum(case.predicted_sql is not None and not case.predicted_sql.strip() for case in held)
    counts = Counter(case.bucket for case in held if case.bucket is not None)
    attempted = len(held) - empty
    return PipelineSummary(
        total=len(held),
        empty_predictions=empty,
        unanswerable=sum(
            is_unanswerable(case.reference_sql) and is_unanswerable(case.predicted_sql)
            for case in held
        ),
        exact=PassRate(sum(bool(case.is_exact) for case in held), len(held), attempted),
        execution=PassRate(counts["ok"], len(held), attempted),
        buckets={bucket: counts[bucket] for bucket in BUCKETS},
    )


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
