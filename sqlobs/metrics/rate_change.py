"""Why a rate changed between two periods: mix and within-group shift, and the group to blame.

The decomposition is Kitagawa's ("Components of a Difference Between Two Rates", Journal of the
American Statistical Association 50, 1955). With w the share of a group among the requests, r its
rate, R the overall rate, 0 the baseline and 1 now:

    R1 - R0 = sum of (w1 - w0) * ((r0 + r1) / 2 - R0)    mix shift: other requests came
            + sum of (r1 - r0) * (w0 + w1) / 2           within-group shift: the same fail more

Subtracting R0 from the rates of the mix changes no sum, as the shares add up to 1, and makes a
group without effect contribute 0. A group that the baseline does not have is expected at R0.

Groups of different dimensions overlap, so that shares of the change cannot rank them: a workflow
with all requests always explains all of it. They are ranked by the expectation-based Poisson scan
statistic (Neill, "Expectation-based scan statistics for monitoring spatial time series data",
International Journal of Forecasting 25, 2009), the log-likelihood ratio of "this group alone has
changed" to "nothing has":

    C * ln(C / B) - C + B    with C failures seen, B failures expected

where C - B is the group's contribution above, in requests. Of two groups with the same failures the
narrower one has the smaller B and ranks first. Two things are taken off (parsimony): ln(k) for
naming one of k groups of a dimension, and 5 nats for a group that did not appear with the rise,
since a cause that changed is likelier than one that did not. Groups that are the same requests are
one explanation, named by what is new, then by the order of the dimensions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PSEUDO_FAILURES: Final = 5
"""Failures at the overall rate that a group's baseline is filled up with: 0 of 3 is not never."""
_UNCHANGED: Final = 5.0
"""Nats that a group costs that did not appear with the rise: odds of 1 to 150."""
_APPEARED: Final = 20
"""A group has appeared where its share of the requests is at least this multiple of before."""
_CHANCE: Final = 3.0
"""Nats; a score below is what chance gives about once in twenty times."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests, and how many of them failed."""

    requests: int = 0
    failed: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.requests + other.requests, self.failed + other.failed)

    @property
    def rate(self) -> float | None:
        """The share that failed; None without requests."""
        return self.failed / self.requests if self.requests else None


@dataclass(frozen=True, slots=True)
class Cell:
    """The requests that are alike in every dimension."""

    values: tuple[str | None, ...]
    """By dimension, in their order; None = unknown."""
    before: Counts
    now: Counts


@dataclass(frozen=True, slots=True)
class Group:
    """The requests with one value of a dimension."""

    dimension: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one group has to do with the change."""

    group: Group | None
    """None = all groups changed alike."""
    before: Counts
    now: Counts
    mix: float
    """Its part of the change, because its share of the requests changed."""
    within: float
    """Its part of the change, because its own rate changed."""
    score: float
    """Nats; the evidence that this group alone has changed, less what parsimony takes off."""
    is_new: bool
    """It appeared with the rise: before, its share of the requests was none or close to none."""
    same_requests: tuple[Group, ...] = ()
    """Other names of these requests: nothing tells which of them is the cause."""


def explain_change(cells: Sequence[Cell], dimensions: Sequence[str]) -> list[Explanation]:
    """Return what explains the change of a rate, the best explanation first.

    Args:
        cells: All requests of both periods.
        dimensions: The names of the dimensions that distinguish cells; of groups that are the same
            requests, the one of the earliest dimension is named.

    Returns:
        Explanations with some evidence; empty if the change may be chance.
    """
    period = _Period.of(cells)
    whole = period.explanation(None, period.before, period.now, choices=1)
    if whole.score + _UNCHANGED < _CHANCE:
        return []
    groups = [one for place in range(len(dimensions)) for one in _groups(cells, place)]
    found = [
        (cells_now, period.explanation(Group(dimensions[place], value), *sums, choices=choices))
        for place, value, sums, cells_now, choices in groups
        if sums != (period.before, period.now)
    ]
    distinct = _merged((one for one in found if one[1].score >= _CHANCE), dimensions)
    return sorted([*distinct, whole], key=_rank)


def groups_by_dimension(
    cells: Sequence[Cell], dimensions: Sequence[str]
) -> dict[str, list[tuple[str | None, Counts, Counts]]]:
    """Return every value of each dimension with its counts before and now, the largest first."""
    return {
        dimension: sorted(
            ((value, before, now) for _, value, (before, now), _, _ in _groups(cells, place)),
            key=lambda group: (-(group[1].requests + group[2].requests), -group[2].failed),
        )
        for place, dimension in enumerate(dimensions)
    }


def shifts_by_dimension(
    cells: Sequence[Cell], dimensions: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Return mix shift and within-group shift by each dimension; each pair is the whole change."""
    period = _Period.of(cells)
    return {
        dimension: period.shifts(sums for _, _, sums, _, _ in _groups(cells, place))
        for place, dimension in enumerate(dimensions)
    }


def _rank(explanation: Explanation) -> tuple[float, bool]:
    """Return the order: by evidence; a cause with a name before one without where both fit."""
    return -explanation.score, explanation.group is None


@dataclass(frozen=True, slots=True)
class _Period:
    """All requests of both periods."""

    before: Counts
    now: Counts

    @classmethod
    def of(cls, cells: Iterable[Cell]) -> _Period:
        before, now = Counts(), Counts()
        for cell in cells:
            before, now = before + cell.before, now + cell.now
        return cls(before, now)

    def explanation(
        self, group: Group | None, before: Counts, now: Counts, *, choices: int
    ) -> Explanation:
        mix, within = self._shifts(before, now)
        is_new = self.is_new(before, now)
        cost = math.log(choices) + (0.0 if is_new else _UNCHANGED)
        return Explanation(
            group, before, now, mix, within, self._evidence(before, now) - cost, is_new
        )

    def is_new(self, before: Counts, now: Counts) -> bool:
        share, later = self._shares(before, now)
        return share * _APPEARED <= later and bool(self.before.requests)

    def shifts(self, groups: Iterable[tuple[Counts, Counts]]) -> tuple[float, float]:
        parts = [self._shifts(before, now) for before, now in groups]
        return math.fsum(mix for mix, _ in parts), math.fsum(within for _, within in parts)

    def _shifts(self, before: Counts, now: Counts) -> tuple[float, float]:
        usual = self.before.rate or 0.0
        old = usual if before.rate is None else before.rate
        new = old if now.rate is None else now.rate
        share, later = self._shares(before, now)
        mix = (later - share) * ((old + new) / 2 - usual)
        return mix, (new - old) * (share + later) / 2

    def _evidence(self, before: Counts, now: Counts) -> float:
        expected = self._expected(before, now)
        is_rise = (self.now.rate or 0.0) >= self._usual
        if (now.failed > expected) is not is_rise:
            return 0.0
        seen = now.failed * math.log(now.failed / expected) if now.failed else 0.0
        return seen - now.failed + expected

    def _expected(self, before: Counts, now: Counts) -> float:
        """Return how many of a group's requests would fail now if nothing had changed."""
        usual = self._usual
        share, later = self._shares(before, now)
        failed = before.failed + share / 2 + _PSEUDO_FAILURES
        own = failed / (before.requests + share + _PSEUDO_FAILURES / usual)
        expected = self.now.requests * (share * own + (later - share) * usual)
        return max(expected, now.requests * min(own, usual))

    @property
    def _usual(self) -> float:
        """The overall rate of the baseline, never 0: no finite sample shows that."""
        return (self.before.failed + 0.5) / (self.before.requests + 1)

    def _shares(self, before: Counts, now: Counts) -> tuple[float, float]:
        return (
            before.requests / self.before.requests if self.before.requests else 0.0,
            now.requests / self.now.requests if self.now.requests else 0.0,
        )


def _groups(
    cells: Sequence[Cell], place: int
) -> Iterator[tuple[int, str | None, tuple[Counts, Counts], frozenset[int], int]]:
    """Yield each value of a dimension with its counts and the cells where it is now."""
    members: dict[str | None, list[int]] = defaultdict(list)
    for number, cell in enumerate(cells):
        members[cell.values[place]].append(number)
    sums = {
        value: _Period.of(cells[number] for number in numbers) for value, numbers in members.items()
    }
    for value, numbers in members.items():
        one = sums[value]
        is_now = frozenset(number for number in numbers if cells[number].now.requests)
        yield place, value, (one.before, one.now), is_now, len(members)


def _merged(
    found: Iterable[tuple[frozenset[int], Explanation]], dimensions: Sequence[str]
) -> Iterator[Explanation]:
    """Yield one explanation for the groups that are the same requests now."""
    alike: dict[frozenset[int], list[Explanation]] = defaultdict(list)
    for cells_now, explanation in found:
        alike[cells_now].append(explanation)
    for group in alike.values():
        first, *others = sorted(group, key=lambda one: _naming_order(one, dimensions))
        score = max(one.score for one in group)
        names = tuple(one.group for one in others if one.group is not None)
        yield replace(first, score=score, same_requests=names)


def _naming_order(explanation: Explanation, dimensions: Sequence[str]) -> tuple[bool, int]:
    name = explanation.group.dimension if explanation.group is not None else ""
    return not explanation.is_new, dimensions.index(name)
