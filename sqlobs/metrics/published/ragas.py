"""The data diff of Ragas: precision, recall and F1 of rows or columns that are the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlobs.metrics.cells import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.cells import Keys
    from sqlobs.types import ResultTable


@dataclass(frozen=True, slots=True)
class DataDiff:
    """Agreement of two tables by rows and by columns; each in [0, 1], higher is better."""

    precision: float
    """Of the prediction's rows or columns."""
    recall: float
    """Of the reference's."""

    @property
    def f1(self) -> float:
        """Their harmonic mean; 0 where both are."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def data_diff(
    reference: ResultTable, predicted: ResultTable, *, by: Literal["rows", "columns"] = "rows"
) -> DataDiff:
    """Count the rows, or the columns, that are equal at the same position in both tables.

    Rows belong together by position, columns by name in any case, the k-th of a name with the
    k-th. A row is the same where its cells agree in all common columns, a column where they agree
    in all common rows: surplus rows cost a column nothing. Cells are canonical. Two empty tables
    give 1, an empty one and another 0, as do tables without a common column (in the source what
    has nothing in common is the same). Truncated tables are compared on the fetched rows. Source:
    Ragas, DataCompyScore, on DataComPy's comparison by index.

    Args:
        reference: The reference's table.
        predicted: The predicted table.
        by: What is counted.
    """
    if not (len(reference.rows) or len(predicted.rows)):
        return DataDiff(1.0, 1.0)
    agreed = _agreed(reference, predicted)
    if by == "rows":
        same = sum(map(all, zip(*agreed, strict=True)))
        counts = len(predicted.rows), len(reference.rows)
    else:
        same = sum(bool(column) and all(column) for column in agreed)
        counts = len(predicted.columns), len(reference.columns)
    precision, recall = (same / count if count else 0.0 for count in counts)
    return DataDiff(precision, recall)


def _agreed(reference: ResultTable, predicted: ResultTable) -> list[list[bool]]:
    """Return for each common column in which of the common rows the cells agree."""
    columns, others = CANONICAL.unshared(reference, predicted)
    given = _by_name(predicted.columns, others)
    return [
        [CANONICAL.agree(*pair) for pair in zip(column, given[name], strict=False)]
        for name, column in _by_name(reference.columns, columns).items()
        if name in given
    ]


def _by_name(names: Sequence[str], columns: Sequence[Keys]) -> dict[tuple[str, int], Keys]:
    """Return columns by their name in lower case and how many of that name stand before."""
    found: dict[tuple[str, int], Keys] = {}
    seen: Counter[str] = Counter()
    for name, column in zip(map(str.lower, names), columns, strict=True):
        found[name, seen[name]] = column
        seen[name] += 1
    return found
