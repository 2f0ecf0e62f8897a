"""Scopes and relations: where a name is looked up, and what it finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn, PreparedTable
from sqlobs.check.forms import Ctes
from sqlobs.check.resolver.model.resolution import ColumnUse, Resolution
from sqlobs.check.resolver.model.tree import sources
from sqlobs.dialects.resolution_rules import Clause, ResolutionRules

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.state import CteResolver, State

FILTERING: Final[dict[Clause, str]] = {
    "from": "FROM",
    "on": "ON",
    "where": "WHERE",
    "group": "GROUP BY",
    "limit": "LIMIT",
}
"""Clauses that come before rows are aggregated, with their names."""
Computed = Literal["aggregate", "window", "query", "unnest"]
_NOTHING: Final[frozenset[str]] = frozenset()


class Relation:
    """A source of columns under one name: a stored table, a CTE, a derived table.

    Rare attributes have defaults on the class, so that making one is cheap.
    """

    table: PreparedTable | None = None
    complete = True
    """False: it may have further columns (a table that the schema lacks, a table function)."""
    is_undescribed = False
    """The statement defines it, but nothing says which columns it has."""
    gives_nothing = False
    """It is a change of rows without RETURNING."""
    gives_values = False
    """It is a call that gives one value in each row: `a.f` may be a call of f."""
    gives_rows = False
    """It is a query, whose name as a value is its row."""
    nameless = False
    """It has outputs without a name of their own; engines name them by their text."""
    repeated: frozenset[str] = _NOTHING
    """Folded names that it gives more than once, where that makes them ambiguous."""
    merged: frozenset[str] = _NOTHING
    """Folded columns that a join has merged, where no qualifier may name them then."""
    hidden: frozenset[str] = _NOTHING
    """Folded columns that a USING or NATURAL join has merged into an earlier relation."""

    preferred: Mapping[str, Relation] = MappingProxyType({})
    """By folded name, the relations whose columns a name means after a RIGHT join."""

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
        """Return whether a column that is not listed may exist all the same."""
        return not self.complete or (self.nameless and (quoted or not key.isidentifier()))

    def renamed(self, name: str) -> Relation:
        """Return the same columns under another name."""
        other = Relation(name, self.columns, self.outputs)
        other.table, other.complete = self.table, self.complete
        other.nameless, other.repeated = self.nameless, self.repeated
        other.gives_values, other.gives_nothing = self.gives_values, self.gives_nothing
        other.gives_rows = self.gives_rows
        return other

    def copied(self) -> Relation:
        """Return a relation with columns of its own."""
        other, own = self.renamed(self.name), {id(one): replace(one) for one in self.outputs}
        other.columns = {key: own.get(id(one), one) for key, one in self.columns.items()}
        other.outputs = [own[id(one)] for one in self.outputs]
        return other


def stored_relation(state: State, table: PreparedTable) -> Relation:
    """Return what a table of the schema gives; one without columns is a view."""
    relation = Relation(table.name, table.columns, table.outputs)
    relation.table = table
    if not table.columns:
        relation.complete = False
        state.resolution.undecided.append(table.name)
    return relation


def opaque(name: str) -> Relation:
    """Return a relation whose columns are not known."""
    relation = Relation(name, {}, [])
    relation.complete = False
    return relation


FEW: Final = 16
"""So many relations of one FROM are searched one by one; more have an index."""
MOST_OWNERS: Final = 16
"""Relations that are named where many have a column."""


class Relations(dict[str, Relation]):
    """The relations of a FROM by folded alias, in order; many are found by their columns."""

    _read = 0
    """Relations that are in the index, the first ones."""
    _owners: dict[str, list[list[Relation]]]
    """Relations with a column, those of one CTE or table together."""
    _alike: dict[int, list[Relation]]
    """Relations by their columns, which those of one CTE or table share."""
    _open: list[Relation]
    _counted = 0
    """Relations whose merged columns are known."""
    _merged = _NOTHING

    def have(self, key: str) -> bool:
        """Return whether any of them has a column of this folded name."""
        if len(self) <= FEW:
            return any(key in relation.columns for relation in self.values())
        self._index()
        return key in self._owners

    def showing(self, key: str) -> list[Relation]:
        """Return those that show a column of this name, of many the first `MOST_OWNERS`."""
        if len(self) <= FEW:
            return [one for one in self.values() if key in one.columns and key not in one.hidden]
        self._index()
        owners = chain.from_iterable(self._owners.get(key, ()))
        return list(islice((one for one in owners if key not in one.hidden), MOST_OWNERS))

    def merge(self, key: str) -> bool:
        """Return whether a USING or NATURAL join has merged columns of this name."""
        if len(self) <= FEW:
            return any(key in one.hidden for one in self.values())
        if self._counted < len(self):
            self._merged = frozenset().union(*[one.hidden for one in self.values()])
            self._counted = len(self)
        return key in self._merged

    def may_have(self, key: str, *, quoted: bool) -> bool:
        """Return whether a column that none of them lists may exist all the same."""
        return any(one.may_have(key, quoted=quoted) for one in self._that_may_have_more())

    def are_complete(self) -> bool:
        """Return whether no relation may have columns beside those that it lists."""
        return all(one.complete for one in self._that_may_have_more())

    def _that_may_have_more(self) -> Iterable[Relation]:
        if len(self) <= FEW:
            return self.values()
        self._index()
        return self._open

    def _index(self) -> None:
        if not self._read:
            self._owners, self._alike, self._open = {}, {}, []
        for relation in islice(self.values(), self._read, None):
            alike = self._alike.setdefault(id(relation.columns), [])
            alike.append(relation)
            if len(alike) == 1:
                for key in relation.columns:
                    self._owners.setdefault(key, []).append(alike)
            if relation.nameless or not relation.complete:
                self._open.append(relation)
        self._read = len(self)


def note_listed(listed: dict[str, ColumnUse | None], key: str, use: ColumnUse) -> None:
    """Keep which column of FROM a clause names; another one of that name makes it several."""
    known = listed.setdefault(key, use)
    if known is not None and known.relation is not use.relation:
        listed[key] = None


class Scope:
    """One SELECT: its relations, the aliases of its list, and the query around it.

    Rare attributes have defaults on the class, so that making a scope is cheap.
    """

    node: exp.Select
    """Not set where it is the scope of something else."""
    clause: Clause = "select"
    aggregates = 0
    """Aggregates of this query that were met so far."""
    inside_aggregate: str | None = None
    """The aggregate of this query whose arguments are being resolved."""
    inside_window = False
    """A window function of this query, or its window, is being resolved."""
    unnested = 0
    """Calls of UNNEST in this query's clauses that were met so far."""
    windows = 0
    """Window functions of this query that were met so far."""
    aggregates_in_windows = 0
    """Those of `aggregates` in the arguments or the window of such a function."""
    correlated: frozenset[str] = _NOTHING
    """Aliases of expressions with a correlated subquery."""
    aggregated: frozenset[str] = _NOTHING
    """Aliases of expressions with an aggregate outside of window functions."""
    windows_by_alias: dict[str, exp.Expr | None] | None = None
    """The window functions of its items by folded alias; None: not computed yet."""
    named_windows: Mapping[str, exp.Expr] = MappingProxyType({})
    """Windows of its WINDOW clause by folded name."""
    windows_read: frozenset[str] = _NOTHING
    """Those of them that a function names."""
    every_alias: frozenset[str] | None = None
    """Folded aliases of all its expressions; None: not computed yet."""
    has_unknown_relation = False
    """A table of FROM is not in the schema: a qualifier that fits nothing may mean it."""
    repeated: frozenset[str] = _NOTHING
    """Folded aliases that several relations of FROM have."""
    namesakes: dict[str, list[Relation]] | None = None
    """Those that the engine excludes from `*`; None: not computed yet."""

    def __init__(
        self, parent: Scope | None = None, *, ctes: dict[str, Relation | DeferredCte] | None = None
    ) -> None:
        self.parent = parent
        if ctes is None:
            ctes = parent.ctes if parent is not None else {}
        self.ctes: dict[str, Relation | DeferredCte] = ctes
        """Every CTE that is visible here, by folded name."""
        self.relations = Relations()
        """By folded alias, in order of FROM."""
        self.aliases: dict[str, PreparedColumn] = {}
        """Aliases of the SELECT list, folded."""
        self.outputs: dict[str, PreparedColumn] = {}
        """Plain columns of the SELECT list, by their own names."""
        self.computed: dict[str, Computed] = {}
        """Aliases of expressions with one of these in them, UNNEST too."""
        self.meanings: dict[str, tuple[int, str] | None] = {}
        """The columns that names of the SELECT list mean, where clauses behind it may mean them
        too: relation and name; None: several."""

        self.listed: dict[str, ColumnUse | None] = {}
        """The columns that the SELECT list or GROUP BY names, where HAVING sees only those: by
        their own names, whatever their aliases are; None: several."""

    def add(self, state: State, relation: Relation, alias: exp.Expr | None) -> None:
        """Add an item of FROM under its alias; without one, under a name that nobody can write."""
        key = state.alias_key(alias) if alias is not None else f"\0{len(self.relations)}"
        if state.traits.repeats_columns and len(self.relations) < FEW:
            is_again = any(one.columns is relation.columns for one in self.relations.values())
            relation = relation.copied() if is_again else relation
        if key in self.relations:
            is_written = alias is not None and isinstance(alias.parent, exp.TableAlias)
            convention = state.traits.repeated_alias
            is_refused = convention == "refused" or (convention != "on_use" and is_written)
            if is_refused and alias is not None:
                others = (self.relations[key], relation)
                state.add_column_fault(alias, None, "ambiguous", self, others)
            self.repeated |= {key}
            key = f"{key}\0{len(self.relations)}"
        self.relations[key] = relation

    def visible(self, traits: ResolutionRules) -> Iterator[Scope]:
        """Yield the queries whose columns a reference may mean, inner first."""
        closed = traits.closed_clauses
        level: Scope | None = self
        while level is not None:
            yield level
            if level.clause in closed:
                return
            level = level.parent

    def place_without_unnest(self) -> str | None:
        """Return the clause that this is in if UNNEST is not allowed there; else None."""
        if self.inside_aggregate is not None:
            return f"the arguments of {self.inside_aggregate}"
        if self.inside_window:
            return "a window"
        return FILTERING.get(self.clause) if self.clause != "group" else None

    def chain(self) -> Iterator[Scope]:
        """Yield this scope and those around it, inner first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def of_target(self) -> Scope:
        """Return a scope that sees only the first relation, the target of a change."""
        scope = Scope(ctes=self.ctes)
        scope.relations.update(islice(self.relations.items(), 1))
        return scope

    def by_source(self) -> dict[int, Relation]:
        """Return its relations by the id of their item of FROM; empty: that is not known."""
        items, relations = sources(self.node), self.relations.values()
        if len(items) != len(relations):
            return {}
        return {id(item): one for item, one in zip(items, relations, strict=True)}

    @property
    def target(self) -> Relation | None:
        """The first relation: what a statement changes; None: it is not a table."""
        return next(iter(self.relations.values()), None)


class DeferredCte:
    """A CTE of an engine that ignores CTEs that nothing references.

    It is resolved like any other, but its faults count only if something references it.
    """

    def __init__(self, cte: exp.Expr, key: str, sees: Scope, resolve: CteResolver) -> None:
        self._resolve_cte = resolve
        self.resolution = Resolution()
        self.is_read = False
        """The statement itself reads it, not only another CTE."""
        self.reads: list[DeferredCte] = []
        self.node = cte
        self._key = key
        self._sees = sees
        self._relation: Relation | None = None
        self.is_open = False

    def relation(self, state: State, around: Scope) -> Relation:
        """Return what it gives to a query; SQLite resolves it in the scope `around` that query."""
        if state.open_cte is None:
            self.is_read = True
        else:
            state.open_cte.reads.append(self)
        if self.is_open:
            name = self.node.args["alias"].this
            state.add_form(name, Ctes.circular_cte)
            return opaque(name.name)
        sees_more = state.traits.ctes_see_later_ones and bool(around.relations)
        if self._relation is None or (sees_more and self.resolution.column_faults):
            self._resolve(state, around)
        return self._relation or opaque(self._key)

    def resolve_once(self, state: State) -> None:
        """Resolve it, unless an earlier one has referenced it already."""
        if self._relation is None:
            self._resolve(state, self._sees.parent)

    def _resolve(self, state: State, around: Scope | None) -> None:
        self.resolution = Resolution()
        self.reads = []
        resolution, around_cte = state.resolution, state.open_cte
        state.resolution, state.open_cte, self.is_open = self.resolution, self, True
        scope = Scope(around, ctes=self._sees.ctes)
        self._relation = self._resolve_cte(state, self.node, scope, self._key)
        state.resolution, state.open_cte, self.is_open = resolution, around_cte, False
