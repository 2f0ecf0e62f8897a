"""When two cells are equal: raw, as Python has it, or canonical, as a database user has it.

Both rules turn the cells of a reference and a predicted table into hashable keys, column by
column and jointly, so that every comparison of tables is a comparison of keys.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol, TypeAlias
from uuid import UUID

from sqlobs.metrics.tolerance import EXACT_FLOATS_BELOW, Inexact, shared_keys

if TYPE_CHECKING:
    from typing import TypeGuard

    from sqlobs.types import Cell, ResultTable

Keys: TypeAlias = Sequence[Hashable]
"""The keys of one column, in row order."""

_LARGEST_INTEGRAL_EXPONENT = 400
_PLAIN = frozenset({int, str, type(None)})
_NULLS = frozenset({"NaTType", "NAType"})  # pandas' own, known by name: pandas is not imported


class CellRule(Protocol):
    """Protocol: the rule by which two cells are equal."""

    def keys(self, reference: ResultTable, predicted: ResultTable) -> tuple[list[Keys], list[Keys]]:
        """Return the key columns of both tables; equal keys are equal cells."""
        ...


@dataclass(frozen=True, slots=True)
class RawCells:
    """Python's own equality, as BIRD, Spider and SQLMorph use it.

    `1 == 1.0 == True`, `Decimal("0.10") != 0.1`, no tolerance, text never equals a date, NaN only
    equals itself. What has no hash is compared as JSON text with sorted keys.
    """

    def keys(self, reference: ResultTable, predicted: ResultTable) -> tuple[list[Keys], list[Keys]]:
        """Return the cells themselves."""
        return (
            [_hashable(column) for column in columns_of(reference)],
            [_hashable(column) for column in columns_of(predicted)],
        )


@dataclass(frozen=True, slots=True)
class CanonicalCells:
    """Compares values independent of driver and dialect: 1 equals 1.0, a date its text.

    NULL, `NaT` and `NA` are one value. Booleans are integers. Integral numbers are equal exactly,
    other numbers within a tolerance; a float from 2**53 on equals no integer. Dates equal their
    ISO text, midnight without a zone is its date, instants with zones are compared in UTC. Bytes
    never equal text, text never equals a number. NaN equals NaN.
    """

    relative_tolerance: float = 1e-9
    absolute_tolerance: float = 1e-9
    trim: bool = False
    casefold: bool = False
    nfc: bool = False
    numeric_text: bool = False
    """Text that spells a number equals that number."""

    def keys(self, reference: ResultTable, predicted: ResultTable) -> tuple[list[Keys], list[Keys]]:
        """Return canonical keys; numbers within tolerance of each other share one."""
        columns, others = self.unshared(reference, predicted)
        inexact = {key for column in (*columns, *others) for key in _inexact(column)}
        shared = shared_keys(inexact, self.tolerance)
        if shared:
            columns = [_with_shared(column, shared) for column in columns]
            others = [_with_shared(column, shared) for column in others]
        return columns, others

    def unshared(
        self, reference: ResultTable, predicted: ResultTable
    ) -> tuple[list[Keys], list[Keys]]:
        """Return canonical keys in which numbers are as they are, to be compared by `agree`."""
        return (
            [self._column(cells) for cells in columns_of(reference)],
            [self._column(cells) for cells in columns_of(predicted)],
        )

    def equal(self, cell: Cell, other: Cell) -> bool:
        """Return whether two cells are equal, by pairwise tolerance."""
        return self.agree(self.key(cell), self.key(other))

    def agree(self, key: Hashable, other: Hashable) -> bool:
        """Return whether two unshared keys are those of equal cells."""
        if isinstance(key, Inexact) or isinstance(other, Inexact):
            return self._close(key, other)
        return key == other

    def key(self, cell: Cell) -> Hashable:
        """Return the canonical key of one cell; non-integral numbers come as `Inexact`."""
        if type(cell) is str:
            return self._text(cell)
        return canonical(cell)

    def tolerance(self, number: float, other: float) -> float:
        """Return the distance within which two numbers are equal."""
        return max(self.absolute_tolerance, self.relative_tolerance * max(abs(number), abs(other)))

    def _column(self, cells: Sequence[Cell]) -> Keys:
        kinds = set(map(type, cells))
        if kinds <= _PLAIN and (str not in kinds or not self.changes_text):
            # Integers, text and NULL are their own keys.
            return cells
        return [self.key(cell) for cell in cells]

    @property
    def changes_text(self) -> bool:
        """Any of the text options is on."""
        return self.trim or self.casefold or self.nfc or self.numeric_text

    def _text(self, text: str) -> Hashable:
        text = text.strip() if self.trim else text
        text = unicodedata.normalize("NFC", text) if self.nfc else text
        text = text.casefold() if self.casefold else text
        return _number_in(text) if self.numeric_text else text

    def _close(self, key: Hashable, other: Hashable) -> bool:
        number, other_number = _as_float(key), _as_float(other)
        if number is None or other_number is None:
            return False
        return abs(number - other_number) <= self.tolerance(number, other_number)


RAW = RawCells()
CANONICAL = CanonicalCells()


def compares_hashes(
    cells: CellRule, reference: ResultTable, predicted: ResultTable
) -> TypeGuard[CanonicalCells]:
    """Return whether the tables are large and the rule is one that hashes can follow."""
    is_large = reference.arrow is not None or predicted.arrow is not None
    return is_large and isinstance(cells, CanonicalCells) and not cells.changes_text


def may_be_plain(cells: CellRule, reference: ResultTable, predicted: ResultTable) -> bool:
    """Return whether whole tables are compared by a rule that leaves text as it is."""
    is_whole = not (reference.truncated or predicted.truncated)
    return is_whole and isinstance(cells, CanonicalCells) and not cells.changes_text


def columns_of(table: ResultTable) -> list[Sequence[Cell]]:
    """Return the cells column by column."""
    if table.arrow is not None:
        return [table.column(position) for position in range(len(table.columns))]
    if not table.rows:
        return [() for _ in table.columns]
    return list(zip(*table.rows, strict=True))


def canonical(cell: Cell) -> Hashable:
    """Return the canonical key of a cell, text as it stands."""
    known = _BY_TYPE.get(type(cell))
    return _of_other(cell) if known is None else known(cell)


def _of_other(cell: Cell) -> Hashable:  # noqa: C901, PLR0912 - one line a type
    """Return the key of a cell whose type is not in the table: a subclass, or a driver's own."""
    match cell:
        case None:
            return None
        case bool() | int():
            return int(cell)
        case str():
            return str(cell)
        case float():
            return _of_float(float(cell))
        case Decimal():
            return _of_decimal(cell)
        case dt.datetime():
            return _of_datetime(cell)
        case dt.date() | dt.time():
            return cell.isoformat()
        case dt.timedelta():
            return "interval", cell.total_seconds()
        case bytes() | bytearray() | memoryview():
            return bytes(cell)
        case UUID():
            return str(cell)
        case list() | tuple() | dict():
            return json_text(cell)
        case Hashable() if type(cell).__name__ not in _NULLS:
            return cell
        case _ if type(cell).__name__ in _NULLS:
            return None
        case _:
            return "unhashable", repr(cell)


def json_text(cell: Cell) -> str:
    """Return a nested value as JSON text that does not depend on the order of keys.

    Numbers are written as what they are worth: 1.0 as 1, Decimal("1.5") as 1.5, true as 1.
    """
    plain = _plain(cell)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), default=str, ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return int(value) if value == int(value) else float(value)
    return value


def _hashable(cells: Sequence[Cell]) -> Keys:
    try:
        frozenset(cells)
    except TypeError:
        return [
            json_text(cell) if isinstance(cell, list | dict | tuple) else cell for cell in cells
        ]
    return cells


def _of_float(number: float) -> Hashable:
    if number.is_integer():
        return int(number) if abs(number) < EXACT_FLOATS_BELOW else Inexact(number)
    if math.isfinite(number):
        return Inexact(number)
    return "number", str(number)


def _of_decimal(number: Decimal) -> Hashable:
    if not number.is_finite():
        return _of_float(math.nan if number.is_nan() else float(number))
    if number.adjusted() > _LARGEST_INTEGRAL_EXPONENT:
        return "number", str(number.normalize())
    integer = int(number)
    return integer if integer == number else _of_float(float(number))


def _of_datetime(moment: dt.datetime) -> Hashable:
    if moment.tzinfo is not None:
        return "instant", moment.astimezone(dt.UTC).replace(tzinfo=None).isoformat()
    if moment.time() == dt.time():
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")


def _number_in(text: str) -> Hashable:
    try:
        return _of_decimal(Decimal(text.strip()))
    except ArithmeticError:
        return text


def _as_float(key: Hashable) -> float | None:
    if isinstance(key, Inexact):
        return key.value
    if isinstance(key, int) and abs(key) < EXACT_FLOATS_BELOW:
        return float(key)
    return None


def _inexact(column: Keys) -> Iterable[Inexact]:
    return (key for key in column if isinstance(key, Inexact)) if isinstance(column, list) else ()


def _with_shared(column: Keys, shared: dict[Inexact, Hashable]) -> Keys:
    if not isinstance(column, list):
        return column
    return [shared[key] if isinstance(key, Inexact) else key for key in column]


def _itself(cell: Hashable) -> Hashable:
    return cell


_BY_TYPE: dict[type, Callable[..., Hashable]] = {
    Decimal: _of_decimal,
    bool: int,
    bytes: _itself,
    dt.date: dt.date.isoformat,
    dt.datetime: _of_datetime,
    float: _of_float,
    int: _itself,
    str: _itself,
    type(None): _itself,
}
"""The common types, looked up by their exact class because that is fast."""
