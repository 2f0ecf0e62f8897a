"""SQLMorph's partial credit: how much of a wrong result is right, cell by cell.

Seven techniques that differ in how columns are aligned and how cells are matched. Source: the
SQLMorph documentation and dais-polymtl/sqlmorph; where they contradict each other the
documentation wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError
from sqlobs.metrics.column_alignment import columns_by_name, columns_by_similarity
from sqlobs.metrics.execution_accuracy import ex_set
from sqlobs.metrics.row_matching import (
    MatchedCells,
    RowMatching,
    matched_bags_of_cells,
    matched_rows,
    matched_rows_and_cells,
)
from sqlobs.metrics.row_similarity import semantic_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.column_alignment import ColumnPairs
    from sqlobs.metrics.embedding import Embedder
    from sqlobs.types import ResultTable


class Technique(StrEnum):
    """How columns are aligned and cells are matched."""

    EXECUTION_ACCURACY = "EXECUTION_ACCURACY"
    EXACT_COLUMN_AND_EXACT_CELL = "EXACT_COLUMN_AND_EXACT_CELL"
    EXACT_COLUMN_AND_PARTIAL_CELL = "EXACT_COLUMN_AND_PARTIAL_CELL"
    SEMANTIC_COLUMN_AND_EXACT_CELL = "SEMANTIC_COLUMN_AND_EXACT_CELL"
    SEMANTIC_COLUMN_AND_PARTIAL_CELL = "SEMANTIC_COLUMN_AND_PARTIAL_CELL"
    FREE_COLUMN_AND_PARTIAL_CELL = "FREE_COLUMN_AND_PARTIAL_CELL"
    UNIFIED_COLUMN_AND_SEMANTIC_ROW = "UNIFIED_COLUMN_AND_SEMANTIC_ROW"

    @property
    def compares_text(self) -> bool:
        """Cells are equal if they print alike; else as Python compares them."""
        cls = type(self)
        return self in {cls.FREE_COLUMN_AND_PARTIAL_CELL, cls.UNIFIED_COLUMN_AND_SEMANTIC_ROW}

    @classmethod
    def _missing_(cls, value: object) -> Technique | None:
        """Accept any case, and NO_COLUMN for FREE_COLUMN, as one generation of the source has."""
        name = str(value).upper().replace("NO_COLUMN_", "FREE_COLUMN_")
        name = name.replace("_COLUMN_PARTIAL_CELL", "_COLUMN_AND_PARTIAL_CELL")
        return cls.__members__.get(name)


@dataclass(frozen=True, slots=True)
class PartialCredit:
    """EX, and the precision, recall and F1 of cells."""

    ex: int | None
    """1 iff the sets of rows are equal; None if truncation leaves it open."""
    exp: float | None = None
    """Matched cells over predicted cells, in [0, 1]; None for EXECUTION_ACCURACY."""
    exr: float | None = None
    """Matched cells over reference cells, in [0, 1]."""
    f1: float | None = None
    """Harmonic mean of the two; 0 where both are."""
    is_approximate: bool = False
    """Rows were sampled, or a table was truncated."""

    def by(self, technique: Technique) -> PartialCredit:
        """Return what a technique gives of it: EXECUTION_ACCURACY credits no cells."""
        is_whole = technique is Technique.EXECUTION_ACCURACY
        return PartialCredit(ex=self.ex) if is_whole else self


@dataclass(frozen=True, slots=True)
class CreditSettings:
    """Settings of the techniques."""

    penalize_extra_pred_cols: bool = True
    """Count predicted columns without a counterpart among the predicted cells."""
    embedder: Embedder | None = None
    """Needed by the semantic techniques, unless `column_similarity` is given."""
    column_similarity: Sequence[Sequence[float]] | None = None
    """Known similarities, `[predicted column][reference column]`."""
    similarity_above: float = 0.7
    """Columns are the same above this cosine; strict."""
    matching: RowMatching = RowMatching()  # noqa: RUF009 - frozen


FAILED = PartialCredit(ex=0, exp=0.0, exr=0.0, f1=0.0)
"""What a statement that failed to run scores, whichever side it was on."""

PERFECT = PartialCredit(ex=1, exp=1.0, exr=1.0, f1=1.0)

DEFAULT_SETTINGS = CreditSettings()


def partial_credit(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    technique: Technique = Technique.EXACT_COLUMN_AND_EXACT_CELL,
    settings: CreditSettings = DEFAULT_SETTINGS,
) -> PartialCredit:
    """Score the share of the reference's cells that a prediction returned, and its surplus.

    EX is 1 iff the sets of rows are equal; then all four are 1, whatever the columns are called.
    Else, on emptiness: an empty reference gives EXP 0, EXR 1; an empty prediction EXP 1, EXR 0;
    F1 is 0 in both. Else EXP = matched / predicted cells and EXR = matched / reference cells; no
    aligned column gives 0 for all. All in [0, 1], higher is better. EXP = EXR = 1 does not imply
    EX = 1: the same columns in another order give EX 0 and F1 1. A truncated table is scored on
    the fetched rows and marked approximate.

    Args:
        reference: What the reference SQL returned.
        predicted: What the predicted SQL returned.
        technique: How columns are aligned and cells are matched.
        settings: Penalty, embedder, thresholds, limits.

    Raises:
        ConfigError: a semantic technique without an embedder.
        MissingExtraError: partial or semantic matching without the `metrics` extra.
    """
    match = ex_set(reference, predicted)
    accuracy = None if match.equal is None else int(match.equal)
    if technique is Technique.EXECUTION_ACCURACY:
        return PartialCredit(ex=accuracy)
    if accuracy == 1:
        return PERFECT
    is_cut = reference.truncated or predicted.truncated
    if not len(reference.rows):
        return PartialCredit(accuracy, 0.0, 1.0, 0.0, is_cut)
    if not len(predicted.rows):
        return PartialCredit(accuracy, 1.0, 0.0, 0.0, is_cut)
    matched = _matched(reference, predicted, technique, settings)
    exp, exr = matched.precision, matched.recall
    return PartialCredit(
        accuracy, exp, exr, harmonic_mean(exp, exr), is_cut or matched.is_approximate
    )


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1; 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _matched(
    reference: ResultTable, predicted: ResultTable, technique: Technique, settings: CreditSettings
) -> MatchedCells:
    if technique is Technique.UNIFIED_COLUMN_AND_SEMANTIC_ROW:
        return semantic_rows(reference, predicted, embedder=_embedder(settings))
    is_strict = settings.penalize_extra_pred_cols
    if technique is Technique.FREE_COLUMN_AND_PARTIAL_CELL:
        return matched_bags_of_cells(
            reference, predicted, matching=settings.matching, counts_extra_cells=is_strict
        )
    pairs = _aligned(reference, predicted, technique, settings)
    match = matched_rows if technique in _EXACT_CELL else matched_rows_and_cells
    return match(
        reference, predicted, pairs, matching=settings.matching, counts_extra_columns=is_strict
    )


def _aligned(
    reference: ResultTable, predicted: ResultTable, technique: Technique, settings: CreditSettings
) -> ColumnPairs:
    if technique in _EXACT_COLUMN:
        return columns_by_name(reference, predicted)
    return columns_by_similarity(
        reference,
        predicted,
        similarity=settings.column_similarity or _embedder(settings),
        above=settings.similarity_above,
    )


def _embedder(settings: CreditSettings) -> Embedder:
    if settings.embedder is None:
        raise ConfigError("This technique compares embeddings; pass an embedder.")
    return settings.embedder


_EXACT_COLUMN = frozenset(
    {Technique.EXACT_COLUMN_AND_EXACT_CELL, Technique.EXACT_COLUMN_AND_PARTIAL_CELL}
)
_EXACT_CELL = frozenset(
    {Technique.EXACT_COLUMN_AND_EXACT_CELL, Technique.SEMANTIC_COLUMN_AND_EXACT_CELL}
)
