"""Numbers that are equal within a tolerance: the keys that they share, and where keys mislead.

Equality within a tolerance is not transitive, equality of keys is. Numbers that lie close to each
other in a long row can therefore not all share a key with each of their neighbors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

EXACT_FLOATS_BELOW: Final = 2**53
"""From here on a float no longer tells neighboring integers apart."""


class Inexact(NamedTuple):
    """A finite number that only equals others within a tolerance."""

    value: float


def shared_keys(
    numbers: Iterable[Inexact], tolerance: Callable[[float, float], float]
) -> dict[Inexact, Hashable]:
    """Give every number a key that its neighbors share.

    The numbers are sorted and cut into groups, none wider than the tolerance; those of a group
    that are close to an integer are that integer. Equal keys are equal numbers.

    Args:
        numbers: Those of both tables.
        tolerance: The distance within which two numbers are equal.
    """
    keys: dict[Inexact, Hashable] = {}
    start: Inexact | None = None
    integer: int | None = None
    for number in sorted(numbers):
        if start is None or number.value - start.value > tolerance(start.value, number.value):
            start, integer = number, _integer_near(number, tolerance)
        is_integer = integer is not None and (
            number is start or abs(integer - number.value) <= tolerance(integer, number.value)
        )
        keys[number] = integer if is_integer else start
    return keys


def chained(
    numbers: Iterable[Inexact | int], tolerance: Callable[[float, float], float]
) -> dict[Inexact | int, int] | None:
    """Give numbers that a row of close neighbors joins the same number of a chain.

    Numbers in different chains are never equal; those in one chain need not be.

    Args:
        numbers: Those of both tables, with the integers that they may be equal to.
        tolerance: The distance within which two numbers are equal.

    Returns:
        The chains; None if all of each share a key, so that keys tell all there is to tell.
    """
    ordered = sorted(numbers, key=_value)
    shared = shared_keys((number for number in ordered if isinstance(number, Inexact)), tolerance)
    chains: dict[Inexact | int, int] = {}
    keys: list[set[Hashable]] = []
    before: float | None = None
    for number in ordered:
        value = _value(number)
        if before is None or value - before > tolerance(before, value):
            keys.append(set())
        before = value
        keys[-1].add(shared[number] if isinstance(number, Inexact) else number)
        chains[number] = len(keys)
    return chains if any(len(each) > 1 for each in keys) else None


def _value(number: Inexact | int) -> float:
    return number.value if isinstance(number, Inexact) else float(number)


def _integer_near(number: Inexact, tolerance: Callable[[float, float], float]) -> int | None:
    nearest = round(number.value)
    is_near = abs(nearest - number.value) <= tolerance(nearest, number.value)
    return nearest if is_near and abs(nearest) < EXACT_FLOATS_BELOW else None
