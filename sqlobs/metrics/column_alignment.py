"""Which predicted column stands for which column of the reference: by name or by meaning."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.embedding import cosine_similarities

if TYPE_CHECKING:
    from sqlobs.metrics.embedding import Embedder
    from sqlobs.types import ResultTable

ColumnPairs: TypeAlias = Sequence[tuple[int, int]]
"""Positions in the reference and in the prediction."""

_FREQUENT_VALUES = 10


def columns_by_name(reference: ResultTable, predicted: ResultTable) -> ColumnPairs:
    """Pair columns of equal names, case and all; of repeated names the first with the first."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for position in reversed(range(len(predicted.columns))):
        places[predicted.columns[position]].append(position)
    return [
        (position, places[name].pop())
        for position, name in enumerate(reference.columns)
        if places[name]
    ]


def columns_by_similarity(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    similarity: Embedder | Sequence[Sequence[float]],
    above: float = 0.7,
) -> ColumnPairs:
    """Pair columns so that the sum of their similarities is greatest, and drop the weak pairs.

    Args:
        reference: The reference's table.
        predicted: The predicted table.
        similarity: An embedder for the columns' descriptions, or the similarities themselves as
            `[predicted column][reference column]`.
        above: A pair counts only where it is more similar than this.
    """
    try:
        import numpy as np
        from scipy.optimize import linear_sum_assignment
    except ImportError as error:
        raise MissingExtraError("Semantic matching", extra="metrics") from error

    if isinstance(similarity, Sequence):
        cosines = np.asarray(similarity, dtype=np.float64)
    else:
        cosines = cosine_similarities(
            _descriptions(predicted), _descriptions(reference), embedder=similarity
        )
    rows, columns = linear_sum_assignment(cosines, maximize=True)
    return [
        (int(column), int(row))
        for row, column in zip(rows, columns, strict=True)
        if cosines[row, column] > above
    ]


def _descriptions(table: ResultTable) -> list[str]:
    """Describe each column by name, type and its most frequent values, for an embedder."""
    return [
        _description(name, [cell for cell in table.column(position) if cell is not None])
        for position, name in enumerate(table.columns)
    ]


def _description(name: str, cells: Sequence[object]) -> str:
    kinds = Counter(type(cell).__name__ for cell in cells).most_common(1)
    counts = Counter(map(str, cells))
    frequent = sorted(counts, key=lambda text: (-counts[text], text))[:_FREQUENT_VALUES]
    kind = kinds[0][0] if kinds else "unknown"
    return f"column: {name}; type: {kind}; values: {', '.join(frequent)}"
