"""Scopes and relations: where a name is looked up, and what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.analysis.ctes import LooseCte
    from sqlobs.check.prepared import PreparedColumn, PreparedTable
    from sqlobs.check.traits import Clause


FILTERING: Final[dict[Clause, str]] = {
    "from": "FROM",
    "on": "ON",
    "where": "WHERE",
    "group": "GROUP BY",
    "limit": "LIMIT",
}
"""Clauses that come before rows are aggregated, with their names."""


_NOTHING: Final[frozenset[str]] = frozenset()


class Relation:
    """A source of columns under one name: a stored table, a CTE, a derived table.

    What few relations have stands on the class, so that making one is cheap.
    """

    table: PreparedTable | None = None
    complete = True
    """False: it may have further columns (a table that the schema lacks, a table function)."""
    nameless = False
    """It has outputs without a name of their own; engines name them by their text."""
    repeated: frozenset[str] = _NOTHING
    """Folded names that it gives more than once, where that makes them ambiguous."""
    hidden: frozenset[str] = _NOTHING
    """Folded columns that a USING or NATURAL join has merged into an earlier relation."""

    def __init__(
        self,
        name: str,
        columns: dict[str, PreparedColumn],
        outputs: list[PreparedColumn] | None = None,
    ) -> None:
        self.name = name
        self.columns = columns
        self.outputs = list(columns.values()) if outputs is None else outputs
        """Columns in order, as a star gives them; names may repeat."""

    def may_have(self, key: str, *, quoted: bool) -> bool:
        """Say whether a column that is not listed may exist all the same."""
        return not self.complete or (self.nameless and (quoted or not key.isidentifier()))

    def renamed(self, name: str) -> Relation:
        """Return the same columns under another name."""
        other = Relation(name, self.columns, self.outputs)
        other.table, other.complete = self.table, self.complete
        other.nameless, other.repeated = self.nameless, self.repeated
        return other


def opaque(name: str) -> Relation:
    """Return a relation whose columns nobody knows."""
    relation = Relation(name, {}, [])
    relation.complete = False
    return relation


class Scope:
    """One SELECT: its relations, the aliases of its list, and the query around it.

    What few queries have stands on the class, so that making a scope is cheap.
    """

    clause: Clause = "select"
    aggregates = 0
    """Aggregates of this query that were met so far."""
    inside_aggregate: str | None = None
    """The aggregate of this query whose arguments are being walked."""
    windows = 0
    """Window functions of this query that were met so far."""
    window_names: frozenset[str] = _NOTHING
    """Windows of its WINDOW clause, folded."""
    has_unknown_relation = False
    """A table of FROM is not in the schema: a qualifier that fits nothing may mean it."""
    repeated: frozenset[str] = _NOTHING
    """Folded aliases that several relations of FROM have."""

    def __init__(
        self, parent: Scope | None = None, *, ctes: dict[str, Relation | LooseCte] | None = None
    ) -> None:
        self.parent = parent
        self.ctes: dict[str, Relation | LooseCte] = _inherited(parent) if ctes is None else ctes
        """Every CTE that is visible here, by folded name."""
        self.relations: dict[str, Relation] = {}
        """By folded alias, in order of FROM."""
        self.aliases: dict[str, PreparedColumn] = {}
        """Aliases of the SELECT list, folded."""
        self.outputs: dict[str, PreparedColumn] = {}
        """Plain columns of the SELECT list, by their own names."""
        self.computed: dict[str, Literal["aggregate", "window", "query"]] = {}
        """Aliases of expressions with an aggregate, a window function or a subquery in them."""

    def chain(self) -> Iterator[Scope]:
        """Yield this scope and those around it, inner first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


def _inherited(parent: Scope | None) -> dict[str, Relation | LooseCte]:
    return parent.ctes if parent is not None else {}
