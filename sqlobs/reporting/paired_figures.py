"""Every figure of two runs over the same cases, each with the paired test that fits its kind.

Rates: McNemar's exact test and Newcombe's interval of the difference. Scores and amounts (time,
tokens, cost): Wilcoxon's signed-rank test and a paired bootstrap of the mean difference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.paired_tests import holm, mcnemar, paired_difference_interval, wilcoxon
from sqlobs.reporting.expense import EXPENSES
from sqlobs.reporting.figures import mean_interval
from sqlobs.reporting.rates import RATES, VARIANTS
from sqlobs.scores.registry import SHOWN_SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlobs.metrics.intervals import Interval
    from sqlobs.reporting.rates import Rate
    from sqlobs.runs.case import CaseResult
    from sqlobs.scores.score import Direction

Kind = Literal["rate", "score", "amount"]


@dataclass(frozen=True, slots=True)
class Change:
    """A case in both runs, mostly one with a different outcome."""

    key: str
    before: CaseResult
    after: CaseResult

    def ends(self, rate: Rate) -> tuple[bool | None, bool | None]:
        """Return whether the case passes, before and after; None = undecided."""
        return rate.decide(self.before), rate.decide(self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFigure:
    """A figure of two runs over the cases that have it in both."""

    name: str
    """As in gates and JSON."""
    title: str
    kind: Kind
    better: Direction
    best: float
    """The value of a faultless run; of no meaning for an amount."""
    decimals: int
    """Decimals to show, of an amount."""
    before: float
    """A share in [0, 1], or a mean."""
    after: float
    total: int
    """The compared cases: the denominator of both."""
    interval: Interval | None
    """95 % interval of the difference, after minus before; None with too few cases."""
    p: float | None
    """Two-sided; None without the `metrics` extra."""
    p_adjusted: float | None = None
    """By Holm's method, over all figures of all runs compared with the baseline."""
    improved: tuple[Change, ...] = ()
    worsened: tuple[Change, ...] = ()

    @property
    def difference(self) -> float:
        """The value after, minus the value before."""
        return self.after - self.before

    @property
    def is_changed(self) -> bool:
        """Whether any case has another value."""
        return bool(self.improved or self.worsened)


@dataclass(frozen=True, slots=True)
class Measure:
    """What to read from a case."""

    name: str
    title: str
    kind: Kind
    better: Direction
    read: Callable[[CaseResult], float | None]
    best: float = 1.0
    decimals: int = 3


def paired_figures(pairs: Sequence[Change], *, main: str = "esm") -> tuple[PairedFigure, ...]:
    """Return the figures that any case has in both runs, the main one aside.

    Args:
        pairs: The cases that are in both runs.
        main: The name of the main rate: the comparison itself tells it, with a test of its own.
    """
    found = (_figure(measure, pairs) for measure in measures() if measure.name != main)
    return tuple(figure for figure in found if figure is not None)


def adjusted(
    families: Sequence[tuple[PairedFigure, ...]],
) -> list[tuple[PairedFigure, ...]]:
    """Return the figures of several pairs with p-values adjusted together by Holm's method."""
    tested = [figure.p for family in families for figure in family if figure.p is not None]
    values = iter(holm(tested))
    return [
        tuple(
            figure if figure.p is None else replace(figure, p_adjusted=next(values))
            for figure in family
        )
        for family in families
    ]


def _figure(measure: Measure, pairs: Iterable[Change]) -> PairedFigure | None:
    known = [
        (before, after, pair)
        for pair in pairs
        if (before := measure.read(pair.before)) is not None
        and (after := measure.read(pair.after)) is not None
    ]
    if not known:
        return None
    first, second = [before for before, _, _ in known], [after for _, after, _ in known]
    higher = tuple(pair for before, after, pair in known if after > before)
    lower = tuple(pair for before, after, pair in known if after < before)
    improved, worsened = (higher, lower) if measure.better == "higher" else (lower, higher)
    compared = _of_rates if measure.kind == "rate" else _of_means
    interval, p = compared(first, second)
    return PairedFigure(
        name=measure.name,
        title=measure.title,
        kind=measure.kind,
        better=measure.better,
        best=measure.best,
        decimals=measure.decimals,
        before=fmean(first),
        after=fmean(second),
        total=len(known),
        interval=interval,
        p=p,
        improved=improved,
        worsened=worsened,
    )


def _of_rates(
    first: Sequence[float], second: Sequence[float]
) -> tuple[Interval | None, float | None]:
    ends = list(zip(first, second, strict=True))
    risen, fallen = ends.count((0.0, 1.0)), ends.count((1.0, 0.0))
    interval = paired_difference_interval(
        ends.count((1.0, 1.0)), risen, fallen, ends.count((0.0, 0.0))
    )
    return interval, mcnemar(risen, fallen).p_exact


def _of_means(
    first: Sequence[float], second: Sequence[float]
) -> tuple[Interval | None, float | None]:
    differences = tuple(after - before for before, after in zip(first, second, strict=True))
    try:
        p = wilcoxon(differences)
    except MissingExtraError:  # scipy is an extra; without it, the means stand alone
        p = None
    return mean_interval(differences), p


def _decided(decide: Callable[[CaseResult], bool | None]) -> Callable[[CaseResult], float | None]:
    def read(case: CaseResult) -> float | None:
        decision = decide(case)
        return None if decision is None else float(decision)

    return read


def _score(name: str) -> Callable[[CaseResult], float | None]:
    return lambda case: case.scores.get(name)


def measure_of(rate: Rate) -> Measure:
    """Return how a rate is read: 1 for a case that passes."""
    return Measure(rate.name, rate.title, "rate", rate.better, _decided(rate.decide))


def measures() -> tuple[Measure, ...]:
    """Return everything that runs are compared by."""
    rates = (measure_of(rate) for rate in RATES if rate.name not in VARIANTS)
    scores = (
        Measure(
            score.figure,
            score.title,
            "score" if score.is_graded else "rate",
            score.better,
            _score(score.name),
            score.best,
        )
        for score in SHOWN_SCORES.values()
    )
    amounts = (
        Measure(name, title, "amount", "lower", read, decimals=decimals)
        for name, title, decimals, read in EXPENSES
        if name != "reference_ms"  # the system under test has no part in it
    )
    return (*rates, *scores, *amounts)
