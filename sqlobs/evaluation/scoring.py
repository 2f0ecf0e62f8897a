"""All scores of one prediction against one reference, by name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.denodo import denodo_scores
from sqlobs.metrics.execution_accuracy import ex, ex_set, ex_subset, ex_test_suite
from sqlobs.metrics.outcome import standing
from sqlobs.metrics.partial_credit import FAILED, CreditSettings, Technique, partial_credit
from sqlobs.metrics.soft_f1 import soft_f1
from sqlobs.runs.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.execution.outcome import Execution
    from sqlobs.metrics.ordering import Ordering
    from sqlobs.metrics.partial_credit import PartialCredit
    from sqlobs.runs.case import Assignment, CellMode
    from sqlobs.runs.scores import Score
    from sqlobs.types import ResultTable


_PARTIAL: Final = ("exp", "exr", "f1")
_OF_ROWS_AT_HAND: Final = frozenset(
    {"soft_f1", "subset_percent", "overlap_percent", "same_row_count", "bird_f1"}
)
"""Scores that a cut table has, too."""
_CELL_MODES: Final[dict[str, CellMode]] = {
    "ex": "canonical",
    "ex_set": "raw",
    "ex_test_suite": "raw",
    "ex_subset": "canonical",
    "soft_f1": "raw",
    "results_match": "raw",
    "subset_percent": "text",
    "overlap_percent": "raw",
    "bird_f1": "text",
}
_MATCHING_ROWS: Final = frozenset(
    {
        Technique.EXACT_COLUMN_AND_PARTIAL_CELL,
        Technique.SEMANTIC_COLUMN_AND_PARTIAL_CELL,
        Technique.FREE_COLUMN_AND_PARTIAL_CELL,
    }
)
_BY_TEXT: Final = frozenset(
    {Technique.FREE_COLUMN_AND_PARTIAL_CELL, Technique.UNIFIED_COLUMN_AND_SEMANTIC_ROW}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """How results are scored."""

    technique: Technique = Technique.EXACT_COLUMN_AND_EXACT_CELL
    credit: CreditSettings = field(default_factory=CreditSettings)


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one pair, and the partial credit that the diagnosis reads."""

    by_name: dict[str, float | None]
    credit: PartialCredit | None = None
    """None where nothing is known of the prediction: the reference did not run."""
    cell_mode: Mapping[str, CellMode] = field(default_factory=dict)
    """How each score compared cells; empty where no results were compared."""
    assignment: Assignment | None = None
    """How partly equal rows were matched; None where the technique matches none."""
    approximate: tuple[str, ...] = ()
    """Scores of a part of the rows."""

    def with_known(self, known: Mapping[str, float | None]) -> Scores:
        """Return the scores with some that are of all rows."""
        return replace(
            self,
            by_name={**self.by_name, **known},
            approximate=tuple(name for name in self.approximate if name not in known),
        )

    def with_equal_sets(self) -> Scores:
        """Return the scores with the partial credit of equal sets of rows."""
        if self.credit is None:
            return self
        credit = self.credit.of_equal_sets
        known = {"exp": credit.exp, "exr": credit.exr, "f1": credit.f1}
        return replace(self.with_known(known), credit=credit)


UNKNOWN: Final = Scores({})


def wrong_scores(technique: Technique) -> Scores:
    """Return the scores of a prediction that failed: 0 in all that the technique gives."""
    return Scores({score.name: 0.0 for score in _given(technique)}, FAILED.by(technique))


def right_scores(technique: Technique) -> Scores:
    """Return the scores where both sides say that the question is unanswerable."""
    return Scores({score.name: score.best for score in _given(technique)})


def _given(technique: Technique) -> list[Score]:
    """Return the scores that every case of a run has; the timed ones come with times."""
    is_whole = technique is Technique.EXECUTION_ACCURACY
    left_out = _PARTIAL if is_whole else ()
    return [each for each in SCORES.values() if not each.is_timed and each.name not in left_out]


def scores_of(reference: Execution, predicted: Execution, settings: ScoreSettings) -> Scores:
    """Score a prediction; one that failed scores 0, and none is known where the reference did.

    A score is None where truncation or a budget leaves it open.
    """
    table, other = reference.outcome.table, predicted.outcome.table
    if standing(reference.outcome, predicted.outcome) == "incorrect":
        return wrong_scores(settings.technique)
    if table is None or other is None:
        return UNKNOWN
    return _compared(table, other, reference.ordering, settings)


def _compared(
    reference: ResultTable, predicted: ResultTable, ordering: Ordering, settings: ScoreSettings
) -> Scores:
    is_ordered = ordering.is_ordered
    match = ex(reference, predicted, ordering=ordering)
    credit = partial_credit(
        reference, predicted, technique=settings.technique, settings=settings.credit
    )
    denodo = denodo_scores(reference, predicted)
    is_cut = reference.truncated or predicted.truncated
    found = {
        "ex": match.score,
        "ex_set": ex_set(reference, predicted).score,
        "ex_test_suite": ex_test_suite(reference, predicted, is_ordered=is_ordered).score,
        "ex_subset": ex_subset(reference, predicted, is_ordered=is_ordered).score,
        "exp": credit.exp,
        "exr": credit.exr,
        "f1": credit.f1,
        "soft_f1": soft_f1(reference, predicted).f1,
        "results_match": denodo.results_match,
        "subset_percent": denodo.subset_percent,
        "overlap_percent": denodo.overlap_percent,
        "same_row_count": denodo.same_row_count,
        "bird_f1": denodo.standard_f1,
    }
    return Scores(
        found,
        credit,
        cell_mode=_CELL_MODES | dict.fromkeys(_PARTIAL, _partial_cell_mode(settings.technique)),
        assignment=_assignment(settings),
        approximate=tuple(_approximate(found, credit, is_cut=is_cut)),
    )


def _approximate(
    found: Mapping[str, float | None], credit: PartialCredit, *, is_cut: bool
) -> Iterator[str]:
    """Yield the scores that are known of the rows at hand alone."""
    for name, value in found.items():
        is_part = credit.is_approximate if name in _PARTIAL else is_cut and name in _OF_ROWS_AT_HAND
        if is_part and value is not None:
            yield name


def _partial_cell_mode(technique: Technique) -> CellMode:
    return "text" if technique in _BY_TEXT else "raw"


def _assignment(settings: ScoreSettings) -> Assignment | None:
    if settings.technique in _MATCHING_ROWS:
        return settings.credit.matching.assignment
    return "optimal" if settings.technique is Technique.UNIFIED_COLUMN_AND_SEMANTIC_ROW else None
