"""Exact set match over a whole prediction file, by hardness and by part."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs.metrics.spider.exact_match import exact_set_match
from sqlobs.metrics.spider.hardness import LEVELS, hardness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.metrics.spider.database import SpiderDatabase
    from sqlobs.metrics.spider.exact_match import ExactMatch, Part, PartScore
    from sqlobs.metrics.spider.hardness import Hardness

ALL = "all"
"""The name of the row over all levels."""


@dataclass(frozen=True, slots=True)
class SpiderCase:
    """A reference, a prediction, and their database."""

    reference_sql: str
    predicted_sql: str
    database: SpiderDatabase


@dataclass(slots=True)
class PartRates:
    """How often a part of the statement was correct, if a side has it."""

    right: int = 0
    in_predicted: int = 0
    right_in_predicted: int = 0
    in_reference: int = 0
    right_in_reference: int = 0

    def add(self, score: PartScore) -> None:
        """Count the part in one case."""
        self.right += score.is_equal
        if score.predicted_count:
            self.in_predicted += 1
            self.right_in_predicted += score.is_equal
        if score.reference_count:
            self.in_reference += 1
            self.right_in_reference += score.is_equal

    @property
    def accuracy(self) -> float | None:
        """Share of predictions with the part that have it right; None if none has it."""
        return self.right_in_predicted / self.in_predicted if self.in_predicted else None

    @property
    def recall(self) -> float | None:
        """Share of references with the part that were met; None if none has it."""
        return self.right_in_reference / self.in_reference if self.in_reference else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of the two; None if it is undefined (the original prints 1 there)."""
        accuracy, recall = self.accuracy, self.recall
        if not accuracy or not recall:
            return None if accuracy is None or recall is None or accuracy == recall == 0 else 0.0
        return 2 * accuracy * recall / (accuracy + recall)


@dataclass(slots=True)
class LevelCounts:
    """The figures of one level of hardness."""

    total: int = 0
    exact: int = 0
    unsupported: int = 0
    """Predictions outside the grammar; they count as not exact."""
    parts: defaultdict[Part, PartRates] = field(default_factory=lambda: defaultdict(PartRates))

    def add(self, match: ExactMatch) -> None:
        """Count one case."""
        self.total += 1
        self.exact += match.is_exact
        self.unsupported += not match.is_supported
        for part, score in match.parts.items():
            self.parts[part].add(score)

    @property
    def rate(self) -> float | None:
        """Exact matches over all cases, as published figures count; None of nothing."""
        return self.exact / self.total if self.total else None

    @property
    def rate_of_supported(self) -> float | None:
        """Exact matches over the predictions inside the grammar."""
        supported = self.total - self.unsupported
        return self.exact / supported if supported else None


def spider_corpus(cases: Iterable[SpiderCase]) -> Mapping[Hardness | str, LevelCounts]:
    """Count exact matches by level of hardness, in the order of levels, `all` last.

    Raises:
        UnsupportedSqlError: a reference is outside Spider's grammar.
    """
    counts: dict[Hardness | str, LevelCounts] = {level: LevelCounts() for level in (*LEVELS, ALL)}
    for case in cases:
        match = exact_set_match(case.reference_sql, case.predicted_sql, database=case.database)
        level = hardness(case.reference_sql, database=case.database)
        for held in (counts[level], counts[ALL]):
            held.add(match)
    return counts


def hardness_counts(cases: Iterable[SpiderCase]) -> Counter[Hardness]:
    """Count references by level of hardness."""
    return Counter(hardness(case.reference_sql, database=case.database) for case in cases)
