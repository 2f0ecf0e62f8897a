"""Resolves UPDATE, DELETE and MERGE."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.forms.dml import names_target
from sqlobs.check.resolver.clauses.join_conditions import resolve_conditions, resolve_target
from sqlobs.check.resolver.clauses.joins import resolve_from
from sqlobs.check.resolver.model.scope import Scope, opaque
from sqlobs.check.resolver.model.tree import children, is_default
from sqlobs.check.resolver.names.columns import resolve_column
from sqlobs.check.resolver.statements.assignments import (
    check_assignments,
    check_stored,
    resolve_assignment,
)
from sqlobs.check.resolver.statements.ctes import with_scope
from sqlobs.check.resolver.statements.inserts import check_view, resolve_returning

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.scope import Relation
    from sqlobs.check.resolver.model.state import ResolverState


def resolve_update(state: ResolverState, node: exp.Expr, around: Scope) -> Relation:
    """Resolve an UPDATE and return what it returns."""
    scope = Scope(with_scope(state, node, around))
    of_alias = state.traits.update_names_alias and _names_alias(state, node)
    if not of_alias:
        resolve_target(state, node.this, scope)
    resolve_conditions(state, resolve_from(state, node, scope), scope)
    scope.clause = "where"
    target = scope
    if node.args.get("from_") is not None and not of_alias:
        target = Scope(ctes=scope.ctes)
        target.relations.update(islice(scope.relations.items(), 1))
    for assignment in node.expressions:
        resolve_assignment(state, assignment, target, scope)
    check_assignments(state, node)
    return _rest(state, node, scope)


def _names_alias(state: ResolverState, node: exp.Expr) -> bool:
    """Say whether the target of an UPDATE is what its FROM clause calls a relation.

    `UPDATE o SET … FROM orders AS o`; learn.microsoft.com/sql/t-sql/queries/update-transact-sql.
    """
    from_ = node.args.get("from_")
    if from_ is None or not isinstance(node.this, exp.Table) or node.this.args.get("db"):
        return False
    key = state.alias_key(node.this.this)
    items = [from_.this, *(join.this for join in from_.this.args.get("joins") or ())]
    items += [join.this for join in node.args.get("joins") or ()]
    aliases = (item.args.get("alias") or item for item in items)
    return any(
        isinstance(alias.this, exp.Identifier) and state.alias_key(alias.this) == key
        for alias in aliases
    )


def resolve_delete(state: ResolverState, node: exp.Expr, around: Scope) -> Relation:
    """Resolve a DELETE, of one table or several, and return what it returns."""
    scope = Scope(with_scope(state, node, around))
    using = node.args.get("using") or ()
    if isinstance(node.this, exp.Table) and not (using and names_target(node)):
        resolve_target(state, node.this, scope)
        check_view(state, node.this, scope)
    for table in using:
        resolve_target(state, table, scope)
    if not node.this and not using and not state.follows_defaults:  # `DELETE orders WHERE …`
        for table in node.args.get("tables") or ():
            resolve_target(state, table, scope)
    for table in node.args.get("tables") or ():
        if not state.follows_defaults:
            continue
        if (changed := scope.relations.get(state.alias_key(table.this))) is not None:
            check_stored(state, table, changed)
        else:
            state.add_column_fault(table.this, None, "no_source", scope)
    return _rest(state, node, scope)


def _rest(state: ResolverState, node: exp.Expr, scope: Scope) -> Relation:
    """Resolve what stands behind the target: WHERE, ORDER BY, RETURNING."""
    scope.clause = "where"
    for name in ("where", "order"):
        if (clause := node.args.get(name)) is not None:
            for child in children(clause):
                found = state.expression(child, scope)
                if name == "where":
                    state.condition(found, child, what="WHERE")
    return resolve_returning(state, node, scope)


@dataclass(frozen=True, slots=True)
class _Sides:
    """What the parts of a MERGE see."""

    both: Scope
    target: Scope
    source: Scope


def resolve_merge(state: ResolverState, node: exp.Expr, around: Scope) -> Relation:
    """Resolve every name of a MERGE but those of RETURNING, whose columns stay unknown."""
    both = Scope(with_scope(state, node, around))
    resolve_target(state, node.this, both)
    sides = _Sides(both, Scope(ctes=both.ctes), Scope(ctes=both.ctes))
    sides.target.relations.update(both.relations)
    if isinstance(node.args.get("using"), exp.Expr):
        resolve_target(state, node.args["using"], both)
    sides.source.relations.update(islice(both.relations.items(), len(sides.target.relations), None))
    both.clause = "on"
    if isinstance(node.args.get("on"), exp.Expr):
        state.expression(node.args["on"], both)
    whens = node.args.get("whens")
    for when in whens.expressions if whens is not None else ():
        _when(state, when, sides)
    return opaque("")


def _when(state: ResolverState, when: exp.Expr, sides: _Sides) -> None:
    """Resolve one WHEN: where no row of the target matches, only the source is seen."""
    is_new = not when.args.get("matched") and not when.args.get("source")
    seen = sides.source if is_new else sides.both
    condition, then = when.args.get("condition"), when.args.get("then")
    seen.clause = "where"
    if condition is not None:
        state.condition(state.expression(condition, seen), condition, what="WHEN")
    if isinstance(then, exp.Update):
        for assignment in then.expressions or ():
            if isinstance(assignment, exp.EQ):
                resolve_assignment(state, assignment, sides.target, seen)
    elif isinstance(then, exp.Insert) and isinstance(then.expression, exp.Tuple):
        _insert_of_merge(state, then, then.expression, sides)
    if isinstance(then, exp.Expr) and (where := then.args.get("where")) is not None:  # Oracle's
        state.condition(state.expression(where.this, sides.both), where.this, what="WHERE")


def _insert_of_merge(
    state: ResolverState, insert: exp.Insert, row: exp.Tuple, sides: _Sides
) -> None:
    """Resolve `INSERT (a, b) VALUES (…)`: a value for each column."""
    listed = insert.this.expressions if isinstance(insert.this, exp.Tuple) else ()
    columns = [
        resolve_column(state, column, sides.target)
        for column in listed
        if isinstance(column, exp.Column)
    ]
    if listed and len(row.expressions) != len(listed):
        state.add_width_fault(row, len(row.expressions), len(listed))
    for place, value in enumerate(row.expressions):
        if not is_default(value) and not isinstance(value, exp.Var):
            found = state.expression(value, sides.source)
            state.assign(columns[place] if place < len(columns) else None, found, value)
