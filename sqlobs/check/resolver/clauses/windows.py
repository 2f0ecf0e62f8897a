"""Resolves window functions: what stands before OVER, the window behind it, and its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Windows
from sqlobs.check.resolver.clauses.aggregates import note_call, resolve_filter
from sqlobs.check.resolver.clauses.arguments import argument_count, resolve_arguments
from sqlobs.check.resolver.model.resolution import CallUse
from sqlobs.check.resolver.model.scope import FILTERING
from sqlobs.check.resolver.model.tree import children

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import ResolverState
    from sqlobs.check.types.system import Type
    from sqlobs.dialects.catalog import Kind

_NEVER_FILTERED: Final = frozenset({"window", "hypothetical"})

_ORDERED: Final = frozenset({"ordered"})

_NEVER_OVER: Final = frozenset({"scalar", "hypothetical"})


def resolve_window(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a window function: no aggregate itself, but its arguments may hold some."""
    if node.args.get("over") == "KEEP":  # Oracle's `max(x) KEEP (DENSE_RANK LAST ORDER BY y)`
        state.expression(node.args["order"], scope)
        return state.expression(node.this, scope)
    function, is_filtered = _function(state, node, scope)
    kinds: frozenset[Kind] = frozenset()
    if isinstance(function, exp.Anonymous):
        name = function.name
        kinds = note_call(state, CallUse(function, name, argument_count(function)))
    else:
        name = function.key.upper()
    scope.windows += 1
    _check_window(state, node, function, name, scope)
    if is_filtered and "window" in kinds and kinds <= _NEVER_FILTERED:
        state.add_form(function, Windows.filter_of_window)
    if kinds and kinds <= _NEVER_OVER and state.traits.over_is_grammar:
        state.add_form(function, Windows.scalar_with_over)
    elif kinds and kinds <= _NEVER_OVER:
        state.add_aggregate_fault(function, name, "scalar", "a call with OVER")
    elif kinds == _ORDERED:
        state.add_aggregate_fault(function, name, "aggregate", "a call without WITHIN GROUP")
    around, scope.inside_window = scope.inside_window, True
    met = scope.aggregates
    found = resolve_arguments(state, function, scope)
    scope.inside_window = around
    _resolve_over(state, node, scope)
    scope.aggregates_in_windows += scope.aggregates - met
    return found


def _function(state: ResolverState, node: exp.Expr, scope: Scope) -> tuple[exp.Expr, bool]:
    """Return the call before OVER, and whether FILTER stands behind it; its condition is walked."""
    function, is_filtered = node.this, False
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        if isinstance(function, exp.Filter):
            is_filtered = True
            resolve_filter(state, function, scope)
        function = function.this
    return function, is_filtered


def _resolve_over(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Resolve partition, order and frame."""
    around, scope.inside_window = scope.inside_window, True
    terms: list[Type] = []
    for child in children(node):
        if child is node.this:
            continue
        if isinstance(child, exp.WindowSpec):
            resolve_frame(state, child, terms, scope)
            continue
        for term in child.expressions if isinstance(child, exp.Order) else [child]:
            kind = None if _is_item(state, term, scope) else state.expression(term, scope)
            if isinstance(term, exp.Ordered):
                terms.append(kind)
    scope.inside_window = around


def _is_item(state: ResolverState, term: exp.Expr, scope: Scope) -> bool:
    """Say whether a term of a window is the alias of an item of the SELECT list."""
    column = term.this if isinstance(term, exp.Ordered) else term
    if not state.traits.windows_see_aliases or not isinstance(column, exp.Column):
        return False
    select = column.find_ancestor(exp.Select)
    if column.args.get("table") is not None or select is None:
        return False
    key = state.column_key(column.this)
    items = scope.windows_by_alias
    if items is None:
        items = scope.windows_by_alias = _windows_by_alias(state, select)
    in_order = isinstance(term, exp.Ordered)  # there an alias comes first
    window = items.get(key)
    if window is not None and in_order:
        state.add_aggregate_fault(window.this, window.this.name, "window", "a window")
        return True
    return key in items and not scope.relations.have(key)


def _windows_by_alias(state: ResolverState, select: exp.Select) -> dict[str, exp.Expr | None]:
    """Return the first window function in each item of a SELECT list that has an alias."""
    found: dict[str, exp.Expr | None] = {}
    for item in select.expressions:
        alias = item.args.get("alias") if isinstance(item, exp.Alias) else None
        if alias is not None:
            found.setdefault(state.column_key(alias), item.find(exp.Window))
    return found


def _check_window(
    state: ResolverState, node: exp.Expr, function: exp.Expr, name: str, scope: Scope
) -> None:
    """Record a window function where none may stand, or without a window."""
    if scope.clause in FILTERING or scope.clause == "having":
        place = FILTERING.get(scope.clause, "HAVING")
        state.add_aggregate_fault(function, name, "window", place)
    elif scope.inside_aggregate is not None and state.follows_defaults:
        place = f"the arguments of {scope.inside_aggregate}"
        state.add_aggregate_fault(function, name, "window", place)
    elif scope.inside_window:
        state.add_aggregate_fault(function, name, "window", "the window of another")
    _check_window_order(state, node, function, name, scope)
    window = node.args.get("alias")
    if not isinstance(window, exp.Identifier):
        return
    if node.args.get("partition_by"):
        state.add_form(window, Windows.partition_of_named_window)
    key = state.column_key(window)
    scope.windows_read |= {key}
    if key not in scope.named_windows:
        state.add_column_fault(window, None, "no_source", scope)


def _check_named(state: ResolverState, node: exp.Expr, named: exp.Expr) -> None:
    """Record `OVER (w …)` of a window that has what is put to it already, or a frame."""
    order, spec = node.args.get("order"), node.args.get("spec")
    if order is not None and named.args.get("order") is not None:
        state.add_form(node, Windows.order_of_ordered_window)
    elif (order is not None or spec is not None) and named.args.get("spec") is not None:
        state.add_form(node, Windows.copy_of_framed_window)


def _check_window_order(
    state: ResolverState, node: exp.Expr, function: exp.Expr, name: str, scope: Scope
) -> None:
    """Record a window function that needs an order, or a frame that needs terms of it."""
    if not state.follows_defaults:
        return
    order, spec = node.args.get("order"), node.args.get("spec")
    if (window := node.args.get("alias")) is not None:
        named = scope.named_windows.get(state.column_key(window))
        if named is None:
            return
        _check_named(state, node, named)
        if order is not None or named.args.get("order") is not None:
            return
        spec = None
    place = ""
    if order is None and state.refuses(Windows.unordered.get(name.lower())):
        place = "a window without ORDER BY"
    if spec is not None and state.refuses(Windows.framed.get(name.lower())):
        place = "a window with a frame"
    if spec is not None:
        place = _fault_of_frame(state, spec, order) or place
    if place:
        state.add_aggregate_fault(function, name, "window", place)


def _fault_of_frame(state: ResolverState, spec: exp.Expr, order: exp.Expr | None) -> str:
    """Return what is wrong with RANGE over some terms; record GROUPS over none."""
    kind = spec.text("kind").upper()
    if kind == "GROUPS" and order is None:
        state.add_form(spec, Windows.groups_without_order)
    if kind != "RANGE":
        return ""
    bounds = (spec.args.get("start"), spec.args.get("end"))
    terms = order.expressions if order is not None else ()
    is_counted = any(isinstance(bound, exp.Expr) for bound in bounds)
    return "a frame of RANGE without exactly one ORDER BY" if is_counted and len(terms) != 1 else ""


def resolve_frame(
    state: ResolverState, spec: exp.Expr, terms: Sequence[Type], scope: Scope
) -> None:
    """Resolve `ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`.

    Args:
        state: the state of the statement.
        spec: the frame.
        terms: the types of the terms that the window orders by.
        scope: the query of the window.
    """
    start, end = _place_of_bound(spec, "start"), _place_of_bound(spec, "end")
    if start > end:
        is_pair = (start, end) == (_PLACES["FOLLOWING"], _PLACES["PRECEDING"])
        form = Windows.frame_from_following_to_preceding if is_pair else Windows.reversed_frame
        state.add_form(spec, form)
    kind = spec.text("kind").upper()
    for name in ("start", "end"):
        bound = spec.args.get(name)
        if not isinstance(bound, exp.Expr):
            continue
        used = len(state.resolution.columns)
        found = state.expression(bound, scope)
        if len(state.resolution.columns) > used:
            state.add_form(bound, Windows.column_in_frame)
        elif state.types is not None and len(terms) == 1:
            state.judge(bound, state.types.frame(kind, terms[0], found, bound))


_PLACES: Final = {"PRECEDING": 1, "FOLLOWING": 3}

_CURRENT_ROW: Final = 2


def _place_of_bound(spec: exp.Expr, name: str) -> int:
    """Return where a bound lies, in the order in which bounds may follow; none is the current row.

    The ends of the partition are bounds of the other side nowhere.
    """
    bound, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "").upper()
    place = _PLACES.get(side, _CURRENT_ROW)
    if bound != "UNBOUNDED":
        return place
    misplaced = "FOLLOWING" if name == "start" else "PRECEDING"
    if side == misplaced:
        return 2 * _PLACES["FOLLOWING"] if name == "start" else -1
    return place
