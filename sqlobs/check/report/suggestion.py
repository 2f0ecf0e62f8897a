"""Suggests the nearest existing name by shared letters, and applies suggestions."""

from __future__ import annotations

from difflib import SequenceMatcher
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding

_CUTOFF: Final = 0.6
"""Minimum similarity of a suggestion, 0 to 1."""
LONGEST: Final = 128
"""Longest name that is compared, in characters. PostgreSQL truncates names at 63, MySQL at 64."""
MOST_COMPARED: Final = 500
"""Number of candidates compared letter by letter: those with the highest upper bound."""


def nearest(name: str, candidates: Iterable[str], *, likeness: float = _CUTOFF) -> str | None:
    """Return the candidate most similar to `name`, or None if none is similar enough.

    Args:
        name: the name as written.
        candidates: existing names.
        likeness: the minimum similarity, 0 to 1.

    >>> nearest("customer_revenue", ["total_revenue", "customer_id"])
    'total_revenue'
    """
    wanted = name.lower()
    if len(wanted) > LONGEST:
        return None
    letters = dict.fromkeys(map(ord, wanted))
    bounded = [
        (_bound(wanted, letters, candidate.lower()), -place, candidate)
        for place, candidate in enumerate(dict.fromkeys(candidates))
        if len(candidate) <= LONGEST
    ]
    best: tuple[float, int, str] | None = None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for bound, place, candidate in nlargest(MOST_COMPARED, bounded):
        least = likeness if best is None else best[0]
        if bound < least:
            break
        matcher.set_seq1(candidate.lower())
        if matcher.quick_ratio() < least:
            continue
        score = matcher.ratio()
        if score >= likeness and (best is None or (score, place) > best[:2]):
            best = (score, place, candidate)
    return best[2] if best is not None else None


def _bound(wanted: str, letters: dict[int, None], candidate: str) -> float:
    """Return an upper bound of the similarity, from the lengths and the letters they share.

    Args:
        wanted: one name.
        letters: its letters, as a table for `str.translate` that removes them.
        candidate: the other name.
    """
    shared = len(candidate) - len(candidate.translate(letters))
    return 2 * min(shared, len(wanted)) / (len(wanted) + len(candidate) or 1)


def apply_suggestions(sql: str, findings: Iterable[Finding], *, dialect: str) -> str | None:
    """Return the statement with every wrong name replaced; None if an error has no suggestion."""
    edits: dict[tuple[int, int], str] = {}
    for finding in findings:
        if finding.severity != "error":
            continue
        if finding.suggestion is None or finding.start is None or finding.end is None:
            return None
        edits[finding.start, finding.end] = quote_if_needed(finding.suggestion, dialect=dialect)
    for (start, end), text in sorted(edits.items(), reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql if edits else None


def quote_if_needed(name: str, *, dialect: str) -> str:
    """Return a name as the dialect spells it: quoted unless it is a plain identifier."""
    known = dialect_of(dialect)
    return known.quoted(name) if known.needs_quotes(name) else name
