"""Common table expressions: when they are resolved, and what they see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Ctes
from sqlobs.check.resolver.clauses.widths import check_names
from sqlobs.check.resolver.model.resolution import Resolution
from sqlobs.check.resolver.model.scope import Relation, Scope
from sqlobs.check.resolver.model.state import LooseCte
from sqlobs.check.resolver.names.outputs import relation_of, with_column_names
from sqlobs.check.resolver.statements.recursion import check_recursion, refers_to_itself

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.check.resolver.model.state import ResolverState


def with_scope(state: ResolverState, node: exp.Expr, outer: Scope) -> Scope:
    """Resolve the CTEs in front of a query; return the scope that sees them."""
    with_ = node.args.get("with_")
    if with_ is None:
        return outer
    scope = Scope(outer, ctes=dict(outer.ctes))
    if with_.args.get("recursive"):
        state.add_form(with_.expressions[0], Ctes.with_recursive)
    ctes = []
    for cte in with_.expressions:
        name = cte.args["alias"].this
        if cte.args.get("scalar"):  # ClickHouse's `WITH 5 AS x`; `resolve_named_values` looks at it
            scope.aliases[state.column_key(name)] = PreparedColumn(state.kept_name(name))
        else:
            ctes.append((state.cte_key(name), cte))
    _check_repeated(state, ctes)
    if state.traits.checks_unused_ctes:
        _resolve_all(state, ctes, scope, with_)
        return scope
    loose = [(key, LooseCte(cte, key, scope, _resolved)) for key, cte in ctes]
    state.loose_ctes += [one for _, one in loose]
    if state.traits.ctes_see_later_ones:
        scope.ctes.update(loose)
    for key, one in loose:
        one.resolve_once(state)
        scope.ctes[key] = one
    return scope


def _resolve_all(
    state: ResolverState, ctes: Sequence[tuple[str, exp.Expr]], scope: Scope, with_: exp.Expr
) -> None:
    """Resolve CTEs in their order; SEARCH and CYCLE stand behind the last."""
    clauses = [found for name in ("search", "cycle") if (found := with_.args.get(name)) is not None]
    for place, (key, cte) in enumerate(ctes, start=1):
        relation = _resolved(state, cte, scope, key)
        if place == len(ctes):
            for clause in clauses:
                relation = _searched(state, relation, clause)
        scope.ctes[key] = relation


def _searched(state: ResolverState, relation: Relation, search: exp.Expr) -> Relation:
    """Return what a recursive CTE gives with the columns that SEARCH or CYCLE adds."""
    added = [search.args.get(name) for name in ("expression", "using")]
    columns = {
        state.column_key(name): PreparedColumn(state.kept_name(name))
        for name in added
        if isinstance(name, exp.Identifier)
    }
    outputs = [*relation.outputs, *columns.values()]
    found = Relation(relation.name, relation.columns | columns, outputs)
    found.complete, found.nameless = relation.complete, relation.nameless
    return found


def _check_repeated(state: ResolverState, ctes: Iterable[tuple[str, exp.Expr]]) -> None:
    own: set[str] = set()
    for key, cte in ctes:
        if key in own:
            state.add_form(cte.args["alias"].this, Ctes.repeated_cte)
        own.add(key)


def _resolved(state: ResolverState, cte: exp.Expr, scope: Scope, key: str) -> Relation:
    alias = cte.args["alias"]
    is_recursive = refers_to_itself(state, cte, key) and _may_recurse(state, cte)
    if is_recursive:
        itself = relation_of(state, alias.this.name, cte.this, alias)
        state.recursive[id(cte.this)] = itself
        scope = Scope(scope.parent, ctes={**scope.ctes, key: itself})
    relation = state.query(cte.this, scope)
    if is_recursive:
        check_recursion(state, cte, key)
    check_names(state, relation, alias, is_cte=True)
    names = [state.output_key(column.name) for column in relation.outputs if column.name]
    if len(set(names)) < len(names) and not alias.args.get("columns"):
        state.add_form(alias.this, Ctes.repeated_output_of_cte)
    return with_column_names(state, relation, alias)


def _may_recurse(state: ResolverState, cte: exp.Expr) -> bool:
    """Say whether a CTE sees itself: some engines want the word RECURSIVE."""
    with_ = cte.parent
    is_told = with_ is not None and bool(with_.args.get("recursive"))
    return is_told or not state.refuses(Ctes.recursion_without_recursive)


def settle_loose(state: ResolverState) -> tuple[Resolution, Resolution]:
    """Return the facts of a statement with the CTEs that it reads, and those of the others.

    What the grammar refuses counts wherever it stands.
    """
    waiting = [cte for cte in state.loose_ctes if cte.is_read]
    read: set[int] = set()
    while waiting:
        cte = waiting.pop()
        if id(cte) not in read:
            read.add(id(cte))
            waiting += cte.reads
    counting, others = Resolution(), Resolution()
    for cte in state.loose_ctes:
        is_read = id(cte) in read
        (counting if is_read else others).add(cte.resolution)
        if not is_read:
            counting.unread.append(cte.node)
    counting.add(state.resolution)
    if state.catalogue is not None:  # the grammar is that of the whole text
        wrong = state.catalogue.ungrammatical
        counting.forms += [use for use in others.forms if use.form.name in wrong]
    return counting, others
