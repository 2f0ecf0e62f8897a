"""Resolves what stands for several values: rows, subqueries, IN, EXISTS, ANY, arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Conditions, Limits, Literals
from sqlobs.check.resolver.clauses.operators import check_arrow
from sqlobs.check.resolver.clauses.widths import (
    check_listed_row,
    check_width,
    compare_rows,
    gives_rows,
    width_of_row,
)
from sqlobs.check.resolver.model.tree import children

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.check.resolver.model.scope import Relation, Scope
    from sqlobs.check.resolver.model.state import ExpressionResolver, ResolverState
    from sqlobs.check.types.system import Type


def resolve_row(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a row of values; their types are kept for what the row is compared with."""
    types = [state.expression(value, scope) for value in node.expressions]
    state.rows[id(node)] = tuple(types)
    return None


def resolve_value_query(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a subquery that is a value: it gives one column."""
    relation = _resolved(state, node, node, scope)
    if isinstance(node, exp.Subquery):
        if not isinstance(node.parent, _ROWS) and not _gives_rows(state, node):
            check_width(state, node, relation, 1)
        elif len(relation.outputs) > 1 and relation.complete:
            state.rows[id(node.unnest())] = tuple(map(state.given, relation.outputs))
    return _single(state, relation)


def _gives_rows(state: ResolverState, node: exp.Expr) -> bool:
    """Say whether a subquery is a table for a function: `FROM ML.PREDICT(MODEL m, (SELECT …))`."""
    return not state.follows_defaults and isinstance(
        node.find_ancestor(exp.Table, exp.Query), exp.Table
    )


def _resolved(state: ResolverState, node: exp.Expr, query: exp.Expr, scope: Scope) -> Relation:
    """Resolve a query, and keep how many columns it gives for the node that stands for it."""
    relation = state.query(query, scope)
    if relation.complete:
        state.widths[id(node)] = len(relation.outputs)
    return relation


def _single(state: ResolverState, relation: Relation) -> Type:
    """Return the type of a query's only column."""
    return state.given(relation.outputs[0]) if len(relation.outputs) == 1 else None


def resolve_in(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `x IN (…)`: each value is compared, a subquery is as wide as the left side."""
    left = state.expression(node.this, scope)
    check_arrow(state, node.this)
    for value in node.expressions:
        state.compare("IN", left, state.expression(value, scope), (node.this, value))
        state.resolution.comparisons.append((node.this, value))
        if isinstance(value, exp.Tuple) or isinstance(node.this, exp.Tuple):
            check_listed_row(state, node.this, value)
        if state.rows:
            compare_rows(state, "IN", (node.this, value))
    query = node.args.get("query")
    if not node.expressions and not any(map(node.args.get, ("query", "field", "unnest"))):
        state.add_form(node, Conditions.empty_in)
    if query is not None:
        _in_query(state, node, query, left, scope)
    for name in ("field", "unnest"):
        if isinstance(node.args.get(name), exp.Expr):
            _in_without_brackets(state, node, node.args[name], scope)
    return state.types.boolean if state.types is not None else None


def _in_query(
    state: ResolverState, node: exp.Expr, query: exp.Expr, left: Type, scope: Scope
) -> None:
    """Resolve the query of `x IN (SELECT …)`, or of `(x, y) IN (SELECT …)`."""
    if _is_limited(query):
        state.add_form(node, Limits.limit_in_subquery)
    used, sides = len(state.resolution.columns), (node.this, query)
    relation = state.query(query, scope)
    expected = width_of_row(node.this)
    takes_row = state.traits.takes_rows_as_values or gives_rows(state, query, expected)
    if not (takes_row and len(relation.outputs) == 1):
        check_width(state, query, relation, expected)
    if expected == len(relation.outputs) == 1:
        state.compare("IN_QUERY", left, _single(state, relation), sides)
    if expected > 1 and any(use.level is scope for use in state.resolution.columns[used:]):
        state.add_form(node, Conditions.row_in_correlated_query)
    for one, other in zip(state.rows.get(id(node.this), ()), relation.outputs, strict=False):
        state.compare("IN_QUERY", one, state.given(other), sides)


def _in_without_brackets(
    state: ResolverState, node: exp.Expr, value: exp.Expr, scope: Scope
) -> None:
    """Resolve `x IN y`: y is a table in SQLite, a list in DuckDB, and an error elsewhere."""
    if state.refuses(Conditions.list_after_in):
        is_value = value.is_number or isinstance(value, (exp.Null, exp.Placeholder))
        takes_tables = not state.refuses(Conditions.in_without_parentheses)
        form = (
            Conditions.value_after_in
            if is_value and takes_tables
            else Conditions.in_without_parentheses
        )
        state.add_form(node, form)
    if not isinstance(value, exp.Column) or state.refuses(Conditions.in_without_parentheses):
        state.expression(value, scope)
        return
    table = exp.Table(this=value.this.copy(), db=value.args.get("table"))
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))
    check_width(state, node, state.query(query, scope), width_of_row(node.this))


def _is_limited(query: exp.Expr) -> bool:
    """Say whether a query, or what its parentheses hold, has a LIMIT."""
    while isinstance(query, exp.Subquery) and query.args.get("limit") is None:
        query = query.this
    return query.args.get("limit") is not None


def resolve_inner_query(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve EXISTS, ANY and ALL: any number of columns."""
    for child in children(node):
        if isinstance(child, exp.Query):
            relation = _resolved(state, node, child, scope)
            if isinstance(node, (exp.Any, exp.All)):
                if _is_limited(child):
                    state.add_form(node, Limits.limit_in_quantified)
                return _single(state, relation)
        else:
            found = state.expression(child, scope)
            if isinstance(node, (exp.Any, exp.All)) and state.types is not None:
                is_query = isinstance(child.unnest(), exp.Query)
                return found if is_query else state.judge(node, state.types.element(found))
    if isinstance(node, exp.Exists) and state.types is not None:
        return state.types.boolean
    return None


def resolve_array(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `ARRAY[a, b]`, whose elements have one type, or ARRAY(SELECT …)."""
    if any(isinstance(element, exp.Query) for element in node.expressions):
        return _array_of_query(state, node, scope)
    if not node.expressions and not isinstance(node.parent, exp.Cast):
        state.add_form(node, Literals.empty_array)
    types = [state.expression(element, scope) for element in node.expressions]
    found = state.common(node, types, node.expressions, what="ARRAY")
    return state.types.array(found) if state.types is not None and found is not None else None


def resolve_of_array(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `ARRAY(SELECT …)` and `ALL (…)` of no query, of which sqlglot makes calls."""
    value = node.expressions[0]
    if node.name.upper() == "ARRAY":
        return _array_of_query(state, node, scope)
    if isinstance(value, (exp.Query, exp.Values)):
        return _single(state, _resolved(state, node, value, scope))
    found = state.expression(value, scope)
    return state.judge(node, state.types.element(found)) if state.types is not None else None


def _array_of_query(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `ARRAY(SELECT …)`."""
    for child in node.expressions:
        if not isinstance(child, exp.Query):
            state.expression(child, scope)
            continue
        relation = _resolved(state, node, child, scope)
        check_width(state, child, relation, 1)
        element = _single(state, relation)
        if element is not None and state.types is not None and len(node.expressions) == 1:
            return state.types.array(element)
    return None


_ROWS = (exp.EQ, exp.NEQ, exp.LT, exp.GT, exp.LTE, exp.GTE, exp.Any, exp.All, exp.Tuple)
"""Where a subquery may stand for a row of several values."""


RESOLVERS: Final[Mapping[type[exp.Expr], ExpressionResolver]] = {
    exp.Tuple: resolve_row,
    exp.In: resolve_in,
    exp.Exists: resolve_inner_query,
    exp.Any: resolve_inner_query,
    exp.All: resolve_inner_query,
    exp.Array: resolve_array,
    exp.Select: resolve_value_query,
    exp.Subquery: resolve_value_query,
    exp.SetOperation: resolve_value_query,
    exp.Values: resolve_value_query,
}
