"""The answer of a comparison, and what the sizes of two tables say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.types import ResultTable

Undetermined = Literal["truncated", "budget"]
"""Why a comparison has no answer: a table was cut where it mattered, or the search was stopped."""


@dataclass(frozen=True, slots=True)
class Match:
    """Whether two tables are equal; None if this is undetermined."""

    equal: bool | None
    reason: Undetermined | None = None
    """Present exactly when `equal` is None."""

    @property
    def score(self) -> float | None:
        """1.0, 0.0, or None if it is undetermined."""
        return None if self.equal is None else float(self.equal)


EQUAL = Match(equal=True)
DIFFERENT = Match(equal=False)
CUT = Match(equal=None, reason="truncated")
STOPPED = Match(equal=None, reason="budget")


def match_of(equal: bool) -> Match:  # noqa: FBT001 - names the two constants
    """Return the answer for a decided comparison."""
    return EQUAL if equal else DIFFERENT


def all_equal(matches: Iterable[Match]) -> Match:
    """Return whether all are equal: one difference decides, else one that is undetermined."""
    undetermined = None
    for match in matches:
        if match.equal is False:
            return match
        if match.equal is None:
            undetermined = match
    return undetermined or EQUAL


def by_shape(reference: ResultTable, predicted: ResultTable) -> Match | None:
    """Decide where the numbers of rows and columns alone do."""
    if (early := by_row_count(reference, predicted)) is not None:
        return early
    return DIFFERENT if len(reference.columns) != len(predicted.columns) else None


def by_row_count(reference: ResultTable, predicted: ResultTable) -> Match | None:
    """Decide where the numbers of rows alone do; a cut table has at least one row more."""
    counts = len(reference.rows), len(predicted.rows)
    if not (reference.truncated or predicted.truncated):
        if counts == (0, 0):
            return EQUAL
        return DIFFERENT if counts[0] != counts[1] else None
    if reference.truncated and predicted.truncated:
        return None
    cut, complete = counts if reference.truncated else counts[::-1]
    return DIFFERENT if complete <= cut else None  # the cut table has at least one row more
