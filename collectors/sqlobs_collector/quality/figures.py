"""Rates, shares and mean scores with weights and intervals, computed from sums; pure functions.

Rates are weighted by 1 / probability; they and their intervals are those of the rate over all
requests of the window, sampled or not (`sqlobs.metrics.sampled_share`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.judge.verdicts.categories import MENUS
from sqlobs.metrics.intervals import Interval, wilson_interval
from sqlobs.metrics.judge_correction import corrected_estimate
from sqlobs.metrics.sampled_share import SideSums, mean_interval, ratio, share, share_interval
from sqlobs_collector.quality.labels import checker_labels, first_attempt_labels, is_answered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlobs.semconv.collector import Stat
    from sqlobs_collector.origin import Origin
    from sqlobs_collector.store.quality_sums import (
        CategorizedRequests,
        Evaluations,
        VerdictCounts,
        Who,
    )

Figures = dict["Stat", float]

Calibration = Sequence[Sequence[int]]
"""A judge's confusion matrix against human labels: `[[right and accepted, right and rejected],
[wrong …]]`.
"""


@dataclass(slots=True)
class Tally:
    """An accumulator for one share: unweighted and weighted counts."""

    count: int = 0
    passed: int = 0
    weight: float = 0.0
    """Sums over units whose sampling probability is known."""
    weight_passed: float = 0.0
    weight_squared: float = 0.0
    weight_squared_passed: float = 0.0
    weight_largest: float = 0.0
    last_ns: int = 0

    @property
    def effective(self) -> float:
        """(sum w)^2 / sum w^2 (Kish 1965): the equally weighted units with the same variance."""
        return self.weight**2 / self.weight_squared if self.weight_squared else 0.0

    @property
    def weighted(self) -> float | None:
        """The share over all requests of the window; None if no probability is known."""
        return share(*self._sides)

    @property
    def figures(self) -> Figures:
        """The share, unweighted and weighted, with the interval of the weighted one."""
        shown: Figures = {"raw": self.passed / self.count}
        sides = self._sides
        weighted = share(*sides)
        if weighted is None:
            return shown
        shown["weighted"] = weighted
        interval = share_interval(*sides, largest=self.weight_largest)
        if interval is not None:
            shown["weighted_lower"], shown["weighted_upper"] = interval.low, interval.high
        return shown

    @property
    def expected(self) -> Interval | None:
        """The interval of the application's own rate: Wilson's, on the effective sample size.

        The window's requests are a sample of it, even if every one of them was evaluated.
        """
        if self.weighted is None:
            return None
        return wilson_interval(self.weighted * self.effective, self.effective)

    @property
    def _sides(self) -> tuple[SideSums, SideSums]:
        return _side(self), _side(self.opposite)

    def add(self, units: VerdictCounts, *, passes: bool) -> None:
        """Count a number of identical units."""
        self.count += units.count
        self.passed += units.count * passes
        self.weight += units.weight or 0
        self.weight_passed += (units.weight or 0) * passes
        self.weight_squared += units.weight_squared or 0
        self.weight_squared_passed += (units.weight_squared or 0) * passes
        self.weight_largest = max(self.weight_largest, units.weight_largest or 0)
        self.last_ns = max(self.last_ns, units.last_ns)

    def join(self, other: Tally) -> None:
        """Add another tally's counts."""
        self.count += other.count
        self.passed += other.passed
        self.weight += other.weight
        self.weight_passed += other.weight_passed
        self.weight_squared += other.weight_squared
        self.weight_squared_passed += other.weight_squared_passed
        self.weight_largest = max(self.weight_largest, other.weight_largest)
        self.last_ns = max(self.last_ns, other.last_ns)

    @property
    def opposite(self) -> Tally:
        """The tally of units that do not pass."""
        return Tally(
            self.count,
            self.count - self.passed,
            self.weight,
            self.weight - self.weight_passed,
            self.weight_squared,
            self.weight_squared - self.weight_squared_passed,
            self.weight_largest,
            self.last_ns,
        )


def _side(passing: Tally) -> SideSums:
    if not passing.passed:
        return SideSums(0, 0.0, 0.0)
    return SideSums(passing.passed, passing.weight_passed, passing.weight_squared_passed)


def share_where(
    units: Iterable[VerdictCounts], says: Callable[[VerdictCounts], bool | None]
) -> Tally | None:
    """Return the share of units of which something is true; None: it is decided of none.

    Args:
        units: All of one workflow, or of several together.
        says: Whether it is true of a unit; None: undecided, which does not count.
    """
    tally = None
    for one in units:
        passes = says(one)
        if passes is not None:
            tally = tally or Tally()
            tally.add(one, passes=passes)
    return tally


def alike(units: Iterable[VerdictCounts]) -> list[VerdictCounts]:
    """Add up units of several places and times about which the checker said the same."""
    found: dict[tuple[object, ...], VerdictCounts] = {}
    for one in units:
        key = (
            *(one.outcome, one.verdict, one.failure_code, one.first_verdict),
            *(one.syntactic, one.schematic, one.hallucinated, one.first_hallucinated),
        )
        known = found.get(key)
        found[key] = one if known is None else known.joined(one)
    return list(found.values())


def tally_of(sums: Evaluations) -> Tally:
    """Return the share of evaluations that pass."""
    return Tally(
        sums.count,
        sums.passed,
        sums.weight or 0,
        sums.weight_passed or 0,
        sums.weight_squared or 0,
        sums.weight_squared_passed or 0,
        sums.weight_largest or 0,
        sums.last_ns,
    )


def corrected_figures(tally: Tally, calibration: Calibration) -> Figures:
    """Return a judge's rate corrected for the judge's known error rates.

    Empty if the judge is no better than chance or no unit has a known probability.
    """
    if tally.weighted is None or not tally.effective:
        return {}
    found = corrected_estimate(tally.weighted * tally.effective, tally.effective, calibration)
    if found is None:
        return {}
    return {
        "corrected": found.rate,
        "corrected_lower": found.interval.low,
        "corrected_upper": found.interval.high,
    }


def score_figures(sums: Evaluations) -> Figures:
    """Return the mean score, unweighted and weighted, with an interval of the weighted one."""
    shown: Figures = {}
    if sums.value_sum is not None:
        shown["raw"] = sums.value_sum / sums.count
    if not sums.weight or sums.weight_value is None:
        return shown
    known = SideSums(sums.count, sums.weight, sums.weight_squared or 0)
    shown["weighted"] = mean = ratio(
        sums.weight_value, sums.spread_value or 0, weight=known.weight, spread=known.spread
    )
    squares = sums.spread_value_squared or 0
    spread = squares - 2 * mean * (sums.spread_value or 0) + mean**2 * known.spread
    interval = mean_interval(mean, known, spread=spread)
    if interval is not None:
        shown["weighted_lower"], shown["weighted_upper"] = interval.low, interval.high
    return shown


def category_shares(known: Iterable[CategorizedRequests]) -> dict[tuple[Origin, str, str], float]:
    """Return the share of each category among the requests of its side, by category and side.

    Every category of a side is present, with 0 if it never occurred; a request may count in
    several.
    """
    totals: dict[tuple[Origin, str], float] = {}
    weights: dict[tuple[Origin, str, str], float] = {}
    for one in known:
        totals[one.origin, one.side] = totals.get((one.origin, one.side), 0) + one.weight
        for category in MENUS[one.side]:
            weights.setdefault((one.origin, category, one.side), 0)
        for category in one.categories.split():
            key = (one.origin, category, one.side)
            weights[key] = weights.get(key, 0) + one.weight
    return {
        (origin, category, side): weight / totals[origin, side]
        for (origin, category, side), weight in weights.items()
    }


def checker_tallies(
    units: Iterable[VerdictCounts], stand_ins: Iterable[Evaluations] = ()
) -> dict[tuple[Who, str], Tally]:
    """Return the shares that pass the checker's evaluations.

    Args:
        units: Every unit carries its labels, whether or not this collector evaluated it.
        stand_ins: Labels from this collector's check, for units whose application did not check.
    """
    tallies = _tallied(units, checker_labels)
    for sums in stand_ins:
        tallies.setdefault((sums.who, sums.evaluation), Tally()).join(tally_of(sums))
    return tallies


def first_attempt_tallies(units: Iterable[VerdictCounts]) -> dict[tuple[Who, str], Tally]:
    """Return the shares of first attempts that pass, and that invented a name."""
    return _tallied(units, first_attempt_labels)


def outcome_tallies(units: Iterable[VerdictCounts]) -> dict[tuple[Who, str], Tally]:
    """Return the share of each outcome out of all requests; those of a workflow add up to 1."""
    return _shares([(one, one.outcome or "answered") for one in units])


def verdict_tallies(units: Iterable[VerdictCounts]) -> dict[tuple[Who, str], Tally]:
    """Return the share of each verdict out of the answers; those of a workflow add up to 1."""
    return _shares([(one, one.verdict) for one in units if one.verdict and is_answered(one)])


def failure_tallies(units: Iterable[VerdictCounts]) -> dict[tuple[Who, str], Tally]:
    """Return the share of each failure code out of the answers with a verdict."""
    checked = [(one, one.failure_code or "") for one in units if one.verdict and is_answered(one)]
    return {(who, code): tally for (who, code), tally in _shares(checked).items() if code}


def _shares(units: Sequence[tuple[VerdictCounts, str]]) -> dict[tuple[Who, str], Tally]:
    """Return the share of each name out of the units of a workflow."""
    seen: dict[Who, dict[str, None]] = {}
    for one, name in units:
        seen.setdefault(one.who, {})[name] = None
    tallies: dict[tuple[Who, str], Tally] = {}
    for one, name in units:
        for each in seen[one.who]:
            tallies.setdefault((one.who, each), Tally()).add(one, passes=each == name)
    return tallies


def _tallied(
    units: Iterable[VerdictCounts], labels: Callable[[VerdictCounts], Iterator[tuple[str, bool]]]
) -> dict[tuple[Who, str], Tally]:
    tallies: dict[tuple[Who, str], Tally] = {}
    for one in units:
        for name, passes in labels(one):
            tallies.setdefault((one.who, name), Tally()).add(one, passes=passes)
    return tallies
