"""Two results that both ran, and the comparisons that several scores share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from sqlobs.metrics.credit_score import (
    PERFECT,
    CreditSettings,
    PartialCredit,
    Technique,
    partial_credit,
)
from sqlobs.metrics.denodo import as_text
from sqlobs.metrics.execution_accuracy import ex, ex_set
from sqlobs.metrics.match import EQUAL, Match
from sqlobs.metrics.ordering import Ordering
from sqlobs.types import ResultTable

_FEW_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """How results are scored."""

    technique: Technique = Technique.EXACT_COLUMN_AND_EXACT_CELL
    further: tuple[Technique, ...] = ()
    """More techniques, each with scores of its own."""
    credit: CreditSettings = field(default_factory=CreditSettings)
    excuses_volatility: bool = False
    """A difference is not evaluated where a statement may return other rows each time
    (`random()`, `LIMIT` without `ORDER BY`). The benchmarks count it as wrong."""


@dataclass(frozen=True)
class Comparison:
    """The tables of a reference and of a prediction."""

    reference: ResultTable
    predicted: ResultTable
    ordering: Ordering
    """The order that the reference promises."""
    settings: ScoreSettings

    @cached_property
    def is_same(self) -> bool:
        """There are rows, alike to the letter and in order: every score of them is a full match.

        Equal rows need not be: 1 equals 1.0 and `Decimal("1.0")`, which have other texts. False for
        large tables, where looking costs more than it saves.
        """
        rows, others = self.reference.rows, self.predicted.rows
        is_small = 0 < len(rows) == len(others) <= _FEW_ROWS
        if (
            not is_small
            or self.is_cut
            or len(self.reference.columns) != len(self.predicted.columns)
        ):
            return False
        held, other = tuple(rows), tuple(others)
        return held == other and repr(held) == repr(other)

    @property
    def is_cut(self) -> bool:
        """The database had more rows than were fetched, on either side."""
        return self.reference.truncated or self.predicted.truncated

    @cached_property
    def match(self) -> Match:
        """Execution accuracy by the default rule, `ex`."""
        if self.is_same:
            return EQUAL
        return ex(self.reference, self.predicted, ordering=self.ordering)

    @cached_property
    def sets(self) -> Match:
        """Equality as sets of rows under Python's equality."""
        if self.is_same:
            return EQUAL
        return ex_set(self.reference, self.predicted)

    @cached_property
    def texts(self) -> tuple[ResultTable, ResultTable]:
        """Both tables with cells as text."""
        return as_text(self.reference), as_text(self.predicted)

    @property
    def needs_digests(self) -> bool:
        """A cut leaves `ex` open, or rows in the wrong order may still be an equal set."""
        if self.match.equal is None:
            return self.match.reason == "truncated"
        is_misplaced = self.ordering.is_ordered and not self.match.equal
        return is_misplaced and self.sets.equal is None

    @cached_property
    def credit(self) -> PartialCredit:
        """Precision, recall and F1 of cells, by the technique."""
        settings = self.settings
        if self.is_same:
            return PERFECT.by(settings.technique)
        return partial_credit(
            self.reference, self.predicted, technique=settings.technique, settings=settings.credit
        )

    @cached_property
    def further_credits(self) -> Mapping[Technique, PartialCredit]:
        """The same by each of the further techniques."""
        settings = self.settings
        return {
            technique: partial_credit(
                self.reference, self.predicted, technique=technique, settings=settings.credit
            )
            for technique in settings.further
        }

    @property
    def known_credit(self) -> PartialCredit:
        """The partial credit; where a result is cut, equality alone."""
        equal = self.sets.equal
        return (
            PartialCredit(ex=None if equal is None else int(equal)) if self.is_cut else self.credit
        )
