"""Walks window functions: what stands before OVER, and the window behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms.probes import FRAMED_WINDOWS, UNORDERED_WINDOWS
from sqlobs.check.resolver.arguments import argument_count, resolve_arguments
from sqlobs.check.resolver.calls import note_call, resolve_filter
from sqlobs.check.resolver.frames import resolve_frame
from sqlobs.check.resolver.resolution import AggregateFault, CallUse, ColumnFault, FormUse
from sqlobs.check.resolver.scope import FILTERING
from sqlobs.check.resolver.tree import children

if TYPE_CHECKING:
    from sqlobs.check.engine.catalog import Kind
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk
    from sqlobs.check.types.system import Type


_NEVER_FILTERED: Final = frozenset({"window", "hypothetical"})
_ORDERED: Final = frozenset({"ordered"})
_NEVER_OVER: Final = frozenset({"scalar", "hypothetical"})


def resolve_window(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk a window function: no aggregate itself, but its arguments may hold some."""
    from sqlobs.check.resolver.expressions import resolve_expression

    if node.args.get("over") == "KEEP":  # Oracle's `max(x) KEEP (DENSE_RANK LAST ORDER BY y)`
        resolve_expression(walk, node.args["order"], scope)
        return resolve_expression(walk, node.this, scope)
    function, is_filtered = _function(walk, node, scope)
    kinds: frozenset[Kind] = frozenset()
    if isinstance(function, exp.Anonymous):
        name = function.name
        kinds = note_call(walk, CallUse(function, name, argument_count(function)))
    else:
        name = function.key.upper()
    scope.windows += 1
    _check_window(walk, node, function, name, scope)
    if is_filtered and "window" in kinds and kinds <= _NEVER_FILTERED:
        walk.facts.forms.append(FormUse(function, "filter_of_window"))
    if kinds and kinds <= _NEVER_OVER and walk.traits.over_is_grammar:
        walk.facts.forms.append(FormUse(function, "scalar_with_over"))
    elif kinds and kinds <= _NEVER_OVER:
        fault = AggregateFault(function, name, "scalar", "a call with OVER")
        walk.facts.aggregate_faults.append(fault)
    elif kinds == _ORDERED:
        fault = AggregateFault(function, name, "aggregate", "a call without WITHIN GROUP")
        walk.facts.aggregate_faults.append(fault)
    around, scope.inside_window = scope.inside_window, True
    met = scope.aggregates
    found = resolve_arguments(walk, function, scope)
    scope.inside_window = around
    _resolve_over(walk, node, scope)
    scope.aggregates_in_windows += scope.aggregates - met
    return found


def _function(walk: Walk, node: exp.Expr, scope: Scope) -> tuple[exp.Expr, bool]:
    """Return the call before OVER, and whether FILTER stands behind it; its condition is walked."""
    function, is_filtered = node.this, False
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        if isinstance(function, exp.Filter):
            is_filtered = True
            resolve_filter(walk, function, scope)
        function = function.this
    return function, is_filtered


def _resolve_over(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Walk partition, order and frame."""
    from sqlobs.check.resolver.expressions import resolve_expression

    around, scope.inside_window = scope.inside_window, True
    terms: list[Type] = []
    for child in children(node):
        if child is node.this:
            continue
        if isinstance(child, exp.WindowSpec):
            resolve_frame(walk, child, terms, scope)
            continue
        for term in child.expressions if isinstance(child, exp.Order) else [child]:
            kind = None if _is_item(walk, term, scope) else resolve_expression(walk, term, scope)
            if isinstance(term, exp.Ordered):
                terms.append(kind)
    scope.inside_window = around


def _is_item(walk: Walk, term: exp.Expr, scope: Scope) -> bool:
    """Say whether a term of a window is the alias of an item of the SELECT list."""
    column = term.this if isinstance(term, exp.Ordered) else term
    if not walk.traits.windows_see_aliases or not isinstance(column, exp.Column):
        return False
    select = column.find_ancestor(exp.Select)
    if column.args.get("table") is not None or select is None:
        return False
    key = walk.column_key(column.this)
    items = scope.windows_by_alias
    if items is None:
        items = scope.windows_by_alias = _windows_by_alias(walk, select)
    in_order = isinstance(term, exp.Ordered)  # there an alias comes first
    window = items.get(key)
    if window is not None and in_order:
        fault = AggregateFault(window.this, window.this.name, "window", "a window")
        walk.facts.aggregate_faults.append(fault)
        return True
    return key in items and not scope.relations.have(key)


def _windows_by_alias(walk: Walk, select: exp.Select) -> dict[str, exp.Expr | None]:
    """Return the first window function in each item of a SELECT list that has an alias."""
    found: dict[str, exp.Expr | None] = {}
    for item in select.expressions:
        alias = item.args.get("alias") if isinstance(item, exp.Alias) else None
        if alias is not None:
            found.setdefault(walk.column_key(alias), item.find(exp.Window))
    return found


def _check_window(walk: Walk, node: exp.Expr, function: exp.Expr, name: str, scope: Scope) -> None:
    """Record a window function where none may stand, or without a window."""
    faults = walk.facts.aggregate_faults
    if scope.clause in FILTERING or scope.clause == "having":
        place = FILTERING.get(scope.clause, "HAVING")
        faults.append(AggregateFault(function, name, "window", place))
    elif scope.inside_aggregate is not None and walk.catalogue is not None:
        place = f"the arguments of {scope.inside_aggregate}"
        faults.append(AggregateFault(function, name, "window", place))
    elif scope.inside_window:
        faults.append(AggregateFault(function, name, "window", "the window of another"))
    _check_window_order(walk, node, function, name, scope)
    window = node.args.get("alias")
    if not isinstance(window, exp.Identifier):
        return
    if node.args.get("partition_by"):
        walk.facts.forms.append(FormUse(window, "partition_of_named_window"))
    key = walk.column_key(window)
    scope.windows_read |= {key}
    if key not in scope.named_windows:
        walk.facts.column_faults.append(ColumnFault(window, None, "no_source", scope))


def _check_named(walk: Walk, node: exp.Expr, named: exp.Expr) -> None:
    """Record `OVER (w …)` of a window that has what is put to it already, or a frame."""
    order, spec = node.args.get("order"), node.args.get("spec")
    if order is not None and named.args.get("order") is not None:
        walk.facts.forms.append(FormUse(node, "order_of_ordered_window"))
    elif (order is not None or spec is not None) and named.args.get("spec") is not None:
        walk.facts.forms.append(FormUse(node, "copy_of_framed_window"))


def _check_window_order(
    walk: Walk, node: exp.Expr, function: exp.Expr, name: str, scope: Scope
) -> None:
    """Record a window function that needs an order, or a frame that needs terms of it."""
    if walk.catalogue is None:
        return
    order, spec = node.args.get("order"), node.args.get("spec")
    if (window := node.args.get("alias")) is not None:
        named = scope.named_windows.get(walk.column_key(window))
        if named is None:
            return
        _check_named(walk, node, named)
        if order is not None or named.args.get("order") is not None:
            return
        spec = None
    place = ""
    if order is None and walk.refuses(UNORDERED_WINDOWS.get(name.lower(), "")):
        place = "a window without ORDER BY"
    if spec is not None and walk.refuses(FRAMED_WINDOWS.get(name.lower(), "")):
        place = "a window with a frame"
    if spec is not None:
        place = _fault_of_frame(walk, spec, order) or place
    if place:
        walk.facts.aggregate_faults.append(AggregateFault(function, name, "window", place))


def _fault_of_frame(walk: Walk, spec: exp.Expr, order: exp.Expr | None) -> str:
    """Return what is wrong with RANGE over some terms; record GROUPS over none."""
    kind = spec.text("kind").upper()
    if kind == "GROUPS" and order is None:
        walk.facts.forms.append(FormUse(spec, "groups_without_order"))
    if kind != "RANGE":
        return ""
    bounds = (spec.args.get("start"), spec.args.get("end"))
    terms = order.expressions if order is not None else ()
    is_counted = any(isinstance(bound, exp.Expr) for bound in bounds)
    return "a frame of RANGE without exactly one ORDER BY" if is_counted and len(terms) != 1 else ""
