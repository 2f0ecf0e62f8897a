"""Systems ranked by a judge's score, and how far that moves them from their rank by execution.

Where a system has no judge's score, or another judge's, all are ranked by execution.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence


FLEX: Final = "flex"
"""The judge of scores that come without the name of another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One system on one dataset, both scores in percent."""

    name: str
    ex: float
    flex: float | None = None
    """`None` without a judge."""
    kind: str | None = None
    """Its type, to compare types: `proprietary`, `open`, `fine-tuned`, …"""
    undecided: int = 0
    """Cases without a verdict: they count as incorrect in `flex`."""
    judge: str = FLEX
    """Who gave `flex`, such as `flex/gpt-4o`; without a model it is not stated which one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A system's rank by the judge, or by execution if a system has no verdicts."""

    rank: int
    """From 1; equal scores share the better rank, the next is as far down as if they did not."""
    movement: int
    """Ranks won against execution accuracy; negative = lost."""
    name: str
    flex: float | None
    ex: float
    delta: float | None
    """`flex - ex`: how far execution accuracy underestimates the system."""
    kind: str | None
    undecided: int = 0
    """Cases without a verdict, in `flex` as incorrect."""
    judge: str | None = None
    """The judge that gave `flex`; `None` without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindMean:
    """Mean scores of the systems of one type."""

    kind: str
    count: int
    flex: float | None
    """`None` unless the same judge evaluated all of them."""
    ex: float
    delta: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """All systems, best first, and how much the ranking by execution changed."""

    is_judged: bool
    """The ranks are the judge's; they are EX's unless one judge scored all systems."""
    places: tuple[Place, ...]
    mean_rank_change: float | None
    """Mean of the movements' sizes; None without systems, or ranked by execution."""
    max_rank_change: int
    mean_delta: float | None
    kinds: tuple[KindMean, ...]
    """In the order of their first system; systems without a type are in none."""

    @property
    def has_verdicts(self) -> bool:
        """Some of the systems have verdicts of a judge."""
        return any(place.flex is not None for place in self.places)

    @property
    def judges(self) -> tuple[str, ...]:
        """Whose scores there are, by name; scores of different judges are never compared."""
        return tuple(sorted({place.judge for place in self.places if place.judge is not None}))


def leaderboard(contestants: Sequence[Contestant]) -> Leaderboard:
    """Rank systems by the judge's score, or by execution if one judge did not score all of them.

    Ties keep the given order. Source: FLEX (NAACL 2025), tables 1, 8 and 9.

    Args:
        contestants: Systems with their scores, on the same cases.

    Raises:
        ConfigError: Two systems have the same name.
    """
    names = [contestant.name for contestant in contestants]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(
            f"two systems of the leaderboard have the same name, {twice}; evaluate them with"
            " different --system names"
        )
    verdicts = [contestant.flex for contestant in contestants if contestant.flex is not None]
    judges = {contestant.judge for contestant in contestants if contestant.flex is not None}
    is_judged = len(verdicts) == len(contestants) and len(judges) <= 1
    by_ex = _ranks([contestant.ex for contestant in contestants])
    by_flex = _ranks(verdicts) if is_judged else by_ex
    places = [
        Place(
            rank=rank,
            movement=before - rank,
            name=contestant.name,
            flex=contestant.flex,
            ex=contestant.ex,
            delta=None if contestant.flex is None else contestant.flex - contestant.ex,
            kind=contestant.kind,
            undecided=contestant.undecided,
            judge=None if contestant.flex is None else contestant.judge,
        )
        for contestant, rank, before in zip(contestants, by_flex, by_ex, strict=True)
    ]
    places.sort(key=lambda place: place.rank)
    changes = [abs(place.movement) for place in places] if is_judged else []
    return Leaderboard(
        is_judged=is_judged,
        places=tuple(places),
        mean_rank_change=fmean(changes) if changes else None,
        max_rank_change=max(changes, default=0),
        mean_delta=_mean([place.delta for place in places]) if is_judged else None,
        kinds=tuple(_kind_means(places)),
    )


def _ranks(scores: Sequence[float]) -> list[int]:
    return [1 + sum(other > score for other in scores) for score in scores]


def _kind_means(places: Sequence[Place]) -> list[KindMean]:
    kinds = dict.fromkeys(place.kind for place in places if place.kind is not None)
    return [_kind_mean(kind, [place for place in places if place.kind == kind]) for kind in kinds]


def _kind_mean(kind: str, places: Sequence[Place]) -> KindMean:
    is_of_one = len({place.judge for place in places}) == 1
    return KindMean(
        kind=kind,
        count=len(places),
        flex=_mean([place.flex for place in places]) if is_of_one else None,
        ex=fmean(place.ex for place in places),
        delta=_mean([place.delta for place in places]) if is_of_one else None,
    )


def _mean(scores: Sequence[float | None]) -> float | None:
    """Return the mean; None if empty, or if one is unknown."""
    known = [score for score in scores if score is not None]
    return fmean(known) if known and len(known) == len(scores) else None
