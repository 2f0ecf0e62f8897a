"""Common table expressions: when they are resolved, and what they see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.outputs import relation_of
from sqlobs.check.resolver.recursion import check_recursion, refers_to_itself
from sqlobs.check.resolver.resolution import Facts, FormUse
from sqlobs.check.resolver.scope import Relation, Scope, opaque
from sqlobs.check.resolver.widths import check_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.check.resolver.state import Walk


def with_scope(walk: Walk, node: exp.Expr, outer: Scope) -> Scope:
    """Resolve the CTEs in front of a query; return the scope that sees them."""
    with_ = node.args.get("with_")
    if with_ is None:
        return outer
    scope = Scope(outer, ctes=dict(outer.ctes))
    if with_.args.get("recursive"):
        walk.facts.forms.append(FormUse(with_.expressions[0], "with_recursive"))
    ctes = []
    for cte in with_.expressions:
        name = cte.args["alias"].this
        if cte.args.get("scalar"):  # ClickHouse's `WITH 5 AS x`; `resolve_named_values` looks at it
            scope.aliases[walk.column_key(name)] = PreparedColumn(walk.kept_name(name))
        else:
            ctes.append((walk.cte_key(name), cte))
    _check_repeated(walk, ctes)
    if walk.traits.checks_unused_ctes:
        _resolve_all(walk, ctes, scope, with_)
        return scope
    loose = [(key, LooseCte(cte, key, scope)) for key, cte in ctes]
    walk.loose_ctes += [one for _, one in loose]
    if walk.traits.ctes_see_later_ones:
        scope.ctes.update(loose)
    for key, one in loose:
        one.resolve_once(walk)
        scope.ctes[key] = one
    return scope


def _resolve_all(
    walk: Walk, ctes: Sequence[tuple[str, exp.Expr]], scope: Scope, with_: exp.Expr
) -> None:
    """Resolve CTEs in their order; SEARCH and CYCLE stand behind the last."""
    clauses = [found for name in ("search", "cycle") if (found := with_.args.get(name)) is not None]
    for place, (key, cte) in enumerate(ctes, start=1):
        relation = _resolved(walk, cte, scope, key)
        if place == len(ctes):
            for clause in clauses:
                relation = _searched(walk, relation, clause)
        scope.ctes[key] = relation


def _searched(walk: Walk, relation: Relation, search: exp.Expr) -> Relation:
    """Return what a recursive CTE gives with the columns that SEARCH or CYCLE adds."""
    added = [search.args.get(name) for name in ("expression", "using")]
    columns = {
        walk.column_key(name): PreparedColumn(walk.kept_name(name))
        for name in added
        if isinstance(name, exp.Identifier)
    }
    outputs = [*relation.outputs, *columns.values()]
    found = Relation(relation.name, relation.columns | columns, outputs)
    found.complete, found.nameless = relation.complete, relation.nameless
    return found


def resolve_named_values(walk: Walk, with_: exp.Expr, scope: Scope) -> None:
    """Resolve the values of ClickHouse's `WITH toYear(born) AS y`: they see what FROM gives."""
    from sqlobs.check.resolver.expressions import resolve_expression

    clause, scope.clause = scope.clause, "select"
    for cte in with_.expressions:
        # Of `x -> x + 1 AS f`, sqlglot makes another operator; what it names is not known then.
        if cte.args.get("scalar") and cte.this.find(exp.JSONExtract) is None:
            resolve_expression(walk, cte.this, scope)
    scope.clause = clause


def _check_repeated(walk: Walk, ctes: Iterable[tuple[str, exp.Expr]]) -> None:
    own: set[str] = set()
    for key, cte in ctes:
        if key in own:
            walk.facts.forms.append(FormUse(cte.args["alias"].this, "repeated_cte"))
        own.add(key)


def _resolved(walk: Walk, cte: exp.Expr, scope: Scope, key: str) -> Relation:
    from sqlobs.check.resolver.queries import resolve_query

    alias = cte.args["alias"]
    is_recursive = refers_to_itself(walk, cte, key) and _may_recurse(walk, cte)
    if is_recursive:
        itself = relation_of(walk, alias.this.name, cte.this, alias)
        walk.recursive[id(cte.this)] = itself
        scope = Scope(scope.parent, ctes={**scope.ctes, key: itself})
    relation = resolve_query(walk, cte.this, scope)
    if is_recursive:
        check_recursion(walk, cte, key)
    check_names(walk, relation, alias, is_cte=True)
    names = [walk.output_key(column.name) for column in relation.outputs if column.name]
    if len(set(names)) < len(names) and not alias.args.get("columns"):
        walk.facts.forms.append(FormUse(alias.this, "repeated_output_of_cte"))
    return with_column_names(walk, relation, alias)


def _may_recurse(walk: Walk, cte: exp.Expr) -> bool:
    """Say whether a CTE sees itself: some engines want the word RECURSIVE."""
    with_ = cte.parent
    is_told = with_ is not None and bool(with_.args.get("recursive"))
    return is_told or not walk.refuses("recursion_without_the_word")


class LooseCte:
    """A CTE of an engine that looks at it only if something reads it.

    It is resolved like any other, but what is found in it counts only then.
    """

    def __init__(self, cte: exp.Expr, key: str, sees: Scope) -> None:
        self.facts = Facts()
        self.is_read = False
        """The statement itself reads it, not only another CTE."""
        self.reads: list[LooseCte] = []
        self.node = cte
        self._key = key
        self._sees = sees
        self._relation: Relation | None = None
        self._is_open = False

    def relation(self, walk: Walk, around: Scope) -> Relation:
        """Return what it gives to a query that reads it.

        Args:
            walk: the state of the walk.
            around: what a subquery at that place would see; SQLite resolves it there.
        """
        if walk.reader is None:
            self.is_read = True
        else:
            walk.reader.reads.append(self)
        if self._is_open:
            return self._circular(walk)
        if self._relation is None or self._may_mean_more(walk, around):
            self._resolve(walk, around)
        return self._relation or opaque(self._key)

    def resolve_once(self, walk: Walk) -> None:
        """Resolve it, unless one that stands before it has read it already."""
        if self._relation is None:
            self._resolve(walk, self._sees.parent)

    def _may_mean_more(self, walk: Walk, around: Scope) -> bool:
        sees_more = walk.traits.ctes_see_later_ones and bool(around.relations)
        return sees_more and bool(self.facts.column_faults)

    def _resolve(self, walk: Walk, around: Scope | None) -> None:
        self.facts = Facts()
        self.reads = []
        facts, reader = walk.facts, walk.reader
        walk.facts, walk.reader, self._is_open = self.facts, self, True
        scope = Scope(around, ctes=self._sees.ctes)
        self._relation = _resolved(walk, self.node, scope, self._key)
        walk.facts, walk.reader, self._is_open = facts, reader, False

    def _circular(self, walk: Walk) -> Relation:
        name = self.node.args["alias"].this
        walk.facts.forms.append(FormUse(name, "circular_cte"))
        return opaque(name.name)


def settle_loose(walk: Walk) -> tuple[Facts, Facts]:
    """Return the facts of a statement with the CTEs that it reads, and those of the others.

    What the grammar refuses counts wherever it stands.
    """
    waiting = [cte for cte in walk.loose_ctes if cte.is_read]
    read: set[int] = set()
    while waiting:
        cte = waiting.pop()
        if id(cte) not in read:
            read.add(id(cte))
            waiting += cte.reads
    counting, others = Facts(), Facts()
    for cte in walk.loose_ctes:
        is_read = id(cte) in read
        (counting if is_read else others).add(cte.facts)
        if not is_read:
            counting.unread.append(cte.node)
    counting.add(walk.facts)
    if walk.catalogue is not None:  # the grammar is that of the whole text
        wrong = walk.catalogue.ungrammatical
        counting.forms += [use for use in others.forms if use.form in wrong]
    return counting, others


def with_column_names(walk: Walk, relation: Relation, alias: exp.Expr) -> Relation:
    """Apply `AS name(a, b, …)` to a relation."""
    name = alias.name if alias.this is not None else relation.name
    names = alias.args.get("columns") or []
    if not names:
        return relation.renamed(name)
    columns = [
        PreparedColumn(walk.kept_name(identifier), column.type)
        for identifier, column in zip(names, relation.outputs, strict=False)
    ]
    keys = [walk.column_key(identifier) for identifier in names]
    rest = relation.outputs[len(names) :]
    outputs = [*columns, *rest]
    by_name = dict(zip(keys, columns, strict=False)) | {
        walk.output_key(column.name): column for column in rest if column.name
    }
    complete = relation.complete
    if not complete:
        by_name |= {key: PreparedColumn(key) for key in keys if key not in by_name}
    named = Relation(name, by_name, outputs)
    named.complete, named.nameless = complete, relation.nameless
    return named
