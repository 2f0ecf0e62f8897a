"""Walks expressions: resolves columns, descends into subqueries, infers types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Calls, Literals, Operators, SelectList
from sqlobs.check.resolver.clauses.aggregates import resolve_aggregate
from sqlobs.check.resolver.clauses.arguments import resolve_arguments
from sqlobs.check.resolver.clauses.calls import check_namespace, resolve_call
from sqlobs.check.resolver.model.tree import children
from sqlobs.check.resolver.names.columns import resolve_column
from sqlobs.check.resolver.names.fields import field_type, resolve_field
from sqlobs.check.resolver.names.words import row_named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import ExpressionResolver, ResolverState
    from sqlobs.check.types.system import Type

    Handler = Callable[[ResolverState, exp.Expr, Scope], Type]


def _any_other(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    if state.types is not None and state.types.rewritten(node) is not None:
        return resolve_arguments(state, node, scope)
    for child in children(node):
        state.expression(child, scope)
    return state.types.constant(node) if state.types is not None else None


def _nothing(_state: ResolverState, _node: exp.Expr, _scope: Scope) -> Type:
    """Leave a leaf that names nothing."""
    return None


def _parameter(state: ResolverState, node: exp.Expr, _scope: Scope) -> Type:
    """Read a bare identifier: the parameter of a lambda, or a name that is the parent's."""
    return state.bound.get(node.name.lower()) if state.bound else None


def _literal(state: ResolverState, node: exp.Expr, _scope: Scope) -> Type:
    return state.types.literal(node) if state.types is not None else None


def _first(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve what only wraps: brackets, an alias, ORDER BY within a call."""
    found: Type = None
    for place, child in enumerate(children(node)):
        kind = state.expression(child, scope)
        found = kind if place == 0 else found
    return found


def _alias(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve an alias that is none of a list's items: brackets hold none."""
    if isinstance(node.parent, (exp.Paren, exp.Tuple)):
        state.add_form(node, SelectList.alias_in_parentheses)
    return _first(state, node, scope)


def _column(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    column = resolve_column(state, node, scope)
    if column is None:
        if state.types is None or state.types.row is None:
            return None
        relation = row_named(state, node, scope)  # the row of a function may be one plain value
        return state.types.row if relation is not None and relation.complete else None
    kind = column.type
    if kind is None or column.qualified or state.types is None:
        return kind
    return state.types.output(kind)


def _dot(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `namespace.f(x)` as a call, and `(row).field` as its row."""
    if isinstance(node.expression, exp.Anonymous):
        if state.catalogue is not None:
            check_namespace(state, node, scope)
        return resolve_call(state, node.expression, scope, qualified=True)
    found = state.expression(node.this, scope)
    if isinstance(node.this, exp.Paren):
        state.add_form(node, Operators.field_of_parentheses)
        if state.traits.whole_row:
            resolve_field(state, node.this.this, node.expression, scope)
    if isinstance(node.expression, exp.Identifier):
        return field_type(state, found, node.this.name, [node.expression], scope)
    return None


def _collate(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `x COLLATE nocase.noaccent`: what stands behind the word is no column."""
    return state.expression(node.this, scope)


def _json_object(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `JSON_OBJECT(a, b)`: without the standard's form of it, PostgreSQL has a function."""
    nodes = [part for pair in children(node) for part in children(pair)]
    types = [state.expression(part, scope) for part in nodes]
    named = state.types.rewritten(node) if state.types is not None else None
    if state.types is None or named is None or not state.refuses(Calls.json_object_with_colon):
        return None
    return state.judge(node, state.types.call(named[0], types, nodes))


def _json_aggregate(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve Oracle's `JSON_ARRAYAGG(a RETURNING CLOB)`, whose type is read as a column."""
    kind = node.args.get("return_type")
    if not kind:
        return resolve_aggregate(state, node, scope)
    for child in children(node):
        if child is not kind:
            state.expression(child, scope)
    return None


def _cast(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    found = state.expression(node.this, scope)
    to = node.args.get("to")
    if state.types is None or to is None:
        return None
    return state.judge(node, state.types.cast(found, state.types.named(to), node.this))


def _value_only(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve the value of `name => value`; the name is the callee's."""
    if isinstance(node.expression, exp.Expr):
        return state.expression(node.expression, scope)
    return None


def _bracket(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `array[1]`, an element, or `array[1:2]`."""
    found = state.expression(node.this, scope)
    for index in node.expressions:
        state.expression(index, scope)
    return state.judge(node, state.types.item(found, node.expressions)) if state.types else None


def _interval(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    if state.refuses(Literals.interval_literal) and not state.refuses(Literals.interval):
        state.add_form(node, Literals.interval_literal)
    if isinstance(node.this, exp.Expr):
        state.expression(node.this, scope)
    return state.types.constant(node) if state.types is not None else None


RESOLVERS: Final[Mapping[type[exp.Expr], ExpressionResolver]] = {
    exp.Expr: _any_other,
    exp.Column: _column,
    exp.Pseudocolumn: _any_other,  # Oracle's LEVEL, which no relation has
    exp.Dot: _dot,
    exp.Paren: _first,
    exp.Alias: _alias,
    exp.PivotAlias: _any_other,
    exp.Order: _first,
    exp.Ordered: _first,
    exp.Collate: _collate,
    exp.JSONObject: _json_object,
    exp.JSONArrayAgg: _json_aggregate,
    exp.JSONObjectAgg: _json_aggregate,
    exp.Literal: _literal,
    exp.Null: _literal,
    exp.Star: _nothing,
    exp.Identifier: _parameter,
    exp.Var: _literal,
    exp.DataType: _nothing,
    exp.NextValueFor: _nothing,
    exp.SemanticView: _nothing,  # its names are those of a view that no schema describes
    exp.Placeholder: _nothing,
    exp.Parameter: _nothing,
    exp.Cast: _cast,
    exp.Interval: _interval,
    exp.Bracket: _bracket,
    exp.Kwarg: _value_only,
    exp.PropertyEQ: _value_only,
}
