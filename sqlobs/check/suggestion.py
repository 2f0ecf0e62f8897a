"""Finds the name that was meant: the nearest one by the letters and words it shares."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_CUTOFF: Final = 0.6
"""Least likeness of a suggestion, 0 to 1."""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate most like `name`, or None when nothing comes near.

    >>> nearest("customer_revenue", ["total_revenue", "customer_id"])
    'total_revenue'
    """
    wanted = name.lower()
    best, best_score = None, _CUTOFF
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for candidate in dict.fromkeys(candidates):
        matcher.set_seq1(candidate.lower())
        if matcher.real_quick_ratio() < best_score or matcher.quick_ratio() < best_score:
            continue
        score = matcher.ratio()
        if score > best_score or (score == best_score and best is None):
            best, best_score = candidate, score
    return best
