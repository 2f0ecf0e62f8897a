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
from sqlobs.reporting.failures import reason_of
from sqlobs.reporting.figures import failure_figures, headline_rate
from sqlobs.reporting.joint_figures import joint_figures
from sqlobs.reporting.judge_cost import judge_cost
from sqlobs.reporting.paired_figures import Change, adjusted, paired_figures
from sqlobs.reporting.slices import CASE_FIELDS, MOST_LEVELS, ordered_levels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.metrics.intervals import Interval
    from sqlobs.reporting.figures import Figure
    from sqlobs.reporting.joint_figures import JointFigure
    from sqlobs.reporting.judge_cost import JudgeCost
    from sqlobs.reporting.paired_figures import PairedFigure
    from sqlobs.reporting.rates import Rate
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run


CHANCE: Final = 0.05
"""A p-value below this is called statistically significant."""
ONE_SIDED: Final = 0.05
"""Significance level: the probability of reporting a regression that does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedLevel:
    """The main rate of the compared cases with one value of a field: one difficulty, database."""

    name: str
    """The field and its value: `difficulty=hard`."""
    title: str
    value: str
    total: int
    before: int
    """Cases that pass in the baseline."""
    after: int
    fixed: int
    broken: int
    interval: Interval | None
    """95 % interval of the difference of the rates."""

    @property
    def difference(self) -> float:
        """The change of the share of passes."""
        return (self.after - self.before) / self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRuns:
    """A run compared with the baseline, over the cases decided in both."""

    baseline: str
    run: str
    name: str
    """The rate that decides which cases pass: execution match, without references the labels."""
    title: str
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
    figures: tuple[PairedFigure, ...] = ()
    """All other figures that any case has in both runs."""
    judging: tuple[JudgeCost | None, JudgeCost | None] = (None, None)
    """What the judges of the baseline and of the run cost."""
    levels: tuple[PairedLevel, ...] = ()
    """The main rate by the fields of the cases."""

    def has_changed(self, name: str) -> bool:
        """Return whether a figure, or the main rate, differs significantly from the baseline's."""
        by_name = {figure.name: figure.p_adjusted for figure in self.figures}
        p = by_name.get(name, self.p_adjusted if name == self.name else None)
        return p is not None and p < CHANCE

    @property
    def broken_by_reason(self) -> tuple[tuple[str, int], ...]:
        """The cases that fail now, by failure code or bucket, the most frequent reason first."""
        counts = Counter(reason_of(change.after) for change in self.broken)
        return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The cases that fail or pass now, then those that another rate alone counts otherwise."""
        found = {change.key: change for change in (*self.broken, *self.fixed)}
        for figure in self.figures:
            if figure.kind == "rate":
                for change in (*figure.worsened, *figure.improved):
                    found.setdefault(change.key, change)
        return tuple(found.values())

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
    joint: tuple[JointFigure, ...] = ()
    """The main rate and all other figures of all runs side by side; empty with two runs."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of all runs, the baseline first: the columns of `joint`."""
        return (self.pairs[0].baseline, *(pair.run for pair in self.pairs))

    def is_different(self, figure: JointFigure) -> tuple[bool, ...]:
        """Return for each run whether it differs significantly from the baseline in a figure."""
        return (False, *(pair.has_changed(figure.name) for pair in self.pairs))


def compare(runs: Sequence[Run]) -> Comparison:
    """Compare runs with the first of them, case by case: the main rate and all other figures.

    The main rate is execution match; if no case has a reference, whether it is valid and grounded.
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
    main = headline_rate([case for run in runs for case in run.cases])
    pairs = [
        _paired(runs[0], run, keyed[0], cases, main)
        for run, cases in zip(runs[1:], keyed[1:], strict=True)
    ]
    empty = next((pair.run for pair in pairs if not pair.total), None)
    if empty is not None:
        raise InputError(
            f"{runs[0].name} and {empty} have no common case that was evaluated in both"
        )
    p_values = holm([pair.test.p_exact for pair in pairs])
    figures = adjusted([pair.figures for pair in pairs])
    are_several = len(runs) > 2  # noqa: PLR2004 - two have McNemar
    return Comparison(
        tuple(
            replace(pair, p_adjusted=p, figures=family)
            for pair, p, family in zip(pairs, p_values, figures, strict=True)
        ),
        _all_at_once(keyed, main) if are_several else None,
        _common_failures([run.name for run in runs], keyed),
        joint_figures(keyed, main) if are_several else (),
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
    baseline: Run,
    run: Run,
    before: Mapping[str, CaseResult],
    after: Mapping[str, CaseResult],
    main: Rate,
) -> PairedRuns:
    common = [Change(key, before[key], after[key]) for key in before if key in after]
    decided = [pair for pair in common if None not in pair.ends(main)]
    ends = Counter(pair.ends(main) for pair in decided)
    fixed = tuple(pair for pair in decided if pair.ends(main) == (False, True))
    broken = tuple(pair for pair in decided if pair.ends(main) == (True, False))
    both, neither = ends[True, True], ends[False, False]
    return PairedRuns(
        baseline=baseline.name,
        run=run.name,
        name=main.name,
        title=main.title,
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
        figures=paired_figures(common, main=main.name),
        judging=(judge_cost(baseline), judge_cost(run)),
        levels=_levels(decided, main),
    )


def _levels(pairs: Sequence[Change], main: Rate) -> tuple[PairedLevel, ...]:
    """Return the main rate by the fields that slice a run, as far as they split these cases."""
    found: list[PairedLevel] = []
    for name, title, read in CASE_FIELDS:
        groups: dict[str, list[Change]] = {}
        for pair in pairs:
            value = read(pair.after)
            if value is not None:
                groups.setdefault(value, []).append(pair)
        if 1 < len(groups) <= MOST_LEVELS:
            found += [
                _level(name, title, value, groups[value], main) for value in ordered_levels(groups)
            ]
    return tuple(found)


def _level(name: str, title: str, value: str, pairs: Sequence[Change], main: Rate) -> PairedLevel:
    ends = Counter(pair.ends(main) for pair in pairs)
    both, fixed, broken = ends[True, True], ends[False, True], ends[True, False]
    return PairedLevel(
        name=f"{name}={value}",
        title=title,
        value=value,
        total=len(pairs),
        before=both + broken,
        after=both + fixed,
        fixed=fixed,
        broken=broken,
        interval=paired_difference_interval(both, fixed, broken, ends[False, False]),
    )


def _all_at_once(keyed: Sequence[Mapping[str, CaseResult]], main: Rate) -> CochranQ | None:
    common = [key for key in keyed[0] if all(key in cases for cases in keyed)]
    ends = ([main.decide(cases[key]) for cases in keyed] for key in common)
    rows = [[end is True for end in ended] for ended in ends if None not in ended]
    return cochran_q(rows)
