"""Resolves GROUP BY, whose terms may be positions and aliases of the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.forms import Grouping
from sqlobs.check.resolver.clauses.ordering import is_bare_alias, note_constant
from sqlobs.check.resolver.clauses.widths import check_ordinals
from sqlobs.check.resolver.model.scope import note_listed
from sqlobs.check.resolver.model.tree import GROUPING_SETS, children
from sqlobs.check.resolver.names.outputs import items_by_name
from sqlobs.check.types.literals import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.check.resolver.model.resolution import ColumnUse
    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import ResolverState


def resolve_grouping(state: ResolverState, node: exp.Expr, scope: Scope, width: int | None) -> None:
    """Resolve GROUP BY."""
    if not any(node.args.values()):
        state.add_form(node, Grouping.group_without_list)
    if node.args.get("all") and not node.expressions:
        state.add_form(node, Grouping.group_by_all)
        if scope.unnested:
            state.add_aggregate_fault(
                node, "unnest", "scalar", "a list that GROUP BY ALL groups by"
            )
    check_ordinals(state, node.expressions, width)
    scope.clause = "group"
    for item in node.expressions:
        if isinstance(item, exp.Tuple):
            state.add_form(item, Grouping.row_in_group)
    _check_grouped_places(state, node, scope)
    for item in _terms(node):
        note_constant(state, item, "group")
    used = len(state.resolution.columns)
    for item in children(node):
        if not is_bare_alias(state, item.unnest(), scope):
            found = state.expression(item, scope)
            state.compare("=", found, found, (item, item))
    if state.traits.having_needs_list:
        _note_grouped(state, node, scope, used)


def _note_grouped(state: ResolverState, node: exp.Expr, scope: Scope, used: int) -> None:
    """Let HAVING see the columns that are grouped, but for those that the SELECT list names."""
    grouped: dict[str, ColumnUse | None] = {}
    for use in state.resolution.columns[used:]:
        if use.level is scope and use.node.parent is node:
            note_listed(grouped, state.output_key(use.column.name), use)
    scope.listed = grouped | scope.listed


def _terms(group: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the terms of GROUP BY, those in rows and in ROLLUP, CUBE and GROUPING SETS, too."""
    waiting = list(children(group))
    while waiting:
        term = waiting.pop()
        if isinstance(term, (exp.Tuple, *GROUPING_SETS)):
            waiting += term.expressions
        else:
            yield term


def _check_grouped_places(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Record terms of GROUP BY that stand for aggregates or window functions of the list."""
    if not (scope.aggregates or scope.windows) or not state.refuses(Grouping.ordinal_of_aggregate):
        return
    items = node.parent.expressions if node.parent is not None else []
    named = items_by_name(state, items) if scope.computed else {}
    for term in node.expressions:
        found: list[exp.Expr] = []
        position = term.unnest()
        if isinstance(position, exp.Literal) and str(position.this).isdecimal():
            place = whole(position.this)
            found = items[place - 1 : place]
        elif named and is_bare_alias(state, term, scope):
            found = named.pop(state.column_key(term.this), [])  # told once
        for item in found:
            _check_grouped_item(state, item, scope)


def _check_grouped_item(state: ResolverState, item: exp.Expr, scope: Scope) -> None:
    """Record the aggregates and window functions of an item that a query is grouped by."""
    for call in item.find_all(exp.Window, exp.Anonymous, exp.AggFunc, exp.WithinGroup):
        if isinstance(call, exp.Window):
            state.add_aggregate_fault(call.this, call.this.name, "window", "GROUP BY")
        elif state.aggregates.get(id(call)) is scope:
            named = call.this if isinstance(call, exp.WithinGroup) else call
            name = named.name if isinstance(named, exp.Anonymous) else named.key.upper()
            state.add_aggregate_fault(call, name, "aggregate", "GROUP BY")


@dataclass(slots=True)
class _Item:
    """What an item of the list is made of."""

    has_aggregate: bool = False
    column: exp.Expr | None = None
    """The first one outside of its aggregates."""
    window: exp.Expr | None = None

    def add(self, other: _Item) -> None:
        """Take in what another item is made of, by its alias."""
        self.has_aggregate = self.has_aggregate or other.has_aggregate
        self.column = self.column or other.column
        self.window = self.window or other.window


def groups_by_all(state: ResolverState, group: exp.Expr) -> bool:
    """Say whether a GROUP BY is `GROUP BY ALL`, or `GROUP BY *` where that is the same."""
    if group.args.get("all"):
        return True
    terms = group.expressions
    is_star = len(terms) == 1 and isinstance(terms[0], exp.Star)
    return is_star and state.knowledge.accepts(Grouping.group_by_star) is Answer.YES


def items_of_all(
    state: ResolverState, node: exp.Expr, scope: Scope, uses: Mapping[int, ColumnUse]
) -> list[exp.Expr]:
    """Return the items that GROUP BY ALL groups by; record those that it does not take.

    An item is grouped by or aggregated, never both, and no window function is grouped by.
    """
    if (qualify := node.args.get("qualify")) is not None:
        state.add_form(qualify, Grouping.qualify_of_group_by_all)
    known: dict[str, _Item] = {}
    grouped = []
    for expression in node.expressions:
        value = expression.unalias()
        item = _read(state, value, scope, uses, known)
        if value is not expression:
            known.setdefault(state.column_key(expression.args["alias"]), item)
        if item.column is None:
            continue
        if item.has_aggregate:
            state.add_grouping_fault(item.column, item.column.name)
        elif item.window is not None:
            state.add_aggregate_fault(item.window, item.window.this.name, "window", "GROUP BY ALL")
        else:
            grouped.append(value)
    return grouped


def _read(
    state: ResolverState,
    value: exp.Expr,
    scope: Scope,
    uses: Mapping[int, ColumnUse],
    known: Mapping[str, _Item],
) -> _Item:
    """Tell what an item is made of; an alias stands for the item before it that has it."""
    item, waiting = _Item(), [value]
    while waiting:
        part = waiting.pop()
        if state.aggregates.get(id(part)) is scope:
            item.has_aggregate = True
        elif id(part) in uses:
            item.column = item.column or part
        elif isinstance(part, exp.Query):
            inner = (column for column in part.find_all(exp.Column) if id(column) in uses)
            item.column = item.column or next(inner, None)
        elif isinstance(part, exp.Column):
            if part.args.get("table") is None and isinstance(part.this, exp.Identifier):
                item.add(known.get(state.column_key(part.this), _Item()))
        else:
            if isinstance(part, exp.Window):
                item.window = part
            waiting += children(part)
    return item
