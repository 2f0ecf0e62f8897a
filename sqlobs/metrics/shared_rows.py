"""The share of rows that two results have in common."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlobs.metrics.cells import CANONICAL, compares_hashes
from sqlobs.metrics.comparison import equal_bags

if TYPE_CHECKING:
    from sqlobs.types import ResultTable


def row_overlap(reference: ResultTable, predicted: ResultTable) -> float:
    """Return the Jaccard index of two bags of rows: rows in both over rows in either.

    A row that occurs m times on one side and n times on the other counts min(m, n) times in both
    and max(m, n) times in either. Columns are compared in place, cells under canonical equality,
    the order of rows does not count. Range 0 to 1, higher is better, symmetric. 1 exactly where
    the bags are equal, so two empty tables give 1. Source: Jaccard, "The distribution of the
    flora in the alpine zone" (1912), in Ružička's form for multisets (1958).
    """
    if equal_bags(reference, predicted, cells=CANONICAL).equal:
        return 1.0
    if len(reference.columns) != len(predicted.columns):
        return 0.0
    shared = _shared(reference, predicted)
    return shared / (len(reference.rows) + len(predicted.rows) - shared)


def _shared(reference: ResultTable, predicted: ResultTable) -> int:
    if compares_hashes(CANONICAL, reference, predicted):
        from sqlobs.metrics.large_comparison import shared_row_count

        return shared_row_count(reference, predicted, CANONICAL)
    left, right = (
        Counter(zip(*columns, strict=True)) for columns in CANONICAL.keys(reference, predicted)
    )
    return (left & right).total()
