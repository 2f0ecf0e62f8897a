"""Digests of results that are too large to be held: rows go by once, and none is kept.

Bags are compared by their count and by sum and exclusive or of 128-bit row hashes, sequences by a
rolling hash. Cells are the canonical ones of `ex`; numbers that are equal within a tolerance only
are rounded, so that equal digests are equal results, but different ones may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.cells import canonical
from sqlobs.metrics.match import CUT, DIFFERENT, EQUAL
from sqlobs.metrics.tolerance import EXACT_FLOATS_BELOW, Inexact

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from sqlobs.metrics.match import Match
    from sqlobs.types import Cell, Row

_BYTES: Final = 16
_MODULUS: Final = 2**128
_DECIMALS: Final = 9
_DIGITS: Final = 10
"""Numbers that round alike differ by 1e-9 of themselves, or by 1e-9, at most."""
_EXACT: Final = (int, str, bytes, type(None), tuple)
"""Keys whose text is the same in every process."""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """What remains of a result."""

    count: int
    """Of its rows."""
    total: int
    """Of the rows' hashes, modulo 2**128."""
    parity: int
    """Their exclusive or."""
    sequence: bytes
    """Of the rows in order; those that are equal on the sort keys count as a bag."""
    is_exact: bool
    """No number was rounded: different digests are different results."""


@dataclass(slots=True)
class _Bag:
    """Rows of which only the hashes' sum and exclusive or are kept."""

    count: int = 0
    total: int = 0
    parity: int = 0

    def add(self, digest: bytes) -> None:
        number = int.from_bytes(digest, "big")
        self.count += 1
        self.total = (self.total + number) % _MODULUS
        self.parity ^= number

    @property
    def encoded(self) -> bytes:
        numbers = (self.count, self.total, self.parity)
        return b"".join(number.to_bytes(_BYTES, "big") for number in numbers)


class Digester:
    """Takes the rows of one result as they come."""

    def __init__(self, keys: Iterable[int] | None = None) -> None:
        """Begin with no row.

        Args:
            keys: Positions of the sort keys: rows that are equal on them may stand in any order
                among themselves. None = every row has its place.
        """
        self._keys = None if keys is None else tuple(keys)
        self._all, self._tied = _Bag(), _Bag()
        self._tie: object = None
        self._sequence = blake2b(digest_size=_BYTES)
        self._is_exact = True

    def add(self, rows: Iterable[Row]) -> int:
        """Take rows; returns about how many bytes they hold."""
        size = 0
        for row in rows:
            keys = tuple(map(self._key, row))
            text = repr(keys).encode()
            size += len(text)
            digest = blake2b(text, digest_size=_BYTES).digest()
            self._all.add(digest)
            self._place(digest, keys)
        return size

    def finish(self) -> TableDigest:
        """Return the digest of all rows."""
        self._end_tie()
        rows = self._all
        return TableDigest(
            rows.count, rows.total, rows.parity, self._sequence.digest(), self._is_exact
        )

    def _place(self, digest: bytes, keys: tuple[Hashable, ...]) -> None:
        if self._keys is None:
            self._sequence.update(digest)
            return
        tie = tuple(keys[place] for place in self._keys)
        if tie != self._tie:
            self._end_tie()
            self._tie = tie
        self._tied.add(digest)

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


def match_of_digests(
    reference: TableDigest, predicted: TableDigest, *, is_ordered: bool = False
) -> Match:
    """Compare two results by their digests: undetermined where rounding may have told them apart.

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


def _rounded(value: float) -> Hashable:
    near = float(f"{round(value, _DECIMALS):.{_DIGITS}g}")
    return int(near) if near.is_integer() and abs(near) < EXACT_FLOATS_BELOW else near
