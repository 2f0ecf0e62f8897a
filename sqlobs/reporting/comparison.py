"""Comparison of runs over the same cases: changed cases, and whether the change is significant."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.metrics.paired_tests import (
    CochranQ,
    McNemar,
    cochran_q,
    holm,
    mcnemar,
    paired_difference_interval,
)
from sqlobs.reporting.figures import failure_figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.metrics.intervals import Interval
    from sqlobs.reporting.figures import Figure
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run


ONE_SIDED: Final = 0.05
"""Significance level: the probability of reporting a regression that does not exist."""


@dataclass(frozen=True, slots=True)
class Change:
    """A case with a different outcome in the two runs."""

    key: str
    before: CaseResult
    after: CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRuns:
    """A run compared with the baseline, over the cases decided in both."""

    baseline: str
    run: str
    both: int
    """Cases that pass in both."""
    neither: int
    fixed: tuple[Change, ...]
    broken: tuple[Change, ...]
    unpaired: int
    """Cases that are in only one run, or undecided in one of them."""
    test: McNemar
    interval: Interval | None
    """95 % interval of the difference of the rates; positive if the run is better."""
    p_adjusted: float
    """The exact p-value, adjusted by Holm's method over all runs compared with the baseline."""
    baseline_cases: tuple[CaseResult, ...] = field(default=(), repr=False)
    """All cases of the baseline, for figures about the baseline alone."""
    run_cases: tuple[CaseResult, ...] = field(default=(), repr=False)

    @property
    def total(self) -> int:
        """Number of compared cases."""
        return self.both + self.neither + len(self.fixed) + len(self.broken)

    @property
    def before(self) -> float | None:
        """The baseline's share of passes; None if there is no common case."""
        return (self.both + len(self.broken)) / self.total if self.total else None

    @property
    def after(self) -> float | None:
        """The run's share of passes."""
        return (self.both + len(self.fixed)) / self.total if self.total else None

    @property
    def difference(self) -> float | None:
        """The change of the share of passes."""
        return (len(self.fixed) - len(self.broken)) / self.total if self.total else None

    @property
    def regression(self) -> float | None:
        """Lower bound (one-sided, 95 %) of the drop in the pass rate; below 0 = may be up."""
        interval = paired_difference_interval(
            *(self.both, len(self.fixed), len(self.broken), self.neither),
            confidence=1 - 2 * ONE_SIDED,
        )
        return None if interval is None else -interval.high

    @property
    def discordant_share(self) -> float:
        """The share of the compared cases whose outcome differs."""
        return self.test.discordant / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class CommonFailures:
    """The cases with execution accuracy 0 in every run, and each run's partial credit on them."""

    keys: tuple[str, ...]
    partial_credit: tuple[tuple[str, tuple[Figure, ...]], ...]
    """Each run's figures over these cases, in the given order."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs compared with the first."""

    pairs: tuple[PairedRuns, ...]
    all_equal: CochranQ | None
    """Cochran's test over all runs at once; None with two runs, or if no case differs."""
    common: CommonFailures = CommonFailures((), ())


def compare(runs: Sequence[Run]) -> Comparison:
    """Compare runs with the first of them, case by case, by execution match.

    Cases are paired by ID if every case has a unique one, else by position.

    Raises:
        InputError: fewer than two runs, no common case, or another question at the same position.
    """
    if len(runs) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise InputError("a comparison needs at least two runs")
    by_id = all(_has_ids(run) for run in runs)
    if not by_id:
        for run in runs[1:]:
            _require_same_questions(runs[0], run)
    keyed = [_keyed(run, by_id=by_id) for run in runs]
    pairs = [
        _paired(runs[0], run, keyed[0], cases)
        for run, cases in zip(runs[1:], keyed[1:], strict=True)
    ]
    empty = next((pair.run for pair in pairs if not pair.total), None)
    if empty is not None:
        raise InputError(
            f"{runs[0].name} and {empty} have no common case that was evaluated in both"
        )
    adjusted = holm([pair.test.p_exact for pair in pairs])
    return Comparison(
        tuple(_with_p(pair, p) for pair, p in zip(pairs, adjusted, strict=True)),
        _all_at_once(keyed) if len(runs) > 2 else None,  # noqa: PLR2004 - two have McNemar
        _common_failures([run.name for run in runs], keyed),
    )


def _common_failures(
    names: Sequence[str], keyed: Sequence[Mapping[str, CaseResult]]
) -> CommonFailures:
    keys = tuple(
        key
        for key in keyed[0]
        if all(key in cases and cases[key].scores.get("ex") == 0 for cases in keyed)
    )
    if not keys:
        return CommonFailures((), ())
    return CommonFailures(
        keys,
        tuple(
            (name, failure_figures([cases[key] for key in keys]))
            for name, cases in zip(names, keyed, strict=True)
        ),
    )


def _require_same_questions(first: Run, other: Run) -> None:
    """Raise if cases paired by position ask different questions."""
    for before, after in zip(first.cases, other.cases, strict=False):
        if None not in {before.question, after.question} and before.question != after.question:
            raise InputError(
                f"case {before.index} of {first.name} asks {before.question!r},"
                f" that of {other.name} {after.question!r}:"
                " give each case a unique id so that they can be paired"
            )


def _has_ids(run: Run) -> bool:
    ids = Counter(case.id for case in run.cases)
    return None not in ids and all(count == 1 for count in ids.values())


def _keyed(run: Run, *, by_id: bool) -> dict[str, CaseResult]:
    return {
        (case.id if by_id and case.id is not None else f"case {case.index}"): case
        for case in run.cases
    }


def _paired(
    baseline: Run, run: Run, before: Mapping[str, CaseResult], after: Mapping[str, CaseResult]
) -> PairedRuns:
    common = [key for key in before if key in after]
    decided = [key for key in common if None not in (before[key].esm, after[key].esm)]
    ends = Counter((before[key].esm, after[key].esm) for key in decided)
    changes = {
        end: tuple(
            Change(key, before[key], after[key])
            for key in decided
            if (before[key].esm, after[key].esm) == end
        )
        for end in ((False, True), (True, False))
    }
    fixed, broken = changes[False, True], changes[True, False]
    both, neither = ends[True, True], ends[False, False]
    return PairedRuns(
        baseline=baseline.name,
        run=run.name,
        both=both,
        neither=neither,
        fixed=fixed,
        broken=broken,
        unpaired=len(before.keys() | after.keys()) - len(decided),
        test=mcnemar(len(fixed), len(broken)),
        interval=paired_difference_interval(both, len(fixed), len(broken), neither),
        p_adjusted=1.0,
        baseline_cases=baseline.cases,
        run_cases=run.cases,
    )


def _with_p(pair: PairedRuns, p: float) -> PairedRuns:
    return replace(pair, p_adjusted=p)


def _all_at_once(keyed: Sequence[Mapping[str, CaseResult]]) -> CochranQ | None:
    rows = [
        [bool(cases[key].esm) for cases in keyed]
        for key in keyed[0]
        if all(key in cases and cases[key].esm is not None for cases in keyed)
    ]
    return cochran_q(rows)
