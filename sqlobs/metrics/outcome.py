"""From two executions to what may be compared, from scores to a rate with its denominator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.types import ExecutionOutcome

Standing = Literal["compare", "correct", "incorrect", "reference_failed"]
"""What two executions allow: a comparison, a verdict without one, or none at all."""


def standing(reference: ExecutionOutcome | None, predicted: ExecutionOutcome | None) -> Standing:
    """Decide what can be said before any table is looked at.

    None stands for "the question cannot be answered": both sides saying so is correct. A
    prediction that fails, times out or is refused is incorrect. Where the reference fails, nothing
    is known of the prediction.

    Args:
        reference: How the reference ran; None = unanswerable.
        predicted: How the prediction ran; None = it abstained.
    """
    if reference is None:
        return "correct" if predicted is None else "incorrect"
    if reference.status != "ok":
        return "reference_failed"
    if predicted is None or predicted.status != "ok":
        return "incorrect"
    return "compare"


@dataclass(frozen=True, slots=True)
class Scored:
    """One case's score with how it came about."""

    score: float | None
    """None where nothing could be said."""
    reference: ExecutionOutcome | None
    predicted: ExecutionOutcome | None
    is_attempted: bool = True
    """False where the system gave no SQL at all though some was wanted."""


@dataclass(frozen=True, slots=True)
class Tally:
    """A rate and everything that could flatter it."""

    total: int
    attempted: int
    reference_failed: int
    predicted_failed: int
    timed_out: int
    """On either side; also counted under the side that failed."""
    undetermined: int
    """Ran on both sides, but the comparison had no answer."""
    score_sum: float

    @property
    def rate(self) -> float | None:
        """The mean over cases that have a score; None without any."""
        return _ratio(self.score_sum, self.total - self.reference_failed - self.undetermined)

    @property
    def rate_of_all(self) -> float | None:
        """The mean over all cases, with 0 where there is no score, as BIRD counts."""
        return _ratio(self.score_sum, self.total)

    @property
    def rate_of_attempted(self) -> float | None:
        """The sum of scores over the cases for which the system gave SQL or rightly gave none."""
        return _ratio(self.score_sum, self.attempted)


def tally(cases: Iterable[Scored]) -> Tally:
    """Count cases so that no failure drops out of sight."""
    held = list(cases)
    failed = [case for case in held if _failed(case.reference)]
    return Tally(
        total=len(held),
        attempted=sum(case.is_attempted for case in held),
        reference_failed=len(failed),
        predicted_failed=sum(_failed(case.predicted) for case in held),
        timed_out=sum(_timed_out(case.reference) or _timed_out(case.predicted) for case in held),
        undetermined=sum(case.score is None and not _failed(case.reference) for case in held),
        score_sum=sum(case.score or 0.0 for case in held),
    )


def _failed(outcome: ExecutionOutcome | None) -> bool:
    return outcome is not None and outcome.status != "ok"


def _timed_out(outcome: ExecutionOutcome | None) -> bool:
    return outcome is not None and outcome.status == "timeout"


def _ratio(total: float, count: int) -> float | None:
    return total / count if count else None
