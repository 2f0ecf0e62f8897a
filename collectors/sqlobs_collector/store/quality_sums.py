"""Sums over requests and evaluations: rows of what rates and gauges are computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.types import Outcome
    from sqlobs_collector.origin import Origin


@dataclass(frozen=True, slots=True)
class Who:
    """Whose requests a figure is about."""

    origin: Origin
    workflow: str


@dataclass(frozen=True, slots=True)
class Evaluations:
    """The decided evaluations of one name; weights are 1 / probability."""

    who: Who
    evaluation: str
    count: int
    passed: int
    value_sum: float | None
    """Of the scores, where there are any."""
    weight: float | None
    """`None`: no probability is known, so there is nothing to weight by."""
    weight_passed: float | None
    weight_value: float | None
    weight_squared: float | None
    weight_squared_passed: float | None
    spread_value: float | None
    """The sum of w·(w - 1)·score."""
    spread_value_squared: float | None
    """The sum of w·(w - 1)·score²."""
    weight_largest: float | None
    last_ns: int

    def joined(self, other: Evaluations) -> Evaluations:
        """Return the sums of both."""
        return replace(
            self,
            count=self.count + other.count,
            passed=self.passed + other.passed,
            value_sum=_sum(self.value_sum, other.value_sum),
            weight=_sum(self.weight, other.weight),
            weight_passed=_sum(self.weight_passed, other.weight_passed),
            weight_value=_sum(self.weight_value, other.weight_value),
            weight_squared=_sum(self.weight_squared, other.weight_squared),
            weight_squared_passed=_sum(self.weight_squared_passed, other.weight_squared_passed),
            spread_value=_sum(self.spread_value, other.spread_value),
            spread_value_squared=_sum(self.spread_value_squared, other.spread_value_squared),
            weight_largest=_most(self.weight_largest, other.weight_largest),
            last_ns=max(self.last_ns, other.last_ns),
        )


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Units about which the checker said the same; weighted by their arrival alone."""

    who: Who
    outcome: Outcome | None
    verdict: str | None
    failure_code: str | None
    """The primary one."""
    first_verdict: str | None
    """The verdict on the first attempt."""
    syntactic: bool | None
    schematic: bool | None
    hallucinated: bool | None
    """True: a name is invented."""
    first_hallucinated: bool | None
    count: int
    weight: float | None
    weight_squared: float | None
    weight_largest: float | None
    last_ns: int
    """The time of the latest request."""

    def joined(self, other: VerdictCounts) -> VerdictCounts:
        """Return the sums of both."""
        return replace(
            self,
            count=self.count + other.count,
            weight=_sum(self.weight, other.weight),
            weight_squared=_sum(self.weight_squared, other.weight_squared),
            weight_largest=_most(self.weight_largest, other.weight_largest),
            last_ns=max(self.last_ns, other.last_ns),
        )


@dataclass(frozen=True, slots=True)
class CategorizedRequests:
    """Judged requests of one service that were sorted into the same categories."""

    origin: Origin
    side: str
    categories: str
    """Keys between spaces."""
    weight: float


@dataclass(frozen=True, slots=True)
class GoldenSum:
    """What was compared with the cases of one golden file; weights are 1 / probability."""

    origin: Origin
    golden_set: str
    weight: float
    weight_passed: float


def _sum(one: float | None, other: float | None) -> float | None:
    """Add two sums; one that both lack stays unknown."""
    if one is None or other is None:
        return one if other is None else other
    return one + other


def _most(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return one if other is None else other
    return max(one, other)
