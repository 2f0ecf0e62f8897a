"""Resolves the conditions of joins, and finds what they may not see."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Joins
from sqlobs.check.resolver.model.scope import Relations, Scope
from sqlobs.check.resolver.model.tree import conjuncts

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.scope import Relation
    from sqlobs.check.resolver.model.state import ResolverState


def resolve_conditions(state: ResolverState, conditions: list[exp.Expr], scope: Scope) -> None:
    """Resolve join conditions that had to wait."""
    for condition in conditions:
        begun = len(state.resolution.columns)
        resolve_join_condition(state, condition, scope)
        if sees_no_later_items(state, condition):
            check_later_items(state, condition, scope, begun)


def resolve_target(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Add what an UPDATE or DELETE changes, with what it is joined to."""
    waiting: list[exp.Expr] = []
    state.source(node, scope, waiting)
    resolve_conditions(state, waiting, scope)


def resolve_join_condition(
    state: ResolverState, condition: exp.Expr, scope: Scope, unseen: int = 0
) -> None:
    """Resolve a condition that does not see the first `unseen` items of FROM."""
    scope.clause = "on"
    relations, parent = scope.relations, scope.parent
    if unseen:
        scope.relations = Relations(islice(relations.items(), unseen, None))
        if not state.refuses(Joins.on_sees_comma_items):  # they are further out, then
            scope.parent = Scope(parent)
            scope.parent.relations = Relations(islice(relations.items(), unseen))
    found = state.expression(condition, scope)
    state.condition(found, condition, what="ON")
    scope.relations, scope.parent = relations, parent
    scope.clause = "from"


_INEQUALITIES: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def check_asof(
    state: ResolverState, join: exp.Expr, condition: exp.Expr, added: list[Relation]
) -> None:
    """Record an ASOF JOIN whose condition does not order its two sides once."""
    owners = {id(use.node): id(use.relation) for use in state.resolution.columns}
    joined = {id(relation) for relation in added}
    count = 0
    for part in conjuncts(condition):
        if isinstance(part, exp.Between):
            pairs = [(part.this, part.args["low"]), (part.this, part.args["high"])]
        elif isinstance(part, _INEQUALITIES):
            pairs = [(part.this, part.expression)]
        else:
            continue
        for pair in pairs:
            sides = [_sides_of_columns(side, owners, joined) for side in pair]
            if None in sides:
                return
            count += sides in ([{True}, {False}], [{False}, {True}])
    if count != 1:
        form = Joins.asof_with_inequalities if count else Joins.asof_without_inequality
        state.add_form(join.this, form)


def _sides_of_columns(
    value: exp.Expr, owners: dict[int, int], joined: set[int]
) -> set[bool] | None:
    """Return whether the columns of a value are of what is joined; None: one is not known."""
    found: set[bool] = set()
    for column in value.find_all(exp.Column):
        owner = owners.get(id(column))
        if owner is None:
            return None
        found.add(owner in joined)
    return found


def sees_no_later_items(state: ResolverState, condition: exp.Expr) -> bool:
    """Say whether a condition is that of an outer join, or of any in FROM with a RIGHT join."""
    join = condition.parent
    if not isinstance(join, exp.Join) or not state.refuses(Joins.outer_join_sees_later_items):
        return False
    joins = join.parent.args.get("joins") if join.parent is not None else None
    return bool(join.side) or any(one.side in {"RIGHT", "FULL"} for one in joins or ())


def check_later_items(state: ResolverState, condition: exp.Expr, scope: Scope, begun: int) -> None:
    """Record the columns, from the one at `begun` on, of what stands behind a join."""
    join = condition.parent
    item = join.this if join is not None else None
    name = item.args.get("alias", item) if isinstance(item, (exp.Table, exp.Subquery)) else None
    if name is None or not isinstance(name.this, exp.Identifier):
        return
    names, key = list(scope.relations), state.alias_key(name.this)
    if key not in names or _may_become_inner(state, join, key):
        return
    later = {id(scope.relations[one]) for one in names[names.index(key) + 1 :]}
    for use in islice(state.resolution.columns, begun, None):
        if id(use.relation) in later:
            qualifier: exp.Expr | None = use.node.args.get("table")
            if qualifier is not None:
                state.add_column_fault(qualifier, None, "no_source", scope)
            else:
                state.add_column_fault(use.node.this, None, "misplaced", scope)


def _may_become_inner(state: ResolverState, join: exp.Expr | None, key: str) -> bool:
    """Say whether another condition may want a row of what is joined: the join is inner then."""
    query = join.parent if join is not None else None
    if query is None:
        return True
    joins = [one for one in query.args.get("joins") or () if not one.side and one is not join]
    conditions = (query.args.get("where"), *(one.args.get("on") for one in joins))
    return any(
        not column.args.get("table") or state.alias_key(column.args["table"]) == key
        for condition in conditions
        if condition is not None
        for column in condition.find_all(exp.Column)
    )
