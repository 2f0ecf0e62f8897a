"""Systems ranked by a judge's score, and how far that moves them from their rank by execution."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One system on one dataset, both scores in percent."""

    name: str
    ex: float
    flex: float
    kind: str | None = None
    """Its type, to compare types: `proprietary`, `open`, `fine-tuned`, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A system's place by the judge."""

    rank: int
    """From 1; equal scores share the better rank, the next is as far down as if they did not."""
    movement: int
    """Ranks won against execution accuracy; negative = lost."""
    name: str
    flex: float
    ex: float
    delta: float
    """`flex - ex`: how far execution accuracy underestimates the system."""
    kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KindMean:
    """The systems of one type, on average."""

    kind: str
    count: int
    flex: float
    ex: float
    delta: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """All systems, best first, and how much the ranking by execution changed."""

    places: tuple[Place, ...]
    mean_rank_change: float | None
    """Mean of the movements' sizes; None without systems."""
    max_rank_change: int
    mean_delta: float | None
    kinds: tuple[KindMean, ...]
    """In the order of their first system; systems without a type are in none."""


def leaderboard(contestants: Sequence[Contestant]) -> Leaderboard:
    """Rank systems by the judge's score.

    Ties keep the given order. Source: FLEX (NAACL 2025), tables 1, 8 and 9.

    Args:
        contestants: Systems with both scores, on the same cases.

    Raises:
        ConfigError: Two systems have the same name.
    """
    names = [contestant.name for contestant in contestants]
    if len(set(names)) < len(names):
        raise ConfigError("two systems of the leaderboard have the same name.")
    by_flex = _ranks([contestant.flex for contestant in contestants])
    by_ex = _ranks([contestant.ex for contestant in contestants])
    places = [
        Place(
            rank=rank,
            movement=before - rank,
            name=contestant.name,
            flex=contestant.flex,
            ex=contestant.ex,
            delta=contestant.flex - contestant.ex,
            kind=contestant.kind,
        )
        for contestant, rank, before in zip(contestants, by_flex, by_ex, strict=True)
    ]
    places.sort(key=lambda place: place.rank)
    changes = [abs(place.movement) for place in places]
    return Leaderboard(
        places=tuple(places),
        mean_rank_change=fmean(changes) if changes else None,
        max_rank_change=max(changes, default=0),
        mean_delta=fmean(place.delta for place in places) if places else None,
        kinds=tuple(_kind_means(places)),
    )


def _ranks(scores: Sequence[float]) -> list[int]:
    return [1 + sum(other > score for other in scores) for score in scores]


def _kind_means(places: Sequence[Place]) -> list[KindMean]:
    kinds = dict.fromkeys(place.kind for place in places if place.kind is not None)
    return [_kind_mean(kind, [place for place in places if place.kind == kind]) for kind in kinds]


def _kind_mean(kind: str, places: Sequence[Place]) -> KindMean:
    return KindMean(
        kind=kind,
        count=len(places),
        flex=fmean(place.flex for place in places),
        ex=fmean(place.ex for place in places),
        delta=fmean(place.delta for place in places),
    )
