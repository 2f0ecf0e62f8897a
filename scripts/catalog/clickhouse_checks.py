"""Corrects the signatures of ClickHouse's functions by calls that they would reject wrongly.

The measurement varies one argument of a few calls, and takes kinds that behave alike together.
Here every value is tried, also in calls whose arguments are all alike. What the engine accepts is
added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clickhouse_types import MOST_MEASURED, VALUES, Calls, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Entries = list[list[Any]]
Call = tuple[str, ...]
MOST_ADDED = 12
"""With more signatures missing, the calls of that many arguments are checked by number only."""
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
        self._results: dict[Call, str | None] = {}

    def result(self, call: Call) -> str | None:
        """Return the type of a call's value; None: it is rejected."""
        if call not in self._results:
            self._results[call] = self._type_of(self._template.format(", ".join(call)))
        return self._results[call]

    def kinds(self, call: Call) -> tuple[str, ...]:
        """Return the kinds of the arguments."""
        return tuple(self._calls.kind(value) for value in call)


def _of_count(tried: _Tried, rows: Entries, count: int, shown: list[Call]) -> Entries:
    missing: dict[tuple[str, ...], set[str]] = {}
    for call in _calls(tried, count, shown):
        kinds = tried.kinds(call)
        if "" in kinds or any(_fits(row, kinds) for row in rows):
            continue
        if (result := tried.result(call)) is not None:
            missing.setdefault(kinds, set()).add(kind_of(result) or "?")
    if len(missing) > MOST_ADDED:
        return [[rows[0][0], count, count]]
    added = [
        [rows[0][0], results.pop() if len(results) == 1 else "?", [*map(_parameter, kinds)], ""]
        for kinds, results in missing.items()
    ]
    return [*rows, *added]


def _calls(tried: _Tried, count: int, shown: list[Call]) -> Iterator[Call]:
    """Yield the calls to try: the documented ones, all arguments alike, one argument replaced."""
    if not 0 < count <= MOST_MEASURED:
        return
    values = [value for some in VALUES.values() for value in some]
    alike = [(value,) * count for value in values]
    documented = [call for call in shown if len(call) == count]
    yield from (*documented, *alike)
    if count == 1:
        return
    accepted = [call for call in (*documented, *alike) if tried.result(call) is not None]
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
