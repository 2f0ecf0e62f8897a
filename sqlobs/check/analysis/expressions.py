"""Walks expressions: resolves columns, records calls, descends into subqueries, infers types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.analysis.arguments import resolve_arguments
from sqlobs.check.analysis.calls import resolve_aggregate, resolve_call, resolve_within_group
from sqlobs.check.analysis.columns import resolve_column, resolve_field, row_named
from sqlobs.check.analysis.facts import FormUse
from sqlobs.check.analysis.tree import children
from sqlobs.check.analysis.widths import check_rows, check_width
from sqlobs.check.analysis.windows import resolve_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.analysis.scope import Scope
    from sqlobs.check.analysis.walk import Walk
    from sqlobs.check.types.system import Type

    Handler = Callable[[Walk, exp.Expr, Scope], Type]


def resolve_expression(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Resolve everything below an expression and return its type; None: not known."""
    handler = _HANDLERS.get(node.__class__)
    if handler is None:
        handler = _HANDLERS[node.__class__] = _handler_of(node)
    return handler(walk, node, scope)


def _handler_of(node: exp.Expr) -> Handler:
    """Return the handler of a class of nodes that has none of its own."""
    if isinstance(node, exp.Binary):
        return _binary
    return resolve_aggregate if isinstance(node, exp.AggFunc) else _any_other


def _any_other(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    if walk.types is not None and walk.types.rewritten(node) is not None:
        return resolve_arguments(walk, node, scope)
    for child in children(node):
        resolve_expression(walk, child, scope)
    return walk.types.constant(node) if walk.types is not None else None


def _nothing(_walk: Walk, _node: exp.Expr, _scope: Scope) -> Type:
    """Leave a leaf that names nothing."""
    return None


def _literal(walk: Walk, node: exp.Expr, _scope: Scope) -> Type:
    return walk.types.literal(node) if walk.types is not None else None


def _first(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk what only wraps: brackets, an alias, ORDER BY within a call."""
    found: Type = None
    for place, child in enumerate(children(node)):
        kind = resolve_expression(walk, child, scope)
        found = kind if place == 0 else found
    return found


def _alias(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk an alias that is none of a list's items: brackets hold none."""
    if isinstance(node.parent, (exp.Paren, exp.Tuple)):
        walk.facts.forms.append(FormUse(node, "alias_in_brackets"))
    return _first(walk, node, scope)


def _column(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    column = resolve_column(walk, node, scope)
    if column is None:
        if walk.types is None or walk.types.row is None:
            return None
        relation = row_named(walk, node, scope)  # the row of a function may be one plain value
        return walk.types.row if relation is not None and relation.complete else None
    kind = column.type
    if kind is None or column.qualified or walk.types is None:
        return kind
    return walk.types.output(kind)


def _dot(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `namespace.f(x)` as a call, and `(row).field` as its row."""
    if isinstance(node.expression, exp.Anonymous):
        if walk.alias_key(node.this) in scope.relations:
            walk.facts.forms.append(FormUse(node, "call_on_relation"))
        return resolve_call(walk, node.expression, scope, qualified=True)
    resolve_expression(walk, node.this, scope)
    if isinstance(node.this, exp.Paren):
        walk.facts.forms.append(FormUse(node, "field_of_brackets"))
        if walk.traits.whole_row:
            resolve_field(walk, node.this.this, node.expression, scope)
    return None


def _binary(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk a chain of operators along its left spine without recursion: it may be long."""
    spine: list[exp.Expr] = []
    first: exp.Expr | None = node
    while first is not None and _HANDLERS.get(first.__class__) is _binary:
        spine.append(first)
        first = first.args.get("this")
    found = resolve_expression(walk, first, scope) if first is not None else None
    for operation in reversed(spine):
        left, right = sides = operation.this, operation.expression
        other = resolve_expression(walk, right, scope) if isinstance(right, exp.Expr) else None
        chain = CHAINS.get(operation.__class__)
        if chain is not None:
            if left.__class__ in CHAINS:
                walk.facts.forms.append(FormUse(operation, chain))
            if isinstance(right, exp.Expr):
                walk.facts.comparisons.append(sides)
                check_rows(walk, operation, sides)
        if walk.types is not None:
            found = walk.combine(operation, sides, found, other)
    return found


def _minus(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    found = resolve_expression(walk, node.this, scope)
    return walk.judge(node, walk.types.minus(found)) if walk.types is not None else None


def _not(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    found = resolve_expression(walk, node.this, scope)
    return walk.condition(found, node.this, what="NOT")


def _is(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `x IS NULL`, `x IS TRUE`, and the constants TRUE and FALSE."""
    for place, child in enumerate(children(node)):
        found = resolve_expression(walk, child, scope)
        if place == 0 and isinstance(node.args.get("expression"), exp.Boolean):
            walk.condition(found, child, what="IS")
    return walk.types.boolean if walk.types is not None else None


def _between(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    this = resolve_expression(walk, node.this, scope)
    for name in ("low", "high"):
        bound = node.args.get(name)
        if isinstance(bound, exp.Expr):
            other = resolve_expression(walk, bound, scope)
            walk.compare("BETWEEN", this, other, (node.this, bound))
            walk.facts.comparisons.append((node.this, bound))
    return walk.types.boolean if walk.types is not None else None


def _case(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk CASE: its conditions, and branches of one type."""
    operand = node.args.get("this")
    compared = resolve_expression(walk, operand, scope) if operand is not None else None
    types: list[Type] = []
    nodes: list[exp.Expr] = []
    for branch in node.args.get("ifs") or ():
        found = resolve_expression(walk, branch.this, scope)
        if operand is not None:
            walk.compare("=", compared, found, (operand, branch.this))
        else:
            walk.condition(found, branch.this, what="WHEN")
        result = branch.args.get("true")
        if result is not None:
            types.append(resolve_expression(walk, result, scope))
            nodes.append(result)
    default = node.args.get("default")
    if default is not None:
        types.insert(0, resolve_expression(walk, default, scope))
        nodes.insert(0, default)
    return walk.common(node, types, nodes, what="CASE")


def _cast(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    found = resolve_expression(walk, node.this, scope)
    to = node.args.get("to")
    if walk.types is None or to is None:
        return None
    return walk.judge(node, walk.types.cast(found, walk.types.named(to), node.this))


def _query(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk a subquery that is a value: it gives one column."""
    from sqlobs.check.analysis.queries import resolve_query

    relation = resolve_query(walk, node, scope)
    if relation.complete:
        walk.widths[id(node)] = len(relation.outputs)
    if isinstance(node, exp.Subquery) and not isinstance(node.parent, _ROWS):
        check_width(walk, node, relation, 1)
    return relation.outputs[0].type if len(relation.outputs) == 1 else None


def _in(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `x IN (…)`: each value is compared, a subquery is as wide as the left side."""
    from sqlobs.check.analysis.queries import resolve_query

    left = resolve_expression(walk, node.this, scope)
    for value in node.expressions:
        walk.compare("IN", left, resolve_expression(walk, value, scope), (node.this, value))
        walk.facts.comparisons.append((node.this, value))
    query = node.args.get("query")
    if not node.expressions and not any(map(node.args.get, ("query", "field", "unnest"))):
        walk.facts.forms.append(FormUse(node, "empty_in"))
    if query is not None:
        if is_limited(query):
            walk.facts.forms.append(FormUse(node, "limit_in_subquery"))
        relation = resolve_query(walk, query, scope)
        expected = len(node.this.expressions) if isinstance(node.this, exp.Tuple) else 1
        check_width(walk, query, relation, expected)
        if expected == len(relation.outputs) == 1:
            walk.compare("IN_QUERY", left, relation.outputs[0].type, (node.this, query))
    for name in ("field", "unnest"):
        if isinstance(node.args.get(name), exp.Expr):
            _in_without_brackets(walk, node, node.args[name], scope)
    return walk.types.boolean if walk.types is not None else None


def _in_without_brackets(walk: Walk, node: exp.Expr, value: exp.Expr, scope: Scope) -> None:
    """Walk `x IN y`: y is a table in SQLite, a list in DuckDB, and an error elsewhere."""
    from sqlobs.check.analysis.queries import resolve_query

    if walk.refuses("list_behind_in"):
        walk.facts.forms.append(FormUse(node, "in_without_brackets"))
    if not isinstance(value, exp.Column) or walk.refuses("in_without_brackets"):
        resolve_expression(walk, value, scope)
        return
    table = exp.Table(this=value.this.copy(), db=value.args.get("table"))
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))
    check_width(walk, node, resolve_query(walk, query, scope), 1)


def is_limited(query: exp.Expr) -> bool:
    """Say whether a query, or what its brackets hold, has a LIMIT."""
    while isinstance(query, exp.Subquery) and query.args.get("limit") is None:
        query = query.this
    return query.args.get("limit") is not None


def _inner_query(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk EXISTS, ANY, ALL and ARRAY(SELECT …): any number of columns."""
    from sqlobs.check.analysis.queries import resolve_query

    for child in children(node):
        if isinstance(child, exp.Query):
            relation = resolve_query(walk, child, scope)
            if relation.complete:
                walk.widths[id(node)] = len(relation.outputs)
        else:
            found = resolve_expression(walk, child, scope)
            if isinstance(node, (exp.Any, exp.All)) and walk.types is not None:
                is_query = isinstance(child.unnest(), exp.Query)
                return None if is_query else walk.judge(node, walk.types.element(found))
    if isinstance(node, exp.Exists) and walk.types is not None:
        return walk.types.boolean
    return None


def _array(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `ARRAY[a, b]`, whose elements have one type, or ARRAY(SELECT …)."""
    if any(isinstance(element, exp.Query) for element in node.expressions):
        return _inner_query(walk, node, scope)
    types = [resolve_expression(walk, element, scope) for element in node.expressions]
    walk.common(node, types, node.expressions, what="ARRAY")
    return None


def _value_only(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk the value of `name => value`; the name is the callee's."""
    if isinstance(node.expression, exp.Expr):
        return resolve_expression(walk, node.expression, scope)
    return None


def _lambda(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `f(payload -> 'a')`, which sqlglot takes for a lambda, as an operator of JSON."""
    if _LAMBDA in (walk.catalogue.refused if walk.catalogue is not None else ()):
        for parameter in node.expressions:
            resolve_column(walk, exp.Column(this=parameter.copy()), scope)
    return None


_LAMBDA: Final = "SELECT list_transform([1], x -> x)"


def _interval(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    if isinstance(node.this, exp.Expr):
        resolve_expression(walk, node.this, scope)
    return walk.types.constant(node) if walk.types is not None else None


def _filter(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `aggregate(…) FILTER (WHERE …)`: all of it belongs to the aggregate."""
    found = resolve_expression(walk, node.this, scope)
    if node.this.__class__ in {exp.Anonymous, exp.WithinGroup} or isinstance(
        node.this, exp.AggFunc
    ):
        level = walk.aggregates.get(id(node.this))
        if level is not None:
            walk.aggregates[id(node)] = level
    resolve_expression(walk, node.expression, scope)
    return found


CHAINS: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "equality_chain",
    exp.NEQ: "equality_chain",
    exp.LT: "comparison_chain",
    exp.LTE: "comparison_chain",
    exp.GT: "comparison_chain",
    exp.GTE: "comparison_chain",
}
"""Comparisons, with the form that a comparison of their result is."""

_ROWS = (exp.EQ, exp.NEQ, exp.LT, exp.GT, exp.LTE, exp.GTE, exp.Any, exp.All, exp.Tuple)
"""Where a subquery may stand for a row of several values."""

_HANDLERS: dict[type[exp.Expr], Handler] = {
    exp.Column: _column,
    exp.Anonymous: resolve_call,
    exp.Window: resolve_window,
    exp.Filter: _filter,
    exp.WithinGroup: resolve_within_group,
    exp.Dot: _dot,
    exp.Paren: _first,
    exp.Alias: _alias,
    exp.Ordered: _first,
    exp.Neg: _minus,
    exp.Not: _not,
    exp.Is: _is,
    exp.Between: _between,
    exp.Case: _case,
    exp.In: _in,
    exp.Exists: _inner_query,
    exp.Any: _inner_query,
    exp.All: _inner_query,
    exp.Array: _array,
    exp.Select: _query,
    exp.Subquery: _query,
    exp.Union: _query,
    exp.Intersect: _query,
    exp.Except: _query,
    exp.Values: _query,
    exp.Literal: _literal,
    exp.Null: _literal,
    exp.Boolean: _is,
    exp.Star: _nothing,
    exp.Identifier: _nothing,
    exp.Var: _literal,
    exp.DataType: _nothing,
    exp.Placeholder: _nothing,
    exp.Parameter: _nothing,
    exp.Lambda: _lambda,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Interval: _interval,
    exp.Kwarg: _value_only,
    exp.PropertyEQ: _value_only,
}
"""By class of node; what has no entry gets one at its first appearance."""
