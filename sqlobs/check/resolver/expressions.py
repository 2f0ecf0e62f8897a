"""Walks expressions: resolves columns, records calls, descends into subqueries, infers types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.arguments import resolve_arguments
from sqlobs.check.resolver.arrows import TIGHT, check_arrow
from sqlobs.check.resolver.calls import (
    check_namespace,
    is_quantifier,
    level_of,
    resolve_aggregate,
    resolve_call,
    resolve_filter,
    resolve_within_group,
)
from sqlobs.check.resolver.columns import field_type, resolve_column, resolve_field
from sqlobs.check.resolver.lambdas import resolve_comprehension, resolve_lambda
from sqlobs.check.resolver.resolution import FormUse, TypeFault
from sqlobs.check.resolver.state import OPERATORS
from sqlobs.check.resolver.subqueries import (
    compare_rows,
    resolve_array,
    resolve_in,
    resolve_inner_query,
    resolve_row,
    resolve_value_query,
)
from sqlobs.check.resolver.tree import children
from sqlobs.check.resolver.values import row_named
from sqlobs.check.resolver.widths import ROWS, check_rows
from sqlobs.check.resolver.windows import resolve_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Sides, Walk
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


def _parameter(walk: Walk, node: exp.Expr, _scope: Scope) -> Type:
    """Read a bare identifier: the parameter of a lambda, or a name that is the parent's."""
    return walk.bound.get(node.name.lower()) if walk.bound else None


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
        if walk.catalogue is not None:
            check_namespace(walk, node, scope)
        return resolve_call(walk, node.expression, scope, qualified=True)
    found = resolve_expression(walk, node.this, scope)
    if isinstance(node.this, exp.Paren):
        walk.facts.forms.append(FormUse(node, "field_of_brackets"))
        if walk.traits.whole_row:
            resolve_field(walk, node.this.this, node.expression, scope)
    if isinstance(node.expression, exp.Identifier):
        return field_type(walk, found, node.this.name, [node.expression], scope)
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
        if left.__class__ in _NOTABLE or right.__class__ in ROWS:
            _check_sides(walk, operation, sides)
        if operation.__class__ in CHAINS and isinstance(right, exp.Expr):
            if left.__class__ in CHAINS and not is_quantifier(left.expression):
                walk.facts.forms.append(FormUse(operation, CHAINS[operation.__class__]))
            walk.facts.comparisons.append(sides)
            if walk.rows:
                compare_rows(walk, OPERATORS[operation.__class__], sides)
        if walk.types is not None:
            found = walk.combine(operation, sides, found, other)
    return found


def _check_sides(walk: Walk, operation: exp.Expr, sides: Sides) -> None:
    """Record what may not stand beside an operator: rows, and arrows before a condition."""
    (left, right), kind = sides, operation.__class__
    if kind not in TIGHT:
        check_arrow(walk, left)
    if kind in _PATTERNS and right.__class__ is exp.Tuple and walk.catalogue is not None:
        fault = "LIKE takes one pattern, no row of them."  # `x LIKE ('a%', 'b%')`
        walk.facts.type_faults.append(TypeFault(operation, fault))
    is_of_rows = left.__class__ in ROWS or right.__class__ in ROWS
    if is_of_rows and kind in CHAINS and isinstance(right, exp.Expr):
        check_rows(walk, operation, sides)


_PATTERNS: Final = frozenset({exp.Like, exp.ILike})


def _collate(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `x COLLATE nocase.noaccent`: what stands behind the word is no column."""
    return resolve_expression(walk, node.this, scope)


def _json_object(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `JSON_OBJECT(a, b)`: without the standard's form of it, PostgreSQL has a function."""
    nodes = [part for pair in children(node) for part in children(pair)]
    types = [resolve_expression(walk, part, scope) for part in nodes]
    named = walk.types.rewritten(node) if walk.types is not None else None
    if walk.types is None or named is None or not walk.refuses("json_object_with_colon"):
        return None
    return walk.judge(node, walk.types.call(named[0], types, nodes))


def _json_aggregate(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk Oracle's `JSON_ARRAYAGG(a RETURNING CLOB)`, whose type is read as a column."""
    kind = node.args.get("return_type")
    if not kind:
        return resolve_aggregate(walk, node, scope)
    for child in children(node):
        if child is not kind:
            resolve_expression(walk, child, scope)
    return None


def _overlaps(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `(a, b) OVERLAPS (c, d)`, a call of four arguments."""
    sides = (node.this, node.expression)
    for side in sides:
        resolve_expression(walk, side, scope)
    types = [kind for side in sides for kind in walk.rows.get(id(side), ())]
    if walk.types is None or len(types) != _OVERLAPPING:
        return None
    nodes = [value for side in sides for value in side.expressions]
    return walk.judge(node, walk.types.call("overlaps", types, nodes))


_OVERLAPPING: Final = 4


def _minus(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    found = resolve_expression(walk, node.this, scope)
    return walk.judge(node, walk.types.minus(found)) if walk.types is not None else None


def _not(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    found = resolve_expression(walk, node.this, scope)
    return walk.condition(found, node.this, what="NOT")


def _is(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `x IS NULL`, `x IS TRUE`, and the constants TRUE and FALSE."""
    check_arrow(walk, node.this)
    for place, child in enumerate(children(node)):
        found = resolve_expression(walk, child, scope)
        if place == 0 and isinstance(node.args.get("expression"), exp.Boolean):
            walk.condition(found, child, what="IS")
    return walk.types.boolean if walk.types is not None else None


def _between(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    this = resolve_expression(walk, node.this, scope)
    check_arrow(walk, node.this)
    for name in ("low", "high"):
        bound = node.args.get(name)
        if isinstance(bound, exp.Expr):
            other = resolve_expression(walk, bound, scope)
            walk.compare("BETWEEN", this, other, (node.this, bound))
            walk.facts.comparisons.append((node.this, bound))
            if name == "low" and walk.types is not None:
                this = walk.types.beside(this, other)
    return walk.types.boolean if walk.types is not None else None


def _case(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk CASE: its conditions, and branches of one type."""
    operand = node.args.get("this")
    compared = resolve_expression(walk, operand, scope) if operand is not None else None
    if compared is not None and walk.types is not None:
        compared = walk.types.output(compared)
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


def _value_only(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk the value of `name => value`; the name is the callee's."""
    if isinstance(node.expression, exp.Expr):
        return resolve_expression(walk, node.expression, scope)
    return None


def _bracket(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `array[1]`, an element, or `array[1:2]`."""
    found = resolve_expression(walk, node.this, scope)
    for index in node.expressions:
        resolve_expression(walk, index, scope)
    return walk.judge(node, walk.types.item(found, node.expressions)) if walk.types else None


def _interval(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    if walk.refuses("interval"):
        walk.facts.forms.append(FormUse(node, "interval"))
    if isinstance(node.this, exp.Expr):
        resolve_expression(walk, node.this, scope)
    return walk.types.constant(node) if walk.types is not None else None


def _filter(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `aggregate(…) FILTER (WHERE …)`: all of it belongs to the aggregate."""
    used = len(walk.facts.columns)
    found = resolve_expression(walk, node.this, scope)
    resolve_filter(walk, node, scope)
    level = walk.aggregates.get(id(node.this))
    if level is not None:
        level.aggregates -= 1
        level = level_of(walk, scope, used)
        level.aggregates += 1
        walk.aggregates[id(node)] = walk.aggregates[id(node.this)] = level
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
_NOTABLE: Final = ROWS | TIGHT
"""What is looked at where it stands to the left of an operator."""


_HANDLERS: dict[type[exp.Expr], Handler] = {
    exp.Column: _column,
    exp.Anonymous: resolve_call,
    exp.Window: resolve_window,
    exp.Filter: _filter,
    exp.WithinGroup: resolve_within_group,
    exp.Dot: _dot,
    exp.Paren: _first,
    exp.Tuple: resolve_row,
    exp.Alias: _alias,
    exp.Order: _first,
    exp.Ordered: _first,
    exp.Neg: _minus,
    exp.Overlaps: _overlaps,
    exp.Collate: _collate,
    exp.JSONObject: _json_object,
    exp.JSONArrayAgg: _json_aggregate,
    exp.JSONObjectAgg: _json_aggregate,
    exp.Not: _not,
    exp.Is: _is,
    exp.Between: _between,
    exp.Case: _case,
    exp.In: resolve_in,
    exp.Exists: resolve_inner_query,
    exp.Any: resolve_inner_query,
    exp.All: resolve_inner_query,
    exp.Array: resolve_array,
    exp.Select: resolve_value_query,
    exp.Subquery: resolve_value_query,
    exp.Union: resolve_value_query,
    exp.Intersect: resolve_value_query,
    exp.Except: resolve_value_query,
    exp.Values: resolve_value_query,
    exp.Literal: _literal,
    exp.Null: _literal,
    exp.Boolean: _is,
    exp.Star: _nothing,
    exp.Identifier: _parameter,
    exp.Var: _literal,
    exp.DataType: _nothing,
    exp.NextValueFor: _nothing,
    exp.SemanticView: _nothing,  # its names are those of a view that no schema describes
    exp.Placeholder: _nothing,
    exp.Parameter: _nothing,
    exp.Lambda: resolve_lambda,
    exp.Comprehension: resolve_comprehension,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Interval: _interval,
    exp.Bracket: _bracket,
    exp.Kwarg: _value_only,
    exp.PropertyEQ: _value_only,
}
"""By class of node; what has no entry gets one at its first appearance."""
