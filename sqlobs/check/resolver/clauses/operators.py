"""Resolves operators and comparisons, and judges the types of their sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Conditions, Operators
from sqlobs.check.resolver.clauses.widths import ROWS, check_rows, compare_rows
from sqlobs.check.resolver.model.state import OPERATORS
from sqlobs.check.resolver.model.tree import children, is_quantifier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.check.forms import Form
    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import ExpressionResolver, ResolverState, Sides
    from sqlobs.check.types.system import Type

TIGHT: Final[frozenset[type[exp.Expr]]] = frozenset(
    {exp.JSONExtract, exp.JSONExtractScalar, exp.DPipe, exp.Add, exp.Sub}
)
"""Operators that bind tighter than a comparison, among them the arrow as most engines read it."""


def check_arrow(state: ResolverState, left: exp.Expr) -> None:
    """Record an arrow without parentheses on the left side of a condition."""
    if not state.refuses(Operators.condition_after_arrow):
        return
    part: exp.Expr | None = left
    while part is not None and part.__class__ in TIGHT:
        if part.__class__ is exp.JSONExtract:
            fault = "-> binds weaker than what follows: it needs brackets around it."
            state.add_type_fault(part.expression, fault)
            return
        part = part.args.get("this")


def _binary(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a chain of operators along its left spine without recursion: it may be long."""
    spine: list[exp.Expr] = []
    first: exp.Expr | None = node
    while first is not None and state.resolver_of(first) is _binary:
        spine.append(first)
        first = first.args.get("this")
    found = state.expression(first, scope) if first is not None else None
    for operation in reversed(spine):
        left, right = sides = operation.this, operation.expression
        other = state.expression(right, scope) if isinstance(right, exp.Expr) else None
        if left.__class__ in _NOTABLE or right.__class__ in ROWS:
            _check_sides(state, operation, sides)
        if operation.__class__ in CHAINS and isinstance(right, exp.Expr):
            if left.__class__ in CHAINS and not is_quantifier(left.expression):
                state.add_form(operation, CHAINS[operation.__class__])
            state.resolution.comparisons.append(sides)
            if state.rows:
                compare_rows(state, OPERATORS[operation.__class__], sides)
        if state.types is not None:
            found = state.combine(operation, sides, found, other)
    return found


def _check_sides(state: ResolverState, operation: exp.Expr, sides: Sides) -> None:
    """Record operands that are not allowed: rows, and arrows before a condition."""
    (left, right), kind = sides, operation.__class__
    if kind not in TIGHT:
        check_arrow(state, left)
    if kind in _PATTERNS and right.__class__ is exp.Tuple and state.follows_defaults:
        fault = "LIKE takes one pattern, no row of them."  # `x LIKE ('a%', 'b%')`
        state.add_type_fault(operation, fault)
    is_of_rows = left.__class__ in ROWS or right.__class__ in ROWS
    if is_of_rows and kind in CHAINS and isinstance(right, exp.Expr):
        check_rows(state, operation, sides)


_PATTERNS: Final = frozenset({exp.Like, exp.ILike})


def _overlaps(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `(a, b) OVERLAPS (c, d)`, a call of four arguments."""
    sides = (node.this, node.expression)
    for side in sides:
        state.expression(side, scope)
    types = [kind for side in sides for kind in state.rows.get(id(side), ())]
    if state.types is None or len(types) != _OVERLAPPING:
        return None
    nodes = [value for side in sides for value in side.expressions]
    return state.judge(node, state.types.call("overlaps", types, nodes))


_OVERLAPPING: Final = 4


def _minus(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    found = state.expression(node.this, scope)
    return state.judge(node, state.types.minus(found)) if state.types is not None else None


def _not(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    found = state.expression(node.this, scope)
    return state.condition(found, node.this, what="NOT")


def _is(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `x IS NULL`, `x IS TRUE`, and the constants TRUE and FALSE."""
    check_arrow(state, node.this)
    for place, child in enumerate(children(node)):
        found = state.expression(child, scope)
        if place == 0 and isinstance(node.args.get("expression"), exp.Boolean):
            state.condition(found, child, what="IS")
    return state.types.boolean if state.types is not None else None


def _between(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    this = state.expression(node.this, scope)
    check_arrow(state, node.this)
    for name in ("low", "high"):
        bound = node.args.get(name)
        if isinstance(bound, exp.Expr):
            other = state.expression(bound, scope)
            state.compare("BETWEEN", this, other, (node.this, bound))
            state.resolution.comparisons.append((node.this, bound))
            if name == "low" and state.types is not None:
                this = state.types.beside(this, other)
    return state.types.boolean if state.types is not None else None


def _case(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve CASE: its conditions, and branches of one type."""
    operand = node.args.get("this")
    compared = state.expression(operand, scope) if operand is not None else None
    if compared is not None and state.types is not None:
        compared = state.types.output(compared)
    types: list[Type] = []
    nodes: list[exp.Expr] = []
    for branch in node.args.get("ifs") or ():
        found = state.expression(branch.this, scope)
        if operand is not None:
            state.compare("=", compared, found, (operand, branch.this))
        else:
            state.condition(found, branch.this, what="WHEN")
        result = branch.args.get("true")
        if result is not None:
            types.append(state.expression(result, scope))
            nodes.append(result)
    default = node.args.get("default")
    if default is not None:
        types.insert(0, state.expression(default, scope))
        nodes.insert(0, default)
    return state.common(node, types, nodes, what="CASE")


CHAINS: Final[dict[type[exp.Expr], Form]] = {
    exp.EQ: Conditions.equality_chain,
    exp.NEQ: Conditions.equality_chain,
    exp.LT: Conditions.comparison_chain,
    exp.LTE: Conditions.comparison_chain,
    exp.GT: Conditions.comparison_chain,
    exp.GTE: Conditions.comparison_chain,
}
"""Comparisons, with the form that a comparison of their result is."""

_NOTABLE: Final = ROWS | TIGHT
"""What is looked at where it stands to the left of an operator."""


RESOLVERS: Final[Mapping[type[exp.Expr], ExpressionResolver]] = {
    exp.Binary: _binary,
    exp.Corr: _binary,
    exp.Neg: _minus,
    exp.Overlaps: _overlaps,
    exp.Not: _not,
    exp.Is: _is,
    exp.Boolean: _is,
    exp.Between: _between,
    exp.Case: _case,
}
