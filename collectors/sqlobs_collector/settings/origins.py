"""Where each setting comes from: a default, the file, the environment or a flag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

DEFAULT: Final = "default"

KeyPath = tuple[str, ...]
"""The keys that lead to a setting: `("journal", "max_bytes")`."""


class Origins:
    """The origin of each setting that was given."""

    def __init__(self) -> None:
        self._given: dict[KeyPath, str] = {}

    def note(self, path: KeyPath, value: object, origin: str) -> None:
        """Note where a value comes from, in place of what was given below its path."""
        kept = {one: told for one, told in self._given.items() if one[: len(path)] != path}
        self._given = kept | {leaf: origin for leaf, _ in leaves(value, path)}

    def of(self, path: KeyPath) -> str:
        """Return the origin of a setting; a list or table may have been given as a whole."""
        above = (path[:length] for length in range(len(path), 0, -1))
        return next((self._given[one] for one in above if one in self._given), DEFAULT)


def leaves(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    """Yield the settings of a section with their paths."""
    if not isinstance(value, Mapping) or not value:
        yield path, value
        return
    for key, inner in value.items():
        yield from leaves(inner, (*path, str(key)))
