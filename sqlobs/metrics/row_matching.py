"""Match rows of two tables one to one and count the cells they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.cells import RAW

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    from sqlobs.metrics.column_alignment import ColumnPairs
    from sqlobs.types import Cell, ResultTable

    Counts: TypeAlias = npt.NDArray[np.int64]
    Tokens: TypeAlias = tuple[Hashable, ...]

Assignment = Literal["greedy", "optimal"]


@dataclass(frozen=True, slots=True)
class RowMatching:
    """How rows without an equal counterpart are matched."""

    assignment: Assignment = "greedy"
    """`greedy`: the most similar pair first, as the source does; `optimal`: the best in total."""
    max_rows: int = 2_000
    """Unmatched rows looked at on each side; beyond, a sample stands for them."""
    null_text: str | None = None
    """What NULL equals in the column-free technique: only itself, or a text (source: "None")."""


DEFAULT_MATCHING = RowMatching()


@dataclass(frozen=True, slots=True)
class MatchedCells:
    """How many cells were matched, and out of how many; similarities make them fractions."""

    matched: float
    reference_cells: float
    predicted_cells: float
    is_approximate: bool = False

    @property
    def precision(self) -> float:
        """Matched over predicted cells; 0 without predicted cells."""
        return self.matched / self.predicted_cells if self.predicted_cells else 0.0

    @property
    def recall(self) -> float:
        """Matched over reference cells; 0 without reference cells."""
        return self.matched / self.reference_cells if self.reference_cells else 0.0


def matched_rows(
    reference: ResultTable,
    predicted: ResultTable,
    pairs: ColumnPairs,
    *,
    matching: RowMatching = DEFAULT_MATCHING,  # noqa: ARG001 - one signature for both cell rules
    counts_extra_columns: bool,
) -> MatchedCells:
    """Count the cells of rows that are equal on the aligned columns, as bags."""
    left, right = _projected(reference, predicted, pairs)
    equal = (Counter(left) & Counter(right)).total() if pairs else 0
    return _of_pairs(equal * len(pairs), reference, predicted, pairs, counts_extra_columns)


def matched_rows_and_cells(
    reference: ResultTable,
    predicted: ResultTable,
    pairs: ColumnPairs,
    *,
    matching: RowMatching = DEFAULT_MATCHING,
    counts_extra_columns: bool,
) -> MatchedCells:
    """Count the cells of equal rows, then the equal cells of the most similar other rows.

    NULL equals NULL. Ties go to the first reference row, then to the first predicted row; equal
    rows stand together there, at the place of the first, as in the source.
    """
    left, right = _projected(reference, predicted, pairs)
    cells = _shared_tokens(
        [tuple(enumerate(row)) for row in left],
        [tuple(enumerate(row)) for row in right],
        matching,
        left_over=_grouped,
    )
    counted = _of_pairs(cells.matched, reference, predicted, pairs, counts_extra_columns)
    return MatchedCells(
        counted.matched, counted.reference_cells, counted.predicted_cells, cells.is_approximate
    )


def matched_bags_of_cells(
    reference: ResultTable,
    predicted: ResultTable,
    *,
    matching: RowMatching = DEFAULT_MATCHING,
    counts_extra_cells: bool,
) -> MatchedCells:
    """Match rows as bags of cell texts, wherever in the row a text stands.

    Equal bags are paired first, then by the share of common texts; a row is used once.
    """
    cells = _shared_tokens(
        _texts(reference, matching), _texts(predicted, matching), matching, left_over=_without
    )
    everything = len(predicted.rows) * len(predicted.columns)
    return MatchedCells(
        cells.matched,
        len(reference.rows) * len(reference.columns),
        everything if counts_extra_cells else cells.matched,
        cells.is_approximate,
    )


def greedy_pairs(counts: Counts) -> list[tuple[int, int]]:
    """Take the pair with the greatest count again and again; ties: first row, first column.

    The counts do not change while rows are taken, so that one pass over the pairs in falling
    order of their count gives what the repeated search for the greatest gives.
    """
    import numpy as np

    free = np.ones(counts.shape[1], dtype=bool)
    rows = list(range(counts.shape[0]))
    pairs: list[tuple[int, int]] = []
    for count in range(int(counts.max(initial=0)), 0, -1):
        left = []
        for row in rows:
            place = int(np.argmax((counts[row] == count) & free))
            if free[place] and counts[row, place] == count:
                free[place] = False
                pairs.append((row, place))
            else:
                left.append(row)
        rows = left
    return pairs


def optimal_pairs(counts: Counts) -> list[tuple[int, int]]:
    """Return the one-to-one pairs whose counts have the greatest sum."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(counts, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


def spread(count: int, limit: int) -> list[int]:
    """Return positions of an evenly spread sample; all of them within the limit."""
    return list(range(count)) if count <= limit else [k * count // limit for k in range(limit)]


@dataclass(frozen=True, slots=True)
class _Shared:
    matched: float
    is_approximate: bool


def _shared_tokens(
    left: Sequence[Tokens],
    right: Sequence[Tokens],
    matching: RowMatching,
    *,
    left_over: Callable[[Iterable[Tokens], Counter[Tokens]], list[Tokens]],
) -> _Shared:
    """Pair rows of tokens one to one, equal rows first; return how many tokens they share."""
    equal = Counter(left) & Counter(right)
    matched = sum(len(row) * count for row, count in equal.items())
    others, candidates = left_over(left, equal), left_over(right, equal)
    pairs_left = min(len(others), len(candidates))
    if not pairs_left:
        return _Shared(matched, is_approximate=False)
    sample = [others[place] for place in spread(len(others), matching.max_rows)]
    among = [candidates[place] for place in spread(len(candidates), matching.max_rows)]
    counts = _shared_counts(sample, among)
    pairs = optimal_pairs(counts) if matching.assignment == "optimal" else greedy_pairs(counts)
    shared = sum(int(counts[pair]) for pair in pairs)
    scale = pairs_left / min(len(sample), len(among))
    is_sampled = len(sample) < len(others) or len(among) < len(candidates)
    return _Shared(matched + shared * scale, is_sampled)


def _without(rows: Iterable[Tokens], taken: Counter[Tokens]) -> list[Tokens]:
    """Return the rows left when the first occurrences of the taken ones are gone."""
    open_count = Counter(taken)
    left = []
    for row in rows:
        if open_count[row] > 0:
            open_count[row] -= 1
        else:
            left.append(row)
    return left


def _grouped(rows: Iterable[Tokens], taken: Counter[Tokens]) -> list[Tokens]:
    """Return the rows left when the taken ones are gone, equal rows at the place of the first."""
    return list((Counter(rows) - taken).elements())


def _shared_counts(left: Sequence[Tokens], right: Sequence[Tokens]) -> Counts:
    """Return how many tokens each left row shares with each right row; rows are sets here."""
    try:
        import numpy as np
        from scipy.sparse import csr_array
    except ImportError as error:
        raise MissingExtraError("Matching cells of unequal rows", extra="metrics") from error

    numbers: dict[Hashable, int] = {}
    rows = (*left, *right)
    places = [numbers.setdefault(token, len(numbers)) for row in rows for token in row]
    ends = np.cumsum([0, *map(len, rows)])
    ones = np.ones(len(places), dtype=np.int64)
    holds = csr_array((ones, places, ends), shape=(len(rows), len(numbers)))
    counts: Counts = (holds[: len(left)] @ holds[len(left) :].T).toarray()
    return counts


def _projected(
    reference: ResultTable, predicted: ResultTable, pairs: ColumnPairs
) -> tuple[list[Tokens], list[Tokens]]:
    left, right = RAW.keys(reference, predicted)
    return (
        list(zip(*(left[place] for place, _ in pairs), strict=True)),
        list(zip(*(right[place] for _, place in pairs), strict=True)),
    )


def _of_pairs(
    matched: float,
    reference: ResultTable,
    predicted: ResultTable,
    pairs: ColumnPairs,
    counts_extra_columns: bool,  # noqa: FBT001 - passed through from keyword-only callers
) -> MatchedCells:
    width = len(predicted.columns) if counts_extra_columns else len(pairs)
    return MatchedCells(
        matched, len(reference.rows) * len(reference.columns), len(predicted.rows) * width
    )


def _texts(table: ResultTable, matching: RowMatching) -> list[Tokens]:
    """Return each row as its cells' texts, numbered where one repeats, in one order."""
    return [_ranked([_text(cell, matching) for cell in row]) for row in table.rows]


def _text(cell: Cell, matching: RowMatching) -> tuple[bool, str]:
    """Return a cell's text, distinct from NULL unless the matching defines what NULL equals."""
    if cell is None:
        return (True, "") if matching.null_text is None else (False, matching.null_text)
    return False, str(cell)


def _ranked(texts: Sequence[tuple[bool, str]]) -> Tokens:
    seen: defaultdict[tuple[bool, str], int] = defaultdict(int)
    ranked = []
    for text in sorted(texts):
        seen[text] += 1
        ranked.append((text, seen[text]))
    return tuple(ranked)
