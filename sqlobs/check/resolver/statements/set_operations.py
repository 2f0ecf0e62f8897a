"""Resolves UNION, INTERSECT and EXCEPT: widths, common types, and the ORDER BY behind them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.forms import SetOperations
from sqlobs.check.resolver.clauses.ordering import refuse_aggregates, resolve_limits, resolve_order
from sqlobs.check.resolver.clauses.widths import check_width
from sqlobs.check.resolver.model.scope import Scope
from sqlobs.check.resolver.model.tree import is_same
from sqlobs.check.resolver.names.outputs import collect
from sqlobs.check.resolver.statements.ctes import check_lengths, with_scope

if TYPE_CHECKING:
    from sqlobs.check.engine.prepared_schema import PreparedColumn
    from sqlobs.check.resolver.model.scope import Relation
    from sqlobs.check.resolver.model.state import ResolverState


def resolve_set_operation(state: ResolverState, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a chain of set operations along its left spine without recursion."""
    scope = with_scope(state, node, outer)
    spine: list[exp.Expr] = [node]
    first = node.this
    while isinstance(first, exp.SetOperation) and first.args.get("with_") is None:
        spine.append(first)
        first = first.this
    relation = state.query(first, scope)
    own = state.recursive.get(id(node)) if state.recursive else None
    if own is not None:
        _give_types(own, relation)
    if _is_in_brackets(first):
        state.add_form(first, SetOperations.first_set_operand_in_parentheses)
    names = dict(relation.columns)
    for operation in reversed(spine):
        right = state.query(operation.expression, scope)
        names = {**right.columns, **names}
        if _is_in_brackets(operation.expression):
            state.add_form(operation.expression, SetOperations.set_operand_in_parentheses)
        if relation.complete and right.complete and not operation.args.get("by_name"):
            check_width(state, operation.expression, right, len(relation.outputs))
            relation = _matched_types(state, operation, relation, right)
    if own is not None:
        _check_recursive_types(state, node, own, relation)
    for operation in spine:
        resolve_order_of_outputs(state, operation, relation, scope, names)
    return relation


def _is_in_brackets(operand: exp.Expr) -> bool:
    """Say whether parentheses stand around an operand.

    sqlglot also puts what an INTERSECT binds into a subquery; that one the parser has not read.
    """
    return isinstance(operand, exp.Subquery) and "pivots" in operand.args


def _give_types(own: Relation, first: Relation) -> None:
    """Give what a recursive CTE is to itself the types of its first query."""
    if len(own.outputs) != len(first.outputs) or not first.complete:
        return
    typed = {
        id(column): replace(column, type=other.type)
        for column, other in zip(own.outputs, first.outputs, strict=True)
    }
    own.outputs = [typed[id(column)] for column in own.outputs]
    own.columns = {key: typed.get(id(column), column) for key, column in own.columns.items()}


def _check_recursive_types(
    state: ResolverState, node: exp.Expr, own: Relation, whole: Relation
) -> None:
    """Record a column to which the recursive part gives another type than the first query."""
    if state.types is None or len(own.outputs) != len(whole.outputs):
        return
    for column, other in zip(own.outputs, whole.outputs, strict=True):
        if column.type is not None and other.type is not None:
            state.judge(node, state.types.recursion(column.type, other.type))
    if state.types.fixes_lengths:
        check_lengths(state, node)


def _matched_types(
    state: ResolverState, node: exp.Expr, left: Relation, right: Relation
) -> Relation:
    """Give the outputs of a set operation the common types of its sides."""
    if state.types is None or len(left.outputs) != len(right.outputs):
        return left
    width, what, outputs = len(left.outputs), node.key.upper(), []
    firsts, seconds = items_of(node.this, width), items_of(node.expression, width)
    for column, other, *pair in zip(left.outputs, right.outputs, firsts, seconds, strict=True):
        found = state.common(node, (column.type, other.type), pair, what=what)
        if node.args.get("distinct"):
            state.compare("=", found, found, (node, node))
        outputs.append(replace(column, type=found))
    return collect(state, outputs, complete=True)


def items_of(query: exp.Expr, width: int) -> list[exp.Expr]:
    """Return the items of an operand's list without names; itself, where they are not told."""
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or len(query.expressions) != width:
        return [query] * width
    return [item.unalias() for item in query.expressions]


def resolve_order_of_outputs(
    state: ResolverState,
    node: exp.Expr,
    relation: Relation,
    outer: Scope,
    names: dict[str, PreparedColumn] | None = None,
) -> None:
    """Resolve ORDER BY and LIMIT behind a set operation: they see its outputs only.

    Args:
        state: the state of the statement.
        node: the set operation, or a query in parentheses.
        relation: what it gives.
        outer: the scope around it.
        names: the outputs of all its operands, which some engines see.
    """
    scope = Scope(outer)
    scope.relations[""] = relation.renamed("")
    if names is not None and not state.refuses(SetOperations.order_by_name_of_last_operand):
        scope.aliases = names
    width = len(relation.outputs) if relation.complete else None
    order = node.args.get("order")
    listed: tuple[exp.Expr, ...] = ()
    if order is not None and isinstance(node, exp.SetOperation):
        listed = _check_order_of_set(state, node, order)
    resolve_order(state, order, scope, width, listed=listed)
    if order is not None and scope.aggregates:
        refuse_aggregates(state, order, scope, "ORDER BY of a set operation")
    resolve_limits(state, node, scope)


def _check_order_of_set(
    state: ResolverState, node: exp.Expr, order: exp.Expr
) -> tuple[exp.Expr, ...]:
    """Record expressions in ORDER BY of a set operation; return those that its lists hold."""
    takes_any = not state.refuses(SetOperations.expression_in_order_of_set)
    knows_lists = not state.refuses(SetOperations.selected_expression_in_order_of_set)
    listed = []
    for item in order.expressions:
        term = item.this if isinstance(item, exp.Ordered) else item
        if knows_lists and isinstance(term, exp.Collate):
            term = term.this
        is_text = isinstance(term, exp.Literal) and term.is_string
        if knows_lists and _is_listed(term, node):
            listed.append(item)
        elif isinstance(term, exp.Column) or term.is_int:
            continue
        elif not takes_any and not is_text:
            state.add_form(term, SetOperations.expression_in_order_of_set)
    return tuple(listed)


def _is_listed(term: exp.Expr, node: exp.Expr) -> bool:
    waiting = [node]
    while waiting:
        query = waiting.pop()
        if isinstance(query, exp.SetOperation):
            waiting += [query.this, query.expression]
        elif any(is_same(item.unalias(), term) for item in query.expressions):
            return True
    return False
