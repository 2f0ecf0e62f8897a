"""Upper bounds of values: how long, how large as a number, how much work to compute them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Bound:
    """What a value is at most; infinite where nothing is known."""

    size: float = 0.0
    """Bytes."""
    high: float = 0.0
    """Its greatest magnitude as a number."""
    low: float = math.inf
    """Its least magnitude other than 0, for what is divided by it."""
    work: float = 0.0
    """Elementary steps, of about a nanosecond, that no engine interrupts."""

    @property
    def count(self) -> Bound:
        """The same work for a value that is a flag or a count."""
        return Bound(8, self.high, self.low, self.work)


NOTHING: Final = Bound()
UNLIMITED: Final = math.inf


def product(*factors: float) -> float:
    """Multiply; nothing times infinity is nothing."""
    result = 1.0
    for factor in factors:
        if factor == 0:
            return 0.0
        result *= factor
    return result


def power(base: float, exponent: float) -> float:
    """Raise a magnitude to a power; infinite where it overflows."""
    try:
        return math.pow(max(base, 1.0), max(exponent, 1.0))
    except OverflowError:
        return UNLIMITED


def quotient(dividend: float, divisor: float) -> float:
    """Divide; infinite where the divisor may be as small as anything."""
    return product(dividend, 1 / divisor) if divisor else UNLIMITED


def joined(bounds: Iterable[Bound]) -> Bound:
    """Return the bound of a value that holds all of these."""
    found = tuple(bounds)
    return Bound(
        size=sum(bound.size for bound in found),
        high=max((bound.high for bound in found), default=0.0),
        low=min((bound.low for bound in found), default=UNLIMITED),
        work=sum(bound.work for bound in found),
    )


def either(bounds: Iterable[Bound]) -> Bound:
    """Return the bound of a value that is one of these; all of them may be computed."""
    found = tuple(bounds)
    return replace(joined(found), size=max((bound.size for bound in found), default=0.0))


def widest(bounds: Iterable[Bound]) -> Bound:
    """Return the bound of a value that is one of these, each computed elsewhere."""
    found = tuple(bounds)
    return replace(either(found), work=max((bound.work for bound in found), default=0.0))
