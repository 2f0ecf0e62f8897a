"""The tables that an engine has made so far: each when a statement first names it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.analyzers.questions import DeclaredTable

Place: TypeAlias = tuple[str, ...]
"""Namespace and name, as the engine compares them."""


class TableMaker(Protocol):
    """What makes and drops tables in an engine."""

    def place_of(self, table: DeclaredTable) -> Place:
        """Return where a table belongs."""
        ...

    def create(self, place: Place, table: DeclaredTable) -> None:
        """Make an empty table.

        Raises:
            NoVerdictError: The engine does not know one of its types.
        """
        ...

    def drop(self, place: Place) -> None:
        """Drop a table."""
        ...


@dataclass(frozen=True, slots=True)
class MadeTables:
    """The tables that statements have named so far."""

    maker: TableMaker
    _made: dict[Place, DeclaredTable] = field(default_factory=dict)

    def prepare(self, text: str, tables: Sequence[DeclaredTable]) -> None:
        """Have exactly the given ones of the tables that a statement may name.

        Args:
            text: The statement, folded to the case of places.
            tables: The tables of the schema that it names.

        Raises:
            NoVerdictError: A table cannot be made.
        """
        wanted = {self.maker.place_of(table): table for table in tables}
        stale = [
            place
            for place, table in self._made.items()
            if (wanted[place] != table if place in wanted else place[-1] in text)
        ]
        for place in stale:
            del self._made[place]
            self.maker.drop(place)
        for place, table in wanted.items():
            if place not in self._made:
                self.maker.create(place, table)
                self._made[place] = table
