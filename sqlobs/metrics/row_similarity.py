"""Match rows by the meaning of their text, over the union of both tables' columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlobs.metrics.embedding import cosine_similarities
from sqlobs.metrics.row_matching import MatchedCells, optimal_pairs, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.embedding import Embedder
    from sqlobs.types import ResultTable

ABSENT = "N/A"
"""Stands for a column that a table does not have."""


def semantic_rows(
    reference: ResultTable, predicted: ResultTable, *, embedder: Embedder, max_rows: int = 500
) -> MatchedCells:
    """Match rows so that the sum of their similarities is greatest, and count similarities.

    A row's text is its values joined by " | ", in the sorted order of all column names of both
    tables; equal texts have similarity 1, opposite meanings 0. The sum is scaled by the share of
    the reference's columns that the prediction has. Rows take the place of cells: precision is
    over predicted rows, recall over reference rows.

    Args:
        reference: The reference's table, not empty.
        predicted: The predicted table, not empty.
        embedder: Turns texts into vectors.
        max_rows: Rows looked at on each side; beyond, an even sample stands for them.
    """
    names = sorted(set(_numbered(reference.columns)) | set(_numbered(predicted.columns)))
    texts, others = _texts(reference, names, max_rows), _texts(predicted, names, max_rows)
    similarities = cosine_similarities(texts, others, embedder=embedder).clip(0.0, 1.0)
    for row, text in enumerate(texts):
        for column, other in enumerate(others):
            if text == other:
                similarities[row, column] = 1.0
    total = float(sum(similarities[pair] for pair in optimal_pairs(similarities)))
    is_sampled = max(len(reference.rows), len(predicted.rows)) > max_rows
    share = _coverage(reference, predicted)
    return MatchedCells(total * share, len(texts), len(others), is_sampled)


def _numbered(columns: Sequence[str]) -> list[tuple[str, int]]:
    """Tell repeated names apart by their occurrence."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in columns:
        numbered.append((name, seen[name]))
        seen[name] += 1
    return numbered


def _texts(table: ResultTable, names: list[tuple[str, int]], max_rows: int) -> list[str]:
    places = {name: position for position, name in enumerate(_numbered(table.columns))}
    rows = [table.rows[position] for position in spread(len(table.rows), max_rows)]
    return [
        " | ".join(str(row[places[name]]) if name in places else ABSENT for name in names)
        for row in rows
    ]


def _coverage(reference: ResultTable, predicted: ResultTable) -> float:
    columns = set(_numbered(reference.columns))
    if len(columns) <= 1:
        return 1.0
    return len(columns & set(_numbered(predicted.columns))) / len(columns)
