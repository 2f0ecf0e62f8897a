"""Digests of results that are too large to be held: rows go by once, and none is kept.

Bags are compared by their count and by sum and exclusive or of 128-bit row hashes, sequences by a
rolling hash. Cells are the canonical ones of `ex`; numbers that are equal within a tolerance only
are rounded, so that equal digests are equal results, but different ones may be. A second pair of
sums is of the raw cells, for the metrics that compare as Python does.
"""

from __future__ import annotations

import datetime as dt
import marshal
import math
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, Final
from uuid import UUID

from sqlobs.metrics.cells import canonical, json_text
from sqlobs.metrics.match import CUT, DIFFERENT, EQUAL
from sqlobs.metrics.tolerance import EXACT_FLOATS_BELOW, Inexact

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from sqlobs.metrics.match import Match
    from sqlobs.types import Cell, Row

_BYTES: Final = 16
_BITS: Final = 8 * _BYTES
_MODULUS: Final = 2**_BITS - 1
"""A number whose digits have 128 bits is the sum of its digits, modulo this."""
_BLANK: Final = blake2b(digest_size=_BYTES)
"""Copied for each row: that takes less time than its constructor."""
_ENCODING: Final = 2
"""The version of `marshal` that writes a value in the same way wherever it came from: later ones
refer back to objects that occur twice."""
_DECIMALS: Final = 9
_DIGITS: Final = 10
"""Numbers that round alike differ by 1e-9 of themselves, or by 1e-9, at most."""
_EXACT: Final = (int, str, bytes, type(None), tuple)
"""Keys whose text is the same in every process."""
_PLAIN: Final = frozenset({int, str, bytes, type(None)})
"""Types of cells that are their own keys, canonical and raw."""
_SPELT_IN_SEVERAL_WAYS: Final = (bool, float, Decimal)
"""Types with cells that Python calls equal and whose texts differ."""
_NO_TIE: Final = object()
"""Before the first row: no tie equals it."""
_LARGEST_EXPONENT: Final = 400
"""Of a Decimal that is written out as a fraction."""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """The digest of a result: its row count and hashes, without the rows."""

    count: int
    """Of its rows."""
    total: int
    """Of the rows' hashes, modulo 2**128 - 1."""
    parity: int
    """Their exclusive or."""
    sequence: bytes
    """Of the rows in order; those that are equal on the sort keys count as a bag."""
    is_exact: bool
    """No number was rounded: different digests are different results."""
    raw: tuple[int, int] | None = None
    """Sum and exclusive or of the rows' hashes under raw cells, where 0.1 is not `Decimal("0.1")`
    and a date is not its text; None = a cell has no raw key."""
    is_spelt_alike: bool = False
    """Cells that are equal under raw cells have equal texts, too: 1 and 1.0 do not."""


@dataclass(slots=True)
class _Bag:
    """Rows of which only the hashes' sum and exclusive or are kept."""

    count: int = 0
    total: int = 0
    parity: int = 0

    def add(self, more: _Bag) -> None:
        """Take the rows of another bag."""
        self.count += more.count
        self.total = (self.total + more.total) % _MODULUS
        self.parity ^= more.parity

    @property
    def encoded(self) -> bytes:
        count, total = self.count.to_bytes(_BYTES, "big"), self.total.to_bytes(_BYTES, "big")
        return count + total + self.parity.to_bytes(_BYTES, "big")


class Digester:
    """Digests the rows of one result as they arrive."""

    def __init__(self, keys: Iterable[int] | None = None) -> None:
        """Begin with no row.

        Args:
            keys: Positions of the sort keys: rows that are equal on them may stand in any order
                among themselves. None = every row has its place.
        """
        self._keys = None if keys is None else tuple(keys)
        self._all, self._raw, self._tied = _Bag(), _Bag(), _Bag()
        self._tie: object = _NO_TIE
        self._sequence = blake2b(digest_size=_BYTES)
        self._is_exact = self._has_raw = self._is_spelt_alike = True

    def add(self, rows: Iterable[Row]) -> int:
        """Take rows; returns about how many bytes they hold."""
        held = list(map(tuple, rows))
        is_plain = _PLAIN.issuperset(map(type, chain.from_iterable(held)))
        keys = held if is_plain else _by_column(self._key, held)
        texts = _texts(keys)
        together = b"".join(_digests(texts))
        bag = _bag_of(together)
        self._all.add(bag)
        if self._keys is None:
            self._sequence.update(together)
        else:
            self._place(together, keys, self._keys)
        if is_plain:
            self._raw.add(bag)
        elif self._has_raw:
            self._add_raw(held)
        return sum(map(len, texts))

    def finish(self) -> TableDigest:
        """Return the digest of all rows."""
        self._end_tie()
        rows, raw = self._all, self._raw
        return TableDigest(
            count=rows.count,
            total=rows.total,
            parity=rows.parity,
            sequence=self._sequence.digest(),
            is_exact=self._is_exact,
            raw=(raw.total, raw.parity) if self._has_raw else None,
            is_spelt_alike=self._is_spelt_alike,
        )

    def _add_raw(self, rows: Sequence[Row]) -> None:
        """Take rows as Python compares them."""
        self._is_spelt_alike &= not any(
            issubclass(kind, _SPELT_IN_SEVERAL_WAYS)
            for kind in set(map(type, chain.from_iterable(rows)))
        )
        keys = _by_column(_raw_key, rows)
        self._has_raw = _UNKNOWN not in chain.from_iterable(keys)
        self._raw.add(_bag_of(b"".join(_digests(_texts(keys)))))

    def _place(
        self, together: bytes, rows: Sequence[tuple[Hashable, ...]], places: tuple[int, ...]
    ) -> None:
        """Take the digests of rows in order; rows that are equal on the sort keys are one bag."""
        ties = list(zip(*[[row[place] for row in rows] for place in places], strict=True))
        ends = [end for end, (tie, after) in enumerate(pairwise(ties), 1) if tie != after]
        begin = 0
        for end in (*ends, len(ties)) if ties else ():
            if ties[begin] != self._tie:
                self._end_tie()
                self._tie = ties[begin]
            self._tied.add(_bag_of(together[begin * _BYTES : end * _BYTES]))
            begin = end

    def _end_tie(self) -> None:
        self._sequence.update(self._tied.encoded)
        self._tied = _Bag()

    def _key(self, cell: Cell) -> Hashable:
        key = canonical(cell)
        if isinstance(key, Inexact):
            self._is_exact = False
            return _rounded(key.value)
        if not isinstance(key, _EXACT):
            self._is_exact = False
        return key


def _bag_of(digests: bytes) -> _Bag:
    """Return the bag of rows whose digests stand one behind the other."""
    count, number = len(digests) // _BYTES, int.from_bytes(digests, "big")
    return _Bag(count, number % _MODULUS, _folded(number, count))


def _by_column(
    key_of: Callable[[Cell], Hashable], rows: Sequence[Row]
) -> list[tuple[Hashable, ...]]:
    """Return the keys of rows; those of a plain column are its cells."""
    columns = zip(*rows, strict=True)
    keys = (
        column if _PLAIN.issuperset(map(type, column)) else map(key_of, column)
        for column in columns
    )
    return list(zip(*keys, strict=True))


def _folded(number: int, count: int) -> int:
    """Return the exclusive or of a number's digits of 128 bits, by halves."""
    while count > 1:
        count = (count + 1) // 2
        kept = count * _BITS
        number = (number >> kept) ^ (number & ((1 << kept) - 1))
    return number


def _texts(rows: Sequence[tuple[object, ...]]) -> list[bytes]:
    """Return each row as bytes, equal for equal keys."""
    try:
        return list(map(marshal.dumps, rows, repeat(_ENCODING)))  # type: ignore[arg-type]  # ValueError
    except ValueError:
        return list(map(_text, rows))


def _text(row: tuple[object, ...]) -> bytes:
    """Return a row as bytes; one with a driver's own class as Python prints it."""
    try:
        return marshal.dumps(row, _ENCODING)  # type: ignore[arg-type]  # ValueError
    except ValueError:
        return repr(row).encode()


def _digests(texts: Iterable[bytes]) -> list[bytes]:
    found: list[bytes] = []
    for text in texts:
        digest = _BLANK.copy()
        digest.update(text)
        found.append(digest.digest())
    return found


def bag_digest(rows: Iterable[Row]) -> str:
    """Return a digest that results have in common if they are equal in any order of their rows."""
    digester = Digester()
    digester.add(rows)
    found = digester.finish()
    return f"{found.count}-{found.total:032x}-{found.parity:032x}"


def match_of_digests(
    reference: TableDigest, predicted: TableDigest, *, is_ordered: bool = False
) -> Match:
    """Compare two results by digest: undetermined if rounding may explain the difference.

    Args:
        reference: Of the reference's result.
        predicted: Of the predicted one.
        is_ordered: The order counts.
    """
    if reference.count != predicted.count:
        return DIFFERENT
    bags = [(each.total, each.parity) for each in (reference, predicted)]
    if bags[0] == bags[1] and (not is_ordered or reference.sequence == predicted.sequence):
        return EQUAL
    return DIFFERENT if reference.is_exact and predicted.is_exact else CUT


def set_match_of_digests(reference: TableDigest, predicted: TableDigest) -> Match:
    """Compare two sets of rows under raw cells by their digests: equal, or undetermined.

    Equal bags are equal sets. Different bags may be, for a set counts no row twice.
    """
    is_equal = reference.raw is not None and reference.raw == predicted.raw
    return EQUAL if is_equal and reference.count == predicted.count else CUT


class _Unknown:
    """The raw key of a cell that may differ from another although both have the same text."""


_UNKNOWN: Final = _Unknown()


def _raw_key(cell: Cell) -> object:
    """Return what has the same text for cells that Python calls equal, and for no others."""
    match cell:
        case None | str() | bytes():
            return cell
        case int() | float() | Decimal():
            return _raw_number(cell)
        case dt.datetime() if cell.tzinfo is not None:
            return "instant", cell.astimezone(dt.UTC).isoformat()
        case dt.datetime():
            return "datetime", cell.isoformat()
        case dt.date():
            return "date", cell.isoformat()
        case dt.time() if cell.tzinfo is None:
            return "time", cell.isoformat()
        case dt.timedelta():
            return "interval", cell.days, cell.seconds, cell.microseconds
        case UUID():
            return "uuid", cell.int
        case list() | dict():
            return json_text(cell)
        case _:
            return _UNKNOWN


def _raw_number(number: float | Decimal) -> object:
    """Return a number as an integer or a fraction; NaN equals nothing, not even itself."""
    if isinstance(number, int):
        return int(number)
    if isinstance(number, Decimal) and number.is_finite():
        if abs(number.adjusted()) > _LARGEST_EXPONENT:
            return _UNKNOWN
    elif not math.isfinite(number):
        return _UNKNOWN if math.isnan(number) else ("infinity", number > 0)
    numerator, denominator = number.as_integer_ratio()
    return numerator if denominator == 1 else (numerator, denominator)


def _rounded(value: float) -> Hashable:
    near = float(f"{round(value, _DECIMALS):.{_DIGITS}g}")
    return int(near) if near.is_integer() and abs(near) < EXACT_FLOATS_BELOW else near
