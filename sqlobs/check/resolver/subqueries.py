"""Walks what stands for several values: rows, subqueries, IN, EXISTS, ANY, arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.arrows import check_arrow
from sqlobs.check.resolver.resolution import FormUse
from sqlobs.check.resolver.tree import children
from sqlobs.check.resolver.widths import (
    check_listed_row,
    check_width,
    gives_rows,
    width_of_row,
)

if TYPE_CHECKING:
    from sqlobs.check.resolver.scope import Relation, Scope
    from sqlobs.check.resolver.state import Sides, Walk
    from sqlobs.check.types.system import Type


def resolve_row(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk a row of values; their types are kept for what the row is compared with."""
    from sqlobs.check.resolver.expressions import resolve_expression

    types = [resolve_expression(walk, value, scope) for value in node.expressions]
    walk.rows[id(node)] = tuple(types)
    return None


def compare_rows(walk: Walk, operator: str, sides: Sides) -> None:
    """Judge a comparison of two rows, value by value."""
    left, right = sides[0].unnest(), sides[1].unnest()
    types = zip(walk.rows.get(id(left), ()), walk.rows.get(id(right), ()), strict=False)
    values = zip(left.expressions, right.expressions, strict=False)
    for (one, other), pair in zip(types, values, strict=False):
        walk.compare(operator, one, other, pair)


def resolve_value_query(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk a subquery that is a value: it gives one column."""
    relation = _resolved(walk, node, node, scope)
    if isinstance(node, exp.Subquery):
        if not isinstance(node.parent, _ROWS) and not _gives_rows(walk, node):
            check_width(walk, node, relation, 1)
        elif len(relation.outputs) > 1 and relation.complete:
            walk.rows[id(node.unnest())] = tuple(map(walk.given, relation.outputs))
    return _single(walk, relation)


def _gives_rows(walk: Walk, node: exp.Expr) -> bool:
    """Say whether a subquery is a table for a function: `FROM ML.PREDICT(MODEL m, (SELECT …))`."""
    return walk.catalogue is None and isinstance(
        node.find_ancestor(exp.Table, exp.Query), exp.Table
    )


def _resolved(walk: Walk, node: exp.Expr, query: exp.Expr, scope: Scope) -> Relation:
    """Resolve a query, and keep how many columns it gives for the node that stands for it."""
    from sqlobs.check.resolver.queries import resolve_query

    relation = resolve_query(walk, query, scope)
    if relation.complete:
        walk.widths[id(node)] = len(relation.outputs)
    return relation


def _single(walk: Walk, relation: Relation) -> Type:
    """Return the type of a query's only column."""
    return walk.given(relation.outputs[0]) if len(relation.outputs) == 1 else None


def resolve_in(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `x IN (…)`: each value is compared, a subquery is as wide as the left side."""
    from sqlobs.check.resolver.expressions import resolve_expression

    left = resolve_expression(walk, node.this, scope)
    check_arrow(walk, node.this)
    for value in node.expressions:
        walk.compare("IN", left, resolve_expression(walk, value, scope), (node.this, value))
        walk.facts.comparisons.append((node.this, value))
        if isinstance(value, exp.Tuple) or isinstance(node.this, exp.Tuple):
            check_listed_row(walk, node.this, value)
        if walk.rows:
            compare_rows(walk, "IN", (node.this, value))
    query = node.args.get("query")
    if not node.expressions and not any(map(node.args.get, ("query", "field", "unnest"))):
        walk.facts.forms.append(FormUse(node, "empty_in"))
    if query is not None:
        _in_query(walk, node, query, left, scope)
    for name in ("field", "unnest"):
        if isinstance(node.args.get(name), exp.Expr):
            _in_without_brackets(walk, node, node.args[name], scope)
    return walk.types.boolean if walk.types is not None else None


def _in_query(walk: Walk, node: exp.Expr, query: exp.Expr, left: Type, scope: Scope) -> None:
    """Walk the query of `x IN (SELECT …)`, or of `(x, y) IN (SELECT …)`."""
    from sqlobs.check.resolver.queries import resolve_query

    if _is_limited(query):
        walk.facts.forms.append(FormUse(node, "limit_in_subquery"))
    used, sides = len(walk.facts.columns), (node.this, query)
    relation = resolve_query(walk, query, scope)
    expected = width_of_row(node.this)
    takes_row = walk.traits.takes_rows_as_values or gives_rows(walk, query, expected)
    if not (takes_row and len(relation.outputs) == 1):
        check_width(walk, query, relation, expected)
    if expected == len(relation.outputs) == 1:
        walk.compare("IN_QUERY", left, _single(walk, relation), sides)
    if expected > 1 and any(use.level is scope for use in walk.facts.columns[used:]):
        walk.facts.forms.append(FormUse(node, "row_in_correlated_query"))
    for one, other in zip(walk.rows.get(id(node.this), ()), relation.outputs, strict=False):
        walk.compare("IN_QUERY", one, walk.given(other), sides)


def _in_without_brackets(walk: Walk, node: exp.Expr, value: exp.Expr, scope: Scope) -> None:
    """Walk `x IN y`: y is a table in SQLite, a list in DuckDB, and an error elsewhere."""
    from sqlobs.check.resolver.expressions import resolve_expression
    from sqlobs.check.resolver.queries import resolve_query

    if walk.refuses("list_behind_in"):
        is_value = value.is_number or isinstance(value, (exp.Null, exp.Placeholder))
        takes_tables = not walk.refuses("in_without_brackets")
        form = "value_behind_in" if is_value and takes_tables else "in_without_brackets"
        walk.facts.forms.append(FormUse(node, form))
    if not isinstance(value, exp.Column) or walk.refuses("in_without_brackets"):
        resolve_expression(walk, value, scope)
        return
    table = exp.Table(this=value.this.copy(), db=value.args.get("table"))
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))
    check_width(walk, node, resolve_query(walk, query, scope), width_of_row(node.this))


def _is_limited(query: exp.Expr) -> bool:
    """Say whether a query, or what its brackets hold, has a LIMIT."""
    while isinstance(query, exp.Subquery) and query.args.get("limit") is None:
        query = query.this
    return query.args.get("limit") is not None


def resolve_inner_query(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk EXISTS, ANY and ALL: any number of columns."""
    from sqlobs.check.resolver.expressions import resolve_expression

    for child in children(node):
        if isinstance(child, exp.Query):
            relation = _resolved(walk, node, child, scope)
            if isinstance(node, (exp.Any, exp.All)):
                if _is_limited(child):
                    walk.facts.forms.append(FormUse(node, "limit_in_quantified"))
                return _single(walk, relation)
        else:
            found = resolve_expression(walk, child, scope)
            if isinstance(node, (exp.Any, exp.All)) and walk.types is not None:
                is_query = isinstance(child.unnest(), exp.Query)
                return found if is_query else walk.judge(node, walk.types.element(found))
    if isinstance(node, exp.Exists) and walk.types is not None:
        return walk.types.boolean
    return None


def resolve_array(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `ARRAY[a, b]`, whose elements have one type, or ARRAY(SELECT …)."""
    from sqlobs.check.resolver.expressions import resolve_expression

    if any(isinstance(element, exp.Query) for element in node.expressions):
        return _array_of_query(walk, node, scope)
    if not node.expressions and not isinstance(node.parent, exp.Cast):
        walk.facts.forms.append(FormUse(node, "empty_array"))
    types = [resolve_expression(walk, element, scope) for element in node.expressions]
    found = walk.common(node, types, node.expressions, what="ARRAY")
    return walk.types.array(found) if walk.types is not None and found is not None else None


def resolve_of_array(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `ARRAY(SELECT …)`, `ALL (array)` or `ALL (VALUES …)`, of which sqlglot makes calls."""
    from sqlobs.check.resolver.expressions import resolve_expression

    value = node.expressions[0]
    if node.name.upper() == "ARRAY":
        return _array_of_query(walk, node, scope)
    if isinstance(value, (exp.Query, exp.Values)):
        return _single(walk, _resolved(walk, node, value, scope))
    found = resolve_expression(walk, value, scope)
    return walk.judge(node, walk.types.element(found)) if walk.types is not None else None


def _array_of_query(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `ARRAY(SELECT …)`."""
    from sqlobs.check.resolver.expressions import resolve_expression

    for child in node.expressions:
        if not isinstance(child, exp.Query):
            resolve_expression(walk, child, scope)
            continue
        relation = _resolved(walk, node, child, scope)
        check_width(walk, child, relation, 1)
        element = _single(walk, relation)
        if element is not None and walk.types is not None and len(node.expressions) == 1:
            return walk.types.array(element)
    return None


_ROWS = (exp.EQ, exp.NEQ, exp.LT, exp.GT, exp.LTE, exp.GTE, exp.Any, exp.All, exp.Tuple)
"""Where a subquery may stand for a row of several values."""
