"""What a run says of a metric that not every run has, so that a report needs no code of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

OwnNeed: TypeAlias = Literal["reference", "execution", "rows", "judge"]
"""`execution`: the prediction was run; `rows`: the complete rows of the prediction are known, and
those of the reference if it is needed, too."""

OWN_NEEDS: tuple[OwnNeed, ...] = get_args(OwnNeed)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDeclaration:
    """A metric's name, range and direction, and what it needs of a case."""

    name: str
    title: str
    about: str = ""
    needs: tuple[OwnNeed, ...] = ()
    low: float = 0.0
    high: float | None = 1.0
    """None = no upper end."""
    better: Literal["higher", "lower"] = "higher"
    is_share: bool = False
    """Values are 0 or 1: reports show the share of cases with 1 instead of a mean."""
