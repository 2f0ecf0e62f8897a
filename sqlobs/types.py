"""Value types shared by all packages: result tables, execution outcomes, labels and verdicts.

Tests: `tests/metrics/test_result_table.py`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = [
    "ArrowRows",
    "Cell",
    "ExecutionOutcome",
    "ExecutionStatus",
    "FallbackMode",
    "Label",
    "Outcome",
    "ResultTable",
    "Row",
    "Verdict",
]

Verdict = Literal["ok", "failed", "suspect", "not_evaluated"]
"""The overall result of a check; see `CheckReport.verdict`."""

Outcome = Literal["answered", "abstained", "clarified", "cancelled", "error"]
"""How a request ended, independent of the verdict on its SQL."""

FallbackMode = Literal["late", "wait", "always"]
"""When an LLM fallback is called, and who waits for its answer."""

WITHOUT_SQL: frozenset[Outcome] = frozenset({"abstained", "clarified"})
"""Outcomes that give no SQL on purpose: they are in no rate but the shares of outcomes."""

Label = Literal["pass", "fail", "not_evaluated"]
"""The label of one evaluation."""

ExecutionStatus = Literal["ok", "error", "timeout", "refused", "not_run"]
"""How the execution of one statement ended; `refused`: the gate rejected it."""

Cell: TypeAlias = object
"""One value as a driver returns it: None, number, text, date, bytes, list, …"""

Row: TypeAlias = tuple[Cell, ...]
"""The cells of one row, in the order of the columns."""

ARROW_FROM_CELLS = 5_000
"""Smaller tables stay tuples: packing them would cost more than it saves."""

ARROW_FROM_ROWS = 1_000
"""So do shorter ones, however wide: each column has its price, its cells come almost free."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The rows that a statement returned, as a sequence of tuples.

    Names may repeat and may be empty: columns are known by position.
    """

    columns: tuple[str, ...]
    rows: Sequence[Row]
    truncated: bool = False
    """The database had more rows than were fetched."""

    @classmethod
    def of(
        cls, columns: Iterable[str], rows: Iterable[Sequence[Cell]], *, truncated: bool = False
    ) -> ResultTable:
        """Hold fetched rows: as Arrow columns where that is worth it and loses nothing.

        Columns that mix types, or hold values that Arrow would change, keep the table as tuples.

        Args:
            columns: The names, in order.
            rows: The rows, each as wide as `columns`.
            truncated: Whether the database had more.
        """
        names = tuple(columns)
        held = tuple(map(tuple, rows))
        is_large = len(names) * len(held) >= ARROW_FROM_CELLS and len(held) >= ARROW_FROM_ROWS
        packed = _packed(names, held) if is_large else None
        return cls(names, held if packed is None else ArrowRows(packed), truncated)

    @classmethod
    def from_arrow(cls, table: pa.Table, *, truncated: bool = False) -> ResultTable:
        """Hold an Arrow table as it is."""
        if not table.num_columns:  # slices of such a table forget how many rows it has
            return cls((), ((),) * table.num_rows, truncated)
        return cls(tuple(table.column_names), ArrowRows(table), truncated)

    @property
    def arrow(self) -> pa.Table | None:
        """The Arrow table behind the rows; None if they are tuples."""
        rows = self.rows
        return rows.table if type(rows) is ArrowRows else None

    def column(self, position: int) -> list[Cell]:
        """Return the cells of one column in row order."""
        if isinstance(self.rows, ArrowRows):
            cells: list[Cell] = self.rows.table.column(position).to_pylist()
            return cells
        return [row[position] for row in self.rows]


@dataclass(frozen=True, slots=True)
class ExecutionOutcome:
    """The result of running one statement: a table, or the reason why there is none."""

    status: ExecutionStatus
    table: ResultTable | None = None
    """Present exactly when the status is `ok`."""
    error: str | None = None
    sqlstate: str | None = None
    elapsed_s: float = 0.0


class ArrowRows(Sequence[Row]):
    """The rows of an Arrow table, converted to tuples on access."""

    __hash__ = None  # type: ignore[assignment]  # equal to lists of rows, which have no hash
    __slots__ = ("table",)

    _BATCH_ROWS = 65_536

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __len__(self) -> int:
        count: int = self.table.num_rows
        return count

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            return tuple(_tuples(self.table.take(list(range(*index.indices(len(self)))))))
        position = range(len(self))[index]
        return next(_tuples(self.table.slice(position, 1)))

    def __iter__(self) -> Iterator[Row]:
        starts = range(0, len(self), self._BATCH_ROWS)
        return chain.from_iterable(
            _tuples(self.table.slice(start, self._BATCH_ROWS)) for start in starts
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(map(_same, self, other))


def label_of(decided: bool | None) -> Label:  # noqa: FBT001 - a tri-state, not a flag
    """Return the evaluation label of a tri-state: true, false, or not evaluated."""
    if decided is None:
        return "not_evaluated"
    return "pass" if decided else "fail"


def negated(decided: bool | None) -> bool | None:  # noqa: FBT001 - a tri-state, not a flag
    """Return the opposite of a tri-state; what is not evaluated stays so."""
    return None if decided is None else not decided


def _same(row: object, other: object) -> bool:
    return row == other


def _tuples(table: pa.Table) -> Iterator[Row]:
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _packed(names: tuple[str, ...], rows: tuple[Row, ...]) -> pa.Table | None:
    """Return the rows as an Arrow table; None without pyarrow or where a value would change."""
    if find_spec("pyarrow") is None:
        return None
    import pyarrow as pa

    arrays = []
    if {*map(len, rows)} != {len(names)}:
        raise ValueError("a row is not as wide as the columns")
    for place in range(len(names)):
        cells = list(map(itemgetter(place), rows))  # `zip(*rows)` makes an iterator for each row
        kinds = set(map(type, cells)) - {type(None)}
        if len(kinds) > 1 or not kinds <= _ARROW_KINDS.keys():
            return None
        kind = _ARROW_KINDS[kinds.pop()] if kinds else "null"
        if kind == "timestamp[us]" and any(cell is not None and cell.tzinfo for cell in cells):
            return None
        try:
            arrays.append(pa.array(cells, type=pa.type_for_alias(kind), from_pandas=False))
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
            return None
    return pa.Table.from_arrays(arrays, names=list(names))


_ARROW_KINDS = {
    bool: "bool",
    bytes: "large_binary",
    dt.date: "date32",
    dt.datetime: "timestamp[us]",
    float: "float64",
    int: "int64",
    str: "large_string",
}
"""Types that Arrow gives back exactly as it took them."""
