"""The order of rows that a statement promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

SortKey: TypeAlias = int | str
"""A column of the output, by position or by name."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """The order of rows that a statement requires."""

    is_ordered: bool
    keys: tuple[SortKey, ...] | None = None
    """The sort keys, where every one of them is a column of the output."""

    def positions(self, columns: Sequence[str]) -> tuple[int, ...] | None:
        """Return where the sort keys stand among the columns of a result, if they all do."""
        if not self.keys:
            return None
        found = [_position(key, columns) for key in self.keys]
        return tuple(place for place in found if place is not None) if None not in found else None


UNORDERED = Ordering(is_ordered=False)


def _position(key: SortKey, columns: Sequence[str]) -> int | None:
    if isinstance(key, int):
        return key if 0 <= key < len(columns) else None
    places = [place for place, name in enumerate(columns) if name.lower() == key.lower()]
    return places[0] if len(places) == 1 else None
