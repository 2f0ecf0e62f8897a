"""Walks expressions: resolves columns, records calls, descends into subqueries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.analysis.columns import resolve_column
from sqlobs.check.analysis.facts import CallUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlobs.check.analysis.scope import Scope
    from sqlobs.check.analysis.walk import Walk


def resolve_expression(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Resolve everything below an expression."""
    handler = _HANDLERS.get(node.__class__)
    if handler is not None:
        handler(walk, node, scope)
    elif isinstance(node, exp.Binary):
        _binary(walk, node, scope)
    else:
        _children(walk, node, scope)


def children(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the direct children of a node, in order of its arguments."""
    for value in node.args.values():
        if value.__class__ is list:
            for item in value:
                if isinstance(item, exp.Expr):
                    yield item
        elif isinstance(value, exp.Expr):
            yield value


def _children(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    for child in children(node):
        resolve_expression(walk, child, scope)


def _nothing(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Leave a leaf that names nothing."""


def _column(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    if isinstance(node, exp.Column):
        resolve_column(walk, node, scope)


def _call(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    walk.facts.calls.append(CallUse(node, node.name, len(node.expressions)))
    for argument in node.expressions:
        resolve_expression(walk, argument, scope)


def _binary(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Walk a chain of operators along its left spine without recursion: it may be long."""
    right: list[exp.Expr] = []
    while isinstance(node, exp.Binary) and node.__class__ not in _HANDLERS:
        if isinstance(node.expression, exp.Expr):
            right.append(node.expression)
        node = node.this
    if isinstance(node, exp.Expr):
        resolve_expression(walk, node, scope)
    for operand in reversed(right):
        resolve_expression(walk, operand, scope)


def _query(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    from sqlobs.check.analysis.queries import resolve_query

    resolve_query(walk, node, scope)


def _first_only(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    resolve_expression(walk, node.this, scope)


def _value_only(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Walk the value of `name => value`; the name is the callee's."""
    if isinstance(node.expression, exp.Expr):
        resolve_expression(walk, node.expression, scope)


def _lambda(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Leave the body of `x -> …` alone: its names are its parameters, mostly."""


def _interval(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    if isinstance(node.this, exp.Expr):
        resolve_expression(walk, node.this, scope)


_HANDLERS: dict[type[exp.Expr], Callable[[Walk, exp.Expr, Scope], None]] = {
    exp.Column: _column,
    exp.Anonymous: _call,
    exp.Select: _query,
    exp.Subquery: _query,
    exp.Union: _query,
    exp.Intersect: _query,
    exp.Except: _query,
    exp.Values: _query,
    exp.Literal: _nothing,
    exp.Star: _nothing,
    exp.Identifier: _nothing,
    exp.Var: _nothing,
    exp.Null: _nothing,
    exp.Boolean: _nothing,
    exp.DataType: _nothing,
    exp.Placeholder: _nothing,
    exp.Parameter: _nothing,
    exp.Cast: _first_only,
    exp.TryCast: _first_only,
    exp.Interval: _interval,
    exp.Kwarg: _value_only,
    exp.PropertyEQ: _value_only,
    exp.Lambda: _lambda,
}
