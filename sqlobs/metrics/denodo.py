"""The figures of the Denodo AI SDK Evaluator, for one query and by difficulty."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Literal, TypeAlias

from sqlobs.metrics.cells import RAW
from sqlobs.metrics.comparison import equal_sets
from sqlobs.metrics.match import CUT, EQUAL, by_row_count
from sqlobs.metrics.soft_f1_score import soft_f1
from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from sqlobs.metrics.match import Match

    Row: TypeAlias = tuple[Hashable, ...]

OVERALL = "Overall"
"""The name of the row over all difficulties."""


@dataclass(frozen=True, slots=True)
class DenodoScores:
    """The five scores of one query that do not depend on time."""

    results_match: float | None
    """1 iff the sets of rows are equal; None if truncation leaves it open."""
    same_row_count: float | None
    """1 iff both have the same number of rows, duplicates included; None if a cut hides it."""
    subset: float
    """Mean share of a reference row's values in the predicted row of that position, 0 to 100."""
    overlap: float
    """Share of the reference's non-NULL cells found anywhere in the prediction, 0 to 100."""
    standard_f1: float
    """Soft-F1 over cells as text, 0 to 1."""


def denodo_scores(
    reference: ResultTable, predicted: ResultTable, *, parity: Literal["denodo"] | None = None
) -> DenodoScores:
    """Compute Results Match, Have Same Row Count, Subsetting, Percent Overlap and Bird F1.

    All higher is better. Two empty tables score full marks, an empty reference with rows
    predicted scores 0. Truncated tables are scored on the fetched rows. Source: the Denodo AI SDK
    Evaluator's document; its code divides Subsetting by the reference's row, and so does this.

    Args:
        reference: The reference's table.
        predicted: The predicted table.
        parity: `denodo` scores as the evaluator's code does, where that departs from its document:
            rows are de-duplicated and are sets of values for Subsetting, whose divisor counts
            every reference row; without a reference row only the first two can be 1.
    """
    if parity == "denodo":
        return _source_scores(reference, predicted)
    return DenodoScores(
        results_match=equal_sets(reference, predicted).score,
        same_row_count=same_row_count(reference, predicted).score,
        subset=subset(reference, predicted),
        overlap=overlap(reference, predicted),
        standard_f1=standard_f1(reference, predicted),
    )


def _source_scores(reference: ResultTable, predicted: ResultTable) -> DenodoScores:
    scores = denodo_scores(reference, predicted)
    if not reference.rows:
        return replace(scores, subset=0.0, overlap=0.0, standard_f1=0.0)
    rows, others = (dict.fromkeys(as_text(table).rows) for table in (reference, predicted))
    shares = (len({*row} & {*other}) / len(row) for row, other in zip(rows, others, strict=False))
    return replace(scores, subset=100.0 * sum(shares) / len(reference.rows))


def same_row_count(reference: ResultTable, predicted: ResultTable) -> Match:
    """Compare the numbers of rows, duplicates included; undetermined where a cut hides them."""
    if (early := by_row_count(reference, predicted)) is not None:
        return early
    return CUT if reference.truncated or predicted.truncated else EQUAL


def standard_f1(reference: ResultTable, predicted: ResultTable) -> float:
    """Return Soft-F1 over cells as text, 0 to 1."""
    return soft_f1(as_text(reference), as_text(predicted)).f1


def subset(reference: ResultTable, predicted: ResultTable) -> float:
    """Return how much of each reference row is in the predicted row of the same position.

    Rows are bags of cell texts; rows that the prediction lacks count as 0, its surplus rows and
    columns do not count. Range 0 to 100; two empty tables give 100.
    """
    return subset_of_texts(as_text(reference), as_text(predicted))


def overlap(reference: ResultTable, predicted: ResultTable) -> float:
    """Return the share of the reference's non-NULL cells that the prediction contains, as bags.

    Neither rows nor columns need to be in order. Range 0 to 100. A reference without any value
    gives 100 if the prediction has none either, else 0.
    """
    left, right = (
        Counter(cell for column in keys for cell in column if cell is not None)
        for keys in RAW.keys(reference, predicted)
    )
    if not left:
        return 0.0 if right else 100.0
    return 100.0 * (left & right).total() / left.total()


@dataclass(frozen=True, slots=True)
class DenodoDetail:
    """One query's input to the summary."""

    difficulty: str
    results_match: float
    subset: float
    total_execution_time_s: float | None
    """How long the system took to answer; None if that is unknown."""
    overlap: float = 0.0
    same_row_count: float = 0.0


@dataclass(frozen=True, slots=True)
class DenodoSummary:
    """One row of the Summary sheet."""

    correct_percent: float
    subset: float
    sample_count: int
    mean_time_s: float | None
    """Over the queries whose time is known; None without any."""
    time_deviation_s: float | None
    """Standard deviation of the population, not of a sample."""
    overlap: float
    same_row_count_percent: float


def denodo_summary(details: Iterable[DenodoDetail]) -> dict[str, DenodoSummary]:
    """Summarize by difficulty, sorted by name, with `Overall` last; empty without input."""
    by_difficulty: dict[str, list[DenodoDetail]] = {}
    everything = list(details)
    for detail in sorted(everything, key=lambda detail: detail.difficulty):
        by_difficulty.setdefault(detail.difficulty, []).append(detail)
    if everything:
        by_difficulty[OVERALL] = everything
    return {name: _summary(group) for name, group in by_difficulty.items()}


def _summary(group: list[DenodoDetail]) -> DenodoSummary:
    times = [
        detail.total_execution_time_s
        for detail in group
        if detail.total_execution_time_s is not None
    ]
    return DenodoSummary(
        correct_percent=100 * fmean(detail.results_match for detail in group),
        subset=fmean(detail.subset for detail in group),
        sample_count=len(group),
        mean_time_s=fmean(times) if times else None,
        time_deviation_s=pstdev(times) if times else None,
        overlap=fmean(detail.overlap for detail in group),
        same_row_count_percent=100 * fmean(detail.same_row_count for detail in group),
    )


def subset_of_texts(whole: ResultTable, other: ResultTable) -> float:
    """Compute `subset` for tables whose cells are texts."""
    if not whole.rows:
        return 0.0 if other.rows else 100.0
    shares = (
        1.0 if row == candidate else (Counter(row) & Counter(candidate)).total() / max(len(row), 1)
        for row, candidate in zip(whole.rows, other.rows, strict=False)
    )
    return 100.0 * sum(shares) / len(whole.rows)


def as_text(table: ResultTable) -> ResultTable:
    """Return the table with cells as text: 1 is not 1.0, and NULL is `nan`."""
    return ResultTable(
        table.columns,
        tuple(tuple("nan" if cell is None else str(cell) for cell in row) for row in table.rows),
        table.truncated,
    )
