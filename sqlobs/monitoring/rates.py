"""A failure rate: what is recorded of it, and the bounds that alerts compare with its objective.

Tests: `tests/monitoring/test_rules.py`, `tests/monitoring/test_twin.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.increments import (
    DAY,
    DAYS_3,
    HOUR,
    HOURS_6,
    MINUTES_5,
    MINUTES_13,
    MINUTES_30,
    Window,
    gained,
    tiled,
)
from sqlobs.monitoring.objectives import HIGHEST_SHARE
from sqlobs.monitoring.promql import WORKFLOW, Selection, block, lines, number
from sqlobs.monitoring.rules import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.monitoring.settings import RuleSettings

FAST_WINDOWS: Final = (MINUTES_5, MINUTES_13, MINUTES_30, HOUR)
LONG_WINDOWS: Final = (HOURS_6, DAY, DAYS_3)


@dataclass(frozen=True, slots=True)
class Rate:
    """Failures out of what was evaluated, summed by labels."""

    name: str
    """The prefix of what is recorded: `workflow:sqlobs_syntax_failures`."""
    failed: Sequence[Selection]
    """Counters of failures; several are added up."""
    evaluated: Sequence[Selection]
    by: tuple[str, ...] = WORKFLOW
    ratio_name: str = ""
    """The prefix of the recorded rate, if another one."""

    def failed_in(self, window: Window) -> str:
        """Return the name of the recorded number of failures."""
        return f"{self.name}_failed:increase{window.name}"

    def evaluated_in(self, window: Window) -> str:
        """Return the name of the recorded number of evaluated requests."""
        return f"{self.name}_evaluated:increase{window.name}"

    def ratio_in(self, window: Window) -> str:
        """Return the name of the recorded rate."""
        return f"{self.ratio_name or self.name}:ratio{window.name}"

    def recordings(self, windows: Sequence[Window], settings: RuleSettings) -> Iterator[Recording]:
        """Yield failures, evaluated requests and the rate of every window."""
        for window in windows:
            failed, evaluated = self.failed_in(window), self.evaluated_in(window)
            if window in LONG_WINDOWS:
                whole, part = (
                    tiled(name(MINUTES_5), window, tile=MINUTES_5, settings=settings)
                    for name in (self.evaluated_in, self.failed_in)
                )
            else:
                whole, part = (
                    gained(counters, window, by=self.by, settings=settings)
                    for counters in (self.evaluated, self.failed)
                )
            yield Recording(evaluated, whole)
            yield Recording(failed, lines(part, "or", f"0 * {evaluated}"))
            yield Recording(self.ratio_in(window), f"{failed} / ({evaluated} > 0)")


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound of the failure rate over one window: Byar's, of a Poisson count."""

    window: Window
    z: float
    """Standard deviations between count and bound."""
    least: int
    """Failures below which the bound says nothing."""

    def exceeds(self, rate: Rate, objective: str) -> str:
        """Return the condition that the rate is above an objective, beyond chance.

        Args:
            rate: Its failures are compared with those that the objective allows.
            objective: The objective's name or number, with the operator's matching in front where
                the labels differ: `on (a) group_left () name`.
        """
        failed, evaluated = rate.failed_in(self.window), rate.evaluated_in(self.window)
        share = f"(1 - 1 / (9 * {failed}) - {number(self.z)} / (3 * sqrt({failed})))"
        return lines(
            f"{rate.ratio_in(self.window)}",
            f"and {failed} >= {self.least}",
            f"and {failed} * {share} ^ 3 > {evaluated} * {objective}",
        )

    def is_exceeded(self, failed: float, evaluated: float, objective: float) -> bool:
        """Return whether counts are above an objective beyond chance, as `exceeds` says."""
        if failed < self.least or evaluated <= 0:
            return False
        share = 1 - 1 / (9 * failed) - self.z / (3 * sqrt(failed))
        return failed * share**3 > evaluated * objective


@dataclass(frozen=True, slots=True)
class Burn:
    """How fast the budget burns: in a long window, and still in a short one."""

    factor: float
    long: Window
    short: Window

    def exceeds(self, rate: Rate, objective: str, settings: RuleSettings) -> str:
        """Return the condition that the budget burns too fast; a rate cannot exceed 1."""
        threshold = f"clamp_max({number(self.factor)} * {objective}, {number(HIGHEST_SHARE)})"
        chosen = settings.objectives
        return lines(
            f"{rate.ratio_in(self.long)} > {threshold}",
            f"and {rate.ratio_in(self.short)} > {threshold}",
            f"and {rate.evaluated_in(self.long)} >= {chosen.min_requests}",
            f"and {rate.failed_in(self.long)} >= {chosen.min_failures}",
        )

    def threshold(self, objective: float) -> float:
        """Return the rate above which the budget burns too fast."""
        return min(self.factor * objective, HIGHEST_SHARE)


PAGE_BOUNDS: Final = (
    Bound(MINUTES_5, z=3.8, least=13),
    Bound(MINUTES_13, z=3.6, least=13),
    Bound(MINUTES_30, z=3.8, least=22),
)
"""Chosen with the numpy twin of the rules: docs/alerts.md has the figures."""
OUTAGE_BOUNDS: Final = (Bound(MINUTES_13, z=4.5, least=22), Bound(HOUR, z=4, least=5))
"""For what fails in many requests at once; the hour is for workflows with few requests."""
PAGE_BURNS: Final = (Burn(14.4, HOUR, MINUTES_5), Burn(6, HOURS_6, MINUTES_30))
VERSION_BOUND: Final = Bound(MINUTES_30, z=3.5, least=4)
TICKET_BOUND: Final = Bound(HOUR, z=3, least=5)
SLOW_BOUNDS: Final = ((Bound(DAY, z=3, least=5), HOURS_6), (Bound(DAYS_3, z=3, least=5), DAY))
"""Bounds over days, each with the window that shows whether it is over."""


def any_of(conditions: Sequence[str]) -> str:
    """Return the condition that one of several holds."""
    return "\nor\n".join(block((condition,)) for condition in conditions)
