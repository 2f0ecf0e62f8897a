"""Spider's exact set match of a case: hardness, the match, and its parts as scores."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.metrics.spider.exact_match import exact_set_match
from sqlobs.metrics.spider.hardness import hardness
from sqlobs.metrics.spider.parser import UnsupportedSqlError
from sqlobs.runs.case import ClauseMatch
from sqlobs.scores.registry import PART_SCORES

if TYPE_CHECKING:
    from sqlobs.metrics.spider.database import SpiderDatabase
    from sqlobs.metrics.spider.exact_match import ExactMatch
    from sqlobs.runs.case import CaseResult


def with_clauses(row: CaseResult, database: SpiderDatabase) -> CaseResult:
    """Add the scores of Spider's exact set match, and the difficulty where the case has none.

    Nothing is added if no reference is within Spider's grammar. Of several references, one that
    matches counts, else the first.
    """
    match = _best_match(row, database)
    if match is None:
        return row
    counts: dict[str, tuple[int, int, int]] = {
        part: (score.reference_count, score.predicted_count, score.common_count)
        for part, score in match.parts.items()
    }
    return replace(
        row,
        difficulty=row.difficulty or _hardness(row, database),
        clauses=ClauseMatch(parts=counts, is_supported=match.is_supported),
        scores={**row.scores, **_scores(match)},
    )


def _best_match(row: CaseResult, database: SpiderDatabase) -> ExactMatch | None:
    matches = []
    for sql in filter(None, row.references):
        with suppress(UnsupportedSqlError):
            matches.append(exact_set_match(sql, row.predicted_sql or "", database=database))
    return max(matches, key=lambda match: match.is_exact, default=None)


def _hardness(row: CaseResult, database: SpiderDatabase) -> str | None:
    """Return the level of the first reference that is within the grammar."""
    for sql in filter(None, row.references):
        with suppress(UnsupportedSqlError):
            return hardness(sql, database=database)
    return None


def _scores(match: ExactMatch) -> dict[str, float]:
    """Return the match and its parts; a part that both statements lack has no score."""
    parts = {
        PART_SCORES[part]: float(score.is_equal)
        for part, score in match.parts.items()
        if score.reference_count or score.predicted_count
    }
    return {"spider_em": float(match.is_exact), **parts}
