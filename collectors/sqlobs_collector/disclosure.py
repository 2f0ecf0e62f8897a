"""Limits the precision of disclosed results: exact numbers would let a sender of SQL read the data.

`WITH RECURSIVE n … i < (SELECT unicode(secret) …)` has as many rows as a secret encodes, and its
score against the sender's own reference reveals that number.
"""

from __future__ import annotations

from typing import Final

from sqlobs.scores.registry import SCORES

_DECIMALS: Final = 2
_LEAST: Final = 10**-_DECIMALS


def magnitude(count: int) -> str:
    """Return a count as `0`, `1`, `2-9`, `10-99`, `100-999` and so on."""
    if count < 2:  # noqa: PLR2004 - the counts that are disclosed as they are
        return str(count)
    digits = len(str(count))
    return f"{max(2, 10 ** (digits - 1))}-{10**digits - 1}"


def rounded(score: float) -> float:
    """Return a score rounded to hundredths; only exact 0 and 1 are shown as 0 and 1."""
    if score in {0, 1}:
        return score
    return min(max(round(score, _DECIMALS), _LEAST), round(1 - _LEAST, _DECIMALS))


def disclosed(metric: str, value: float | None) -> float | None:
    """Return an evaluation's score, rounded for clients that may not read rows."""
    score = SCORES.get(metric)
    if value is None or score is None or not score.is_graded:
        return value
    return rounded(value / score.best) * score.best
