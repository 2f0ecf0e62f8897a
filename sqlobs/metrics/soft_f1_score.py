"""BIRD's Soft-F1: a lenient F1 over cells of rows aligned by their position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.metrics.cells import RAW
from sqlobs.metrics.credit_score import harmonic_mean

if TYPE_CHECKING:
    from collections.abc import Hashable

    from sqlobs.metrics.cells import CellRule, Keys
    from sqlobs.types import ResultTable


@dataclass(frozen=True, slots=True)
class SoftF1:
    """Soft-F1 with the sums behind it, in rows."""

    f1: float
    true_positives: float
    false_positives: float
    false_negatives: float
    is_approximate: bool = False
    """A table was truncated: only the fetched rows were compared."""


def soft_f1(reference: ResultTable, predicted: ResultTable, *, cells: CellRule = RAW) -> SoftF1:
    """Compare de-duplicated rows of equal position as collections of values.

    Per row, all shares have the reference's width as divisor: values of the prediction found in
    the reference's row, values not found, and reference values missing. Each row without a
    counterpart counts as one miss. Range [0, 1], higher is better; the order of columns does not
    matter, that of rows does; a repeated predicted value counts each time. Two empty tables give
    1, one empty table 0. Source: bird-bench/mini_dev, evaluation_f1.py; its README counts
    otherwise, the code wins.

    Args:
        reference: What the reference SQL returned.
        predicted: What the predicted SQL returned.
        cells: When two cells are equal.
    """
    left, right = (_distinct(keys) for keys in cells.keys(reference, predicted))
    is_cut = reference.truncated or predicted.truncated
    if not left and not right:
        return SoftF1(1.0, 0.0, 0.0, 0.0, is_cut)
    matched, missing = 0.0, float(max(0, len(left) - len(right)))
    extra = float(max(0, len(right) - len(left)))
    for row, other in zip(left, right, strict=False):
        if row == other:
            matched += 1
            continue
        held, given = set(row), set(other)
        found = sum(value in held for value in other)
        width = max(len(row), 1)  # PostgreSQL: SELECT FROM t
        matched += found / width
        extra += (len(other) - found) / width
        missing += sum(value not in given for value in row) / width
    precision = matched / (matched + extra) if matched else 0.0
    recall = matched / (matched + missing) if matched else 0.0
    return SoftF1(harmonic_mean(precision, recall), matched, extra, missing, is_cut)


def _distinct(columns: list[Keys]) -> list[tuple[Hashable, ...]]:
    return list(dict.fromkeys(zip(*columns, strict=True)))
