"""Canonical cells of large tables as 64-bit hashes, column by column, without making Python values.

Two cells have the same hash exactly when `CanonicalCells` gives them the same key, but for a chance
of about 2**-64 a pair. Hashes are fixed: no randomness, the same in every process.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlobs.metrics.cells import canonical
from sqlobs.metrics.number_groups import is_misleading, shared_numbers
from sqlobs.metrics.tolerance import EXACT_FLOATS_BELOW, Inexact

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    import numpy.typing as npt

    from sqlobs.metrics.cells import CanonicalCells
    from sqlobs.types import Cell, ResultTable

    Hashes: TypeAlias = npt.NDArray[np.uint64]
    Numbers: TypeAlias = npt.NDArray[np.float64]
    Places: TypeAlias = npt.NDArray[np.int64]

BLOCK_ROWS = 16_384
"""Rows worked on at a time, so that intermediate arrays stay in the processor's cache."""

_WORD = 8
_DAYS_IN_TABLE = 1_000_000
_INT64 = range(-(2**63), 2**63)
_SPECIAL_NUMBERS: dict[Hashable, float] = {
    canonical(number): number for number in (math.nan, math.inf, -math.inf)
}

# The multipliers of splitmix64 (Steele, Lea and Flood 2014), and a salt for each kind of value.
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_TEXT, _INTEGER, _FLOAT, _OTHER, _NULL = (
    np.uint64(0x9E3779B97F4A7C15 * salt % 2**64) for salt in range(1, 6)
)
_27, _30, _31, _32 = map(np.uint64, (27, 30, 31, 32))


def hashed_columns(
    reference: ResultTable, predicted: ResultTable, *, cells: CanonicalCells
) -> tuple[list[Hashes], list[Hashes]]:
    """Return the hashes of all columns of both tables; equal hashes are equal canonical cells.

    Args:
        reference: One table.
        predicted: The other; numbers within tolerance across both share a hash.
        cells: The rule; one that changes text is not supported.
    """
    sides = [
        [_hashed(table, place) for place in range(len(table.columns))]
        for table in (reference, predicted)
    ]
    _resolve([column for side in sides for column in side], cells)
    left, right = ([column.hashes for column in side] for side in sides)
    return left, right


def may_mislead(reference: ResultTable, predicted: ResultTable, *, cells: CanonicalCells) -> bool:
    """Return whether numbers that are equal within the tolerance may have different hashes."""
    tables = (reference, predicted)
    pool = _pool(_hashed(table, place) for table in tables for place in range(len(table.columns)))
    return bool(len(pool)) and is_misleading(pool, cells)


def mixed(values: Hashes) -> Hashes:
    """Return a one-to-one scramble of 64-bit values (splitmix64's finalizer)."""
    values = values ^ (values >> _30)
    values *= _FIRST
    values ^= values >> _27
    values *= _SECOND
    values ^= values >> _31
    return values


def blocks(count: int) -> Iterator[slice]:
    """Yield slices that cover so many rows, block by block."""
    return (slice(start, start + BLOCK_ROWS) for start in range(0, count, BLOCK_ROWS))


@dataclass(slots=True)
class _Column:
    """The hashes of a column; those of inexact numbers are filled in later."""

    hashes: Hashes
    places: Places
    numbers: Numbers


def _hashed(table: ResultTable, place: int) -> _Column:
    if table.arrow is None:
        return _of_cells(table.column(place))
    parts = [_of_array(chunk) for chunk in table.arrow.column(place).chunks]
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.hashes) for part in parts)])
    return _Column(
        np.concatenate([np.empty(0, np.uint64), *(part.hashes for part in parts)]),
        np.concatenate(
            [
                np.empty(0, np.int64),
                *(part.places + start for part, start in zip(parts, starts, strict=False)),
            ]
        ),
        np.concatenate([np.empty(0), *(part.numbers for part in parts)]),
    )


def _exact(hashes: Hashes) -> _Column:
    return _Column(hashes, np.empty(0, np.int64), np.empty(0))


def _of_array(array: pa.Array) -> _Column:
    kind = array.type
    if pa.types.is_null(kind):
        return _exact(np.full(len(array), _NULL))
    if pa.types.is_boolean(kind):
        array, kind = array.cast(pa.int64()), pa.int64()
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return _exact(_with_nulls(_of_integers(_values(array, pa.int64())), array))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _exact(_with_nulls(_of_text(array.cast(pa.large_string())), array))
    if pa.types.is_date32(kind):
        return _exact(_with_nulls(_of_days(_values(array.cast(pa.int32()), pa.int32())), array))
    if pa.types.is_float64(kind) or pa.types.is_float32(kind):
        return _of_floats(array.cast(pa.float64()))
    if pa.types.is_timestamp(kind) and kind.unit == "ns":  # Python's clock ends at microseconds
        array = array.cast(pa.timestamp("us", kind.tz), safe=False)
    return _of_distinct(array)


def _values(array: pa.Array, kind: pa.DataType) -> npt.NDArray[np.int64]:
    """Return the numbers of an array, with 0 for NULL."""
    filled = pc.fill_null(array.cast(kind), 0) if array.null_count else array.cast(kind)
    numbers: npt.NDArray[np.int64] = filled.to_numpy(zero_copy_only=False)
    return numbers


def _with_nulls(hashes: Hashes, array: pa.Array) -> Hashes:
    if array.null_count:
        hashes[array.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return hashes


def _of_integers(numbers: npt.NDArray[np.int64]) -> Hashes:
    hashes = np.empty(len(numbers), np.uint64)
    for block in blocks(len(numbers)):
        hashes[block] = mixed(numbers[block].view(np.uint64) + _INTEGER)
    return hashes


def _of_days(days: npt.NDArray[np.int64]) -> Hashes:
    """Hash dates as their ISO text, by way of a table of the days that occur."""
    if not len(days):
        return np.empty(0, np.uint64)
    first, last = int(days.min()), int(days.max())
    if last - first < _DAYS_IN_TABLE:
        distinct, places = np.arange(first, last + 1, dtype=np.int32), days - first
    else:
        distinct, places = np.unique(days.astype(np.int32), return_inverse=True)
    texts = pa.array(distinct, type=pa.int32()).cast(pa.date32()).cast(pa.large_string())
    return _of_text(texts)[places]


def _of_text(array: pa.Array) -> Hashes:
    """Hash texts by their bytes, word by word, all rows of a block at once."""
    hashes = np.empty(len(array), np.uint64)
    _, offset_buffer, content = array.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64, len(array) + 1 + array.offset)[array.offset :]
    octets = np.frombuffer(content or b"", np.uint8)
    for block in blocks(len(array)):
        bounds = offsets[block.start : block.stop + 1]
        padded = np.concatenate([octets[bounds[0] : bounds[-1]], np.zeros(_WORD, np.uint8)])
        hashes[block] = _of_octets(padded, bounds - bounds[0])
    return hashes


def _of_octets(octets: npt.NDArray[np.uint8], bounds: Places) -> Hashes:
    """Hash the stretches between bounds; eight bytes must follow the last.

    The last word first, then whole words: the last one reaches back over bytes also read, so that
    only texts shorter than a word need a mask.
    """
    words = np.ndarray((len(octets) - _WORD + 1,), "<u8", octets, strides=(1,))
    starts, lengths = bounds[:-1], np.diff(bounds)
    hashes = (lengths.view(np.uint64) + _TEXT) * _SECOND
    longest = int(lengths.max(initial=0))
    rows = _all_or_some(lengths >= _WORD)
    _fold(hashes, words, rows, (starts + lengths - _WORD)[rows])
    for read in range(0, longest - _WORD, _WORD):
        is_longer = lengths[rows] > read + _WORD
        if not is_longer.all():  # few long texts among short ones are read by themselves
            rows = np.flatnonzero(is_longer) if isinstance(rows, slice) else rows[is_longer]
        _fold(hashes, words, rows, starts[rows] + read)
    short = np.flatnonzero((lengths < _WORD) & (lengths > 0))
    unused = ((_WORD - lengths[short]) * _WORD).view(np.uint64)
    last = words[starts[short]] << unused
    hashes[short] = (hashes[short] ^ last) * _FIRST
    return mixed(hashes)


def _all_or_some(takes: npt.NDArray[np.bool_]) -> Places | slice:
    return slice(None) if takes.all() else np.flatnonzero(takes)


def _fold(
    hashes: Hashes, words: npt.NDArray[np.uint64], rows: Places | slice, places: Places
) -> None:
    """Fold the words at those places into the hashes of the rows."""
    folded = (hashes[rows] ^ words[places]) * _FIRST
    folded ^= folded >> _32
    hashes[rows] = folded


def _of_floats(array: pa.Array) -> _Column:
    numbers = pc.fill_null(array, 0.0).to_numpy(zero_copy_only=False).astype(np.float64)
    hashes = _of_exact_floats(numbers)
    is_inexact = np.isfinite(numbers) & ~_is_integral(numbers)
    places = np.flatnonzero(is_inexact)
    return _Column(_with_nulls(hashes, array), places, numbers[places])


def _is_integral(numbers: Numbers) -> npt.NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        integral: npt.NDArray[np.bool_] = (numbers == np.floor(numbers)) & (
            np.abs(numbers) < EXACT_FLOATS_BELOW
        )
    return integral


def _of_exact_floats(numbers: Numbers) -> Hashes:
    """Hash integral floats as integers, all others by their bits; NaN is one value."""
    is_integral = _is_integral(numbers)
    hashes = mixed(np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64) ^ _FLOAT)
    hashes[is_integral] = _of_integers(numbers[is_integral].astype(np.int64))
    return hashes


def _of_distinct(array: pa.Array) -> _Column:
    """Hash by way of the distinct values, where Arrow can tell them, else value by value."""
    if pa.types.is_dictionary(array.type):
        encoded = array
    else:
        try:
            encoded = array.dictionary_encode()
        except pa.ArrowNotImplementedError:
            return _of_cells(array.to_pylist())
    values = _of_cells([*encoded.dictionary.to_pylist(), None])
    places = pc.fill_null(encoded.indices, len(encoded.dictionary)).to_numpy(zero_copy_only=False)
    numbers = np.full(len(values.hashes), np.nan)
    numbers[values.places] = values.numbers
    inexact = np.flatnonzero(np.isfinite(numbers[places]))
    return _Column(values.hashes[places], inexact, numbers[places][inexact])


def _of_cells(cells: Sequence[Cell]) -> _Column:
    """Hash Python values by their canonical keys."""
    keys = [canonical(cell) for cell in cells]
    places = [place for place, key in enumerate(keys) if isinstance(key, Inexact)]
    numbers = [key.value for key in keys if isinstance(key, Inexact)]
    known = _of_keys(set(keys))
    hashes = np.fromiter((known[key] for key in keys), np.uint64, len(keys))
    return _Column(hashes, np.asarray(places, np.int64), np.asarray(numbers, np.float64))


def _of_keys(keys: Iterable[Hashable]) -> dict[Hashable, int]:
    known: dict[Hashable, int] = {None: int(_NULL)}
    integers = [key for key in keys if type(key) is int and key in _INT64]
    known |= _paired(integers, _of_integers(np.asarray(integers, np.int64)))
    texts = [key for key in keys if type(key) is str]
    octets = [text.encode("utf-8", "surrogatepass") for text in texts]
    known |= _paired(texts, _of_octet_list(octets))
    special = [key for key in keys if key in _SPECIAL_NUMBERS]
    known |= _paired(
        special, _of_exact_floats(np.asarray([_SPECIAL_NUMBERS[key] for key in special]))
    )
    others = [key for key in keys if key not in known]
    described = [repr(key).encode("utf-8", "surrogatepass") for key in others]
    return known | _paired(others, mixed(_of_octet_list(described) ^ _OTHER))


def _paired(keys: Sequence[Hashable], hashes: Hashes) -> dict[Hashable, int]:
    return dict(zip(keys, hashes.tolist(), strict=True))


def _of_octet_list(texts: Sequence[bytes]) -> Hashes:
    bounds = np.cumsum([0, *map(len, texts)])
    return _of_octets(np.frombuffer(b"".join(texts) + bytes(_WORD), np.uint8), bounds)


def _resolve(columns: Sequence[_Column], cells: CanonicalCells) -> None:
    """Give inexact numbers the hash of their group, as `CanonicalCells` gives them one key."""
    pool = _pool(columns)
    if not len(pool):
        return
    hashes = _of_exact_floats(shared_numbers(pool, cells))
    for column in columns:
        column.hashes[column.places] = hashes[np.searchsorted(pool, column.numbers)]


def _pool(columns: Iterable[_Column]) -> Numbers:
    """Return all inexact numbers, sorted, each once."""
    return np.unique(np.concatenate([np.empty(0), *(column.numbers for column in columns)]))
