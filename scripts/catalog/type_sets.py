"""Sets of types under a name, which stand for the parameters of measured functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LIST = "INTEGER[]"
"""The list that stands for all lists."""


class TypeSets:
    """The sets that the functions of one engine accept."""

    def __init__(self, kinds: Collection[str], *, lists: str | None = None) -> None:
        """Start without a set; `lists` is the name of the set of all lists, if it has one."""
        self._kinds = kinds
        self._lists = lists
        self._names: dict[frozenset[str], str] = {}

    def keep(self, implicit: dict[str, list[str]]) -> None:
        """Keep the sets of a catalog, by what it has for each type."""
        members: dict[str, set[str]] = {}
        for kind, names in implicit.items():
            for name in names:
                if name != kind:
                    members.setdefault(name, set()).add(kind)
        self._names = {frozenset(kinds): name for name, kinds in members.items()}

    def named(self, kinds: Iterable[str]) -> str:
        """Return the name of a set: that of its only type, `ANY`, or a numbered one."""
        known = frozenset(kinds)
        if known == {LIST} and self._lists is not None:
            return self._lists
        if len(known) == 1 and known != {LIST}:
            return next(iter(known))
        if len(known) == len(self._kinds):
            return "ANY"
        return self._names.setdefault(known, f"SET_{len(self._names) + 1}")

    def implicit(self) -> dict[str, list[str]]:
        """Return, for each type, the names of the sets that it is in."""
        return {
            kind: [kind, *(name for known, name in self._names.items() if kind in known)]
            for kind in self._kinds
        }
