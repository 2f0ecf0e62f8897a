"""Corrects the signatures of ClickHouse's functions by calls that they would reject wrongly.

The measurement varies one argument of a few calls, and takes kinds that behave alike together.
Here every value is tried, also in calls whose arguments are all alike. What the engine accepts is
added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clickhouse_types import KINDS, MOST_MEASURED, VALUES, Calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Entries = list[list[Any]]
Call = tuple[str, ...]
CONSTANTS = (
    *("['a', 'b']", "[1, 2]", "[1.5]", "toUInt8(1)", "toInt64(1)", "toDate('2020-01-01')"),
    *("toFixedString('a', 1)", "toDateTime('2020-01-01 00:00:00')", "tuple(1, 'a')", "map('a', 1)"),
)
"""Values of kinds that have no literal, for arguments that must be constant."""
MOST_ADDED = 24
"""With more calls missing, the calls of that many arguments are checked by number only."""
BASES = 2
"""Accepted calls of which each argument is replaced by every value."""


def corrected(
    type_of: Callable[[str], str | None], template: str, entries: Entries, examples: Iterable[Call]
) -> Entries:
    """Return the entries of a function with what they lack; those of more arguments stay."""
    shown = list(examples)
    found: Entries = []
    for count in sorted({len(one[2]) for one in entries if _is_typed(one)}):
        rows = [one for one in entries if _is_typed(one) and len(one[2]) == count]
        found += _of_count(_Tried(type_of, template), rows, count, shown)
    return found + [one for one in entries if not _is_typed(one)]


def _is_typed(entry: list[Any]) -> bool:
    return isinstance(entry[2], list)


class _Tried:
    """Asks the engine about calls, each once."""

    def __init__(self, type_of: Callable[[str], str | None], template: str) -> None:
        self._type_of, self._template = type_of, template
        self._calls = Calls(type_of, lambda _: None)
        self._results: dict[Call, bool] = {}

    def accepts(self, call: Call) -> bool:
        """Return whether the engine accepts a call."""
        if call not in self._results:
            self._results[call] = self._type_of(self._template.format(", ".join(call))) is not None
        return self._results[call]

    def kinds(self, call: Call) -> tuple[str, ...]:
        """Return the kinds of the arguments."""
        return tuple(self._calls.kind(value) for value in call)


def _of_count(tried: _Tried, rows: Entries, count: int, shown: list[Call]) -> Entries:
    missing: set[tuple[str, ...]] = set()
    for call in _calls(tried, count, shown):
        kinds = tried.kinds(call)
        if "" not in kinds and not any(_fits(row, kinds) for row in rows) and tried.accepts(call):
            missing.add(kinds)
    return widened(rows, missing)


def widened(rows: Entries, missing: set[tuple[str, ...]]) -> Entries:
    """Return the rows with one that accepts every kind that was accepted in each place.

    `missing`: the kinds of the arguments of accepted calls that the rows reject.
    """
    if not missing:
        return rows
    count, is_open = len(rows[0][2]), any(row[3] for row in rows)
    if len(missing) > MOST_ADDED:
        return [[rows[0][0], count, -1 if is_open else count]]
    taken = [_union(row[2][place] for row in rows) for place in range(count)]
    for place, kinds in enumerate(zip(*missing, strict=True)):
        taken[place] = _union([taken[place], *map(_parameter, kinds)])
    return [*rows, [rows[0][0], "?", taken, "ANY" if is_open else ""]]


def _union(parameters: Iterable[str]) -> str:
    kinds = {kind for one in parameters for kind in one.split("|")}
    arrays = {kind for kind in kinds if len(kind) == 1 or kind.endswith("[]")}
    if "ANY" in kinds or (arrays and kinds - arrays):
        return "ANY"
    return "ANY[]" if arrays else "|".join(kind for kind in KINDS if kind in kinds)


def _calls(tried: _Tried, count: int, shown: list[Call]) -> Iterator[Call]:
    """Yield the calls to try: the documented ones, all arguments alike, one argument replaced."""
    if not 0 < count <= MOST_MEASURED:
        return
    values = [*(value for some in VALUES.values() for value in some), *CONSTANTS]
    documented = [call for call in shown if len(call) == count]
    alike = [(value,) * count for value in values]
    lasts = {call[-1] for call in documented[:BASES]} if count > 1 else set()
    alike += [(value,) * (count - 1) + (last,) for value in values for last in lasts]
    yield from (*documented, *alike)
    if count == 1:
        return
    accepted = [call for call in (*documented, *alike) if tried.accepts(call)]
    bases = {tried.kinds(call)[0]: call for call in reversed(accepted)}
    for base in list(bases.values())[-BASES:]:
        for place in range(count):
            for value in values:
                yield (*base[:place], value, *base[place + 1 :])


def _fits(row: list[Any], kinds: tuple[str, ...]) -> bool:
    return all(map(_takes, row[2], kinds))


def _takes(parameter: str, kind: str) -> bool:
    if parameter == "ANY" or len(parameter) == 1 or kind in parameter.split("|"):
        return True
    return parameter.endswith("[]") and kind.endswith("[]")


def _parameter(kind: str) -> str:
    return "ANY[]" if kind.endswith("[]") else kind
