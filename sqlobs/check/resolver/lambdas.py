"""Walks lambdas and list comprehensions, whose parameters are names of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.columns import resolve_column
from sqlobs.check.resolver.scope import Relation, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.resolver.state import Walk
    from sqlobs.check.types.system import Type

_ARROW: Final = "SELECT list_transform([1], x -> x)"


def resolve_lambda(walk: Walk, node: exp.Expr, scope: Scope, items: Sequence[Type] = ()) -> Type:
    """Walk `lambda x: …`, or `f(payload -> 'a')`, which sqlglot takes for a lambda.

    Args:
        walk: the state of the walk.
        node: the lambda; in its body, sqlglot has bare identifiers for its parameters.
        scope: the query that it stands in.
        items: the types of its parameters, as far as they are known.

    Returns:
        The type of its value; None: not known.
    """
    from sqlobs.check.resolver.expressions import resolve_expression

    if walk.catalogue is None or _has_keyword(walk, node):
        outer = walk.bound
        names = [parameter.name.lower() for parameter in node.expressions]
        known = [*items, *[None] * len(names)]
        walk.bound = {**outer, **dict(zip(names, known, strict=False))}
        found = resolve_expression(walk, node.this, scope)
        walk.bound = outer
        return found
    return _arrow(walk, node, scope) if walk.refuses(_ARROW) else None


def _arrow(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `payload -> 'a' ->> 'b'`, whose first arrow sqlglot puts around the others."""
    from sqlobs.check.resolver.expressions import resolve_expression

    found: Type = None
    for parameter in node.expressions:
        column = resolve_column(walk, exp.Column(this=parameter.copy()), scope)
        found = walk.given(column) if column is not None else None
    arrows: list[exp.Expr] = []
    key = node.this
    while isinstance(key, (exp.JSONExtract, exp.JSONExtractScalar)):
        arrows.append(key)
        key = key.this
    if walk.types is None or len(node.expressions) != 1 or not isinstance(key, exp.Literal):
        return None
    sides = (node.expressions[0], key)
    found = walk.judge(node, walk.types.operator("->", found, walk.types.literal(key), sides))
    for arrow in reversed(arrows):
        other = resolve_expression(walk, arrow.expression, scope)
        found = walk.combine(arrow, (arrow.this, arrow.expression), found, other)
    return found


def _has_keyword(walk: Walk, node: exp.Expr) -> bool:
    """Say whether a lambda is written with its word, not with an arrow."""
    start = node.expressions[0].meta.get("start") if node.expressions else None
    return start is not None and walk.sql[:start].rstrip()[-6:].lower() == "lambda"


def resolve_comprehension(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `x + 1 FOR x IN list IF x > 1`, the inside of a list."""
    from sqlobs.check.resolver.expressions import resolve_expression

    found = resolve_expression(walk, node.args["iterator"], scope)
    item = walk.judge(node, walk.types.element(found)) if walk.types is not None else None
    inner = Scope(scope)
    inner.clause, inner.inside_aggregate = scope.clause, scope.inside_aggregate
    named = [(node.expression, item), (node.args.get("position"), None)]
    columns = {
        walk.column_key(name): PreparedColumn(name.name, kind)
        for name, kind in named
        if isinstance(name, exp.Identifier)
    }
    inner.relations["\0"] = Relation("", columns)
    result = resolve_expression(walk, node.this, inner)
    condition = node.args.get("condition")
    if condition is not None:
        walk.condition(resolve_expression(walk, condition, inner), condition, what="IF")
    return result
