"""The figures of one run: exact match, execution match, buckets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlobs.runs.case import BUCKETS, Bucket, CaseResult


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
class RunSummary:
    """The figures of one run."""

    total: int
    empty_predictions: int
    unanswerable: int
    """Cases whose reference says that nothing answers the question, whatever was predicted."""
    without_reference: int
    """Cases with nothing to compare the prediction with: they count in no match."""
    exact: PassRate | None
    """`None` where exact match was not requested."""
    execution: PassRate | None
    """`None` where execution match was not requested."""
    buckets: Mapping[Bucket, int]

    @classmethod
    def of(cls, cases: Iterable[CaseResult]) -> RunSummary:
        """Count a run's cases."""
        held = list(cases)
        counts = Counter(case.bucket for case in held)
        return cls(
            total=len(held),
            empty_predictions=sum(case.is_empty_prediction for case in held),
            unanswerable=sum(case.is_unanswerable for case in held),
            without_reference=sum(not case.has_reference for case in held),
            exact=_rate(held, lambda case: case.em),
            execution=_rate(held, lambda case: case.esm),
            buckets={bucket: counts[bucket] for bucket in BUCKETS},
        )


def _rate(
    cases: Sequence[CaseResult], decide: Callable[[CaseResult], bool | None]
) -> PassRate | None:
    """Return the rate of what was decided; None if nothing was though there are cases."""
    decided = [case for case in cases if decide(case) is not None]
    if cases and not decided:
        return None
    attempted = sum(not case.is_empty_prediction for case in decided)
    return PassRate(sum(decide(case) is True for case in decided), len(decided), attempted)


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
