"""Which arguments of ClickHouse's functions may not have values of different types.

Such are the paths of documents, and variants. An argument is rejected if a call that accepts a
plain value in its place accepts none of them, be they alone or inside an array or a map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clickhouse_asked import asked, counts, is_typed
from clickhouse_engine import Engine, each

if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN = ("i", "s", "f", "a", "t")
"""Columns of which one has to be accepted: whole number, text, float, array, moment."""
VARIED = ("dy", "v", "[dy]", "[v]", "map(s, dy)")
"""Values of different types, and what has them inside. No tuple: it may be null, so `toNullable`
accepts a tuple of a path, but not the path."""
SHAPES = {
    1: ("{}",),
    2: ("{}, i", "{}, s", "i, {}", "s, {}", "f, {}"),
    3: ("{}, i, i", "{}, s, s", "s, {}, s", "i, {}, i"),
}
"""Arguments by their number."""


def dynamic_arguments(document: Mapping[str, Any], folder: str) -> dict[str, list[int]]:
    """Return the places of arguments that reject them, by lower-case name of the function."""
    tasks = [
        (name, sorted(counts([one for one in entries if is_typed(one)])))
        for name, entries in asked(document)
    ]
    found = {
        name.lower(): places
        for (name, _), places in zip(tasks, each(folder, _places, tasks), strict=True)
        if places
    }
    return dict(sorted(found.items()))


def _places(engine: Engine, task: tuple[str, list[int]]) -> list[int]:
    name, numbers = task
    found: dict[int, bool] = {}
    """Whether all calls with a plain value in a place reject the others."""

    def accepts(shape: str, value: str) -> bool:
        return not engine.code(f"SELECT {name}({shape.format(value)}) FROM kinds")

    for shape in (one for number in numbers for one in SHAPES.get(number, ())):
        place = shape[: shape.index("{")].count(",")
        if found.get(place, True) and any(accepts(shape, value) for value in PLAIN):
            found[place] = not any(accepts(shape, value) for value in VARIED)
    return sorted(place for place, is_rejected in found.items() if is_rejected)
