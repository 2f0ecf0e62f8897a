"""Resolves aggregates and window functions, and decides to which query each belongs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.forms import Calls, Conditions, Form, Windows
from sqlobs.check.resolver.clauses.arguments import argument_count, resolve_arguments
from sqlobs.check.resolver.model.resolution import CallUse
from sqlobs.check.resolver.model.scope import FILTERING, Scope
from sqlobs.check.resolver.model.state import ExpressionResolver, State
from sqlobs.check.resolver.model.tree import (
    CALLS,
    PREDICATES,
    children,
    is_bare_column,
    is_same,
    within_modifiers,
)
from sqlobs.check.types.system import Type, whole
from sqlobs.dialects.catalog import Kind

_NEVER_AGGREGATED: Final = frozenset({"where", "on", "group"})
ORDERED_SET_KINDS: Final = frozenset({"ordered", "hypothetical"})
_SCALAR: Final = frozenset({"scalar"})


def note_call(state: State, call: CallUse) -> frozenset[Kind]:
    """Record a call; return the kinds of function that it may be; empty: unknown."""
    if call.name in state.local_functions:
        return frozenset()
    state.resolution.calls.append(call)
    kinds = state.knowledge.kinds(call.name, call.arguments)
    is_fitting = kinds or not state.knowledge.lists_functions or _is_null(state, call)
    if not is_fitting or call.name.lower() in state.knowledge.quoted_calls:
        state.resolution.doubtful_calls.append(call)
    return kinds


def _is_null(state: State, call: CallUse) -> bool:
    """Return whether a call is NULL, whatever its arguments are, because one of them is NULL."""
    if state.knowledge.has("null_arguments", call.name) is not Answer.YES:
        return False
    return any(one.find(exp.Null) is not None for one in children(call.node))


def resolve_aggregate(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve the arguments of an aggregate, then check whether its place allows one.

    It belongs to the innermost query whose columns it reads, else to the one around it.
    """
    _note_forms(state, node)
    used = len(state.resolution.columns)
    name = node.name if isinstance(node, CALLS) else node.key.upper()
    around, scope.inside_aggregate = scope.inside_aggregate, name
    found = resolve_arguments(state, node, scope)
    scope.inside_aggregate = around
    level = scope if state.traits.aggregates_stay else _level_of(state, scope, used)
    if level.clause in FILTERING and state.traits.aggregate_falls_back:
        level = _permitting(scope, level)
    level.aggregates += 1
    state.aggregates[id(node)] = level
    is_within = level.inside_aggregate is not None and not state.traits.nests_aggregates
    is_certain = level is scope and (is_within or level.clause in _NEVER_AGGREGATED)
    if not state.follows_defaults and not is_certain:
        return found
    if level.clause in FILTERING:
        if level is scope or not _is_unread(state, node):
            state.add_aggregate_fault(node, name, "aggregate", FILTERING[level.clause])
    elif level.inside_aggregate is not None:
        place = f"the arguments of {level.inside_aggregate}"
        state.add_aggregate_fault(node, name, "aggregate", place)
    return found


def note_option(state: State, option: exp.Expr, form: Form | None) -> None:
    """Record IGNORE NULLS of a function that rejects it."""
    if form is not None and option.__class__ is exp.IgnoreNulls and state.rejects(form):
        state.add_form(option, form)


def check_hidden_columns(state: State, scope: Scope, used: int) -> None:
    """Record arguments of aggregates that an alias of another aggregate of the list hides.

    In ClickHouse, b of `SELECT max(b) AS b, min(b)` is `max(b)`; its own item reads the column.
    `used`: how many columns had been used before the list.
    """
    hiding = {key for key, kind in scope.computed.items() if kind == "aggregate"}
    hiding = {key for key in hiding if scope.relations.have(key)}
    if not hiding or state.is_allowed("columns_first"):
        return
    for use in state.resolution.columns[used:]:
        if use.level is not scope or not is_bare_column(use.node):
            continue
        key = state.column_key(use.node.this)
        if key not in hiding:
            continue
        item, around = use.node, None
        while item.parent is not None and item.parent is not scope.node:
            item = item.parent
            around = around or (item if state.aggregates.get(id(item)) is scope else None)
        is_own = any(state.column_key(one.args["alias"]) == key for one in item.find_all(exp.Alias))
        if around is not None and not is_own:
            place = f"the arguments of {around.name}"
            state.add_aggregate_fault(use.node.this, use.node.name, "aggregate", place)


def _resolve_filter(state: State, node: exp.Expr, scope: Scope) -> None:
    """Resolve the condition of `f(x) FILTER (WHERE …)`, which may not contain an aggregate."""
    call = node.this
    is_plain = isinstance(call, CALLS) and not isinstance(node.parent, exp.Window)
    if is_plain and state.knowledge.kinds(call.name, argument_count(call)) == _SCALAR:
        state.add_aggregate_fault(call, call.name, "scalar", "a call with FILTER")
    around, scope.inside_aggregate = scope.inside_aggregate, "FILTER"
    for condition in children(node.expression):
        state.condition(state.expression(condition, scope), condition, what="FILTER")
    scope.inside_aggregate = around


def _is_unread(state: State, call: exp.Expr) -> bool:
    """Return whether a call is in the list of `EXISTS (SELECT …)` and the engine skips that."""
    if state.rejects(Conditions.aggregate_in_list_of_exists):
        return False
    item = call
    while item.parent is not None and not isinstance(item.parent, exp.Select):
        item = item.parent
    above = item.parent if item.arg_key == "expressions" else None
    return above is not None and isinstance(above.parent, exp.Exists)


def _resolve_within_group(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `f(x) WITHIN GROUP (ORDER BY y)` as one aggregate."""
    call, order = node.this, node.args.get("expression")
    if order is None:
        state.add_form(call, Calls.order_without_argument)
    if isinstance(call, (exp.Max, exp.Min)):  # of all aggregates, sqlglot reads these its own way
        state.add_form(call, Calls.within_group_of_other)
    if isinstance(call, exp.Anonymous):
        count = argument_count(call)
        kinds = state.knowledge.kinds(call.name, count)
        if state.follows_defaults and kinds.isdisjoint(ORDERED_SET_KINDS):
            if state.rejects(Calls.of_grammar.get(call.name.lower(), Calls.within_group_of_other)):
                state.add_form(call, Calls.within_group_of_other)
            count += len(order.expressions) if order is not None else 0  # arguments all the same
        note_call(state, CallUse(call, call.name, count))
    return resolve_aggregate(state, node, scope)


def is_of_ordered_set(state: State, call: exp.Expr) -> bool:
    """Return whether a call needs WITHIN GROUP: its own arguments are constants."""
    if not isinstance(call, exp.Anonymous):
        return False
    kinds = state.knowledge.kinds(call.name, argument_count(call))
    return bool(kinds) and kinds <= ORDERED_SET_KINDS


def _note_forms(state: State, node: exp.Expr) -> None:
    """Note forms of arguments: `count()`, `count(DISTINCT *)`, `sum(a > 1)`, and their like."""
    arguments = node.expressions
    ordered = within_modifiers(arguments[0] if arguments else node.args.get("this"))
    if isinstance(ordered, exp.Order):
        for term in ordered.expressions:
            if isinstance(term.this, exp.Literal):
                state.add_form(term, Calls.position_in_order_of_call)
        if isinstance(distinct := within_modifiers(ordered.args.get("this")), exp.Distinct):
            _check_order_of_distinct(state, ordered, distinct.expressions)
        elif ordered.args.get("this") is None:
            state.add_form(node, Calls.order_without_argument)
    if ordered.__class__ in PREDICATES:
        state.add_form(ordered, Conditions.condition_as_value)
    if not arguments and isinstance(node, exp.Anonymous) and node.name.lower() == "count":
        state.add_form(node, Calls.call_without_arguments)
    for argument in arguments:
        if isinstance(argument, exp.Distinct):
            _note_distinct(state, argument)


def _note_distinct(state: State, argument: exp.Distinct) -> None:
    first = next(iter(argument.expressions), None)
    if first.__class__ in _DISTINCT_FORMS:
        state.add_form(argument, _DISTINCT_FORMS[first.__class__])


def _check_order_of_distinct(state: State, order: exp.Order, arguments: list[exp.Expr]) -> None:
    """Record terms of `f(DISTINCT a ORDER BY b)` that are not arguments."""
    if not state.rejects(Calls.order_of_distinct_arguments):
        return
    takes_parts = not state.rejects(Calls.order_by_part_of_distinct_arguments)
    for ordered in order.expressions:
        term = ordered.this if isinstance(ordered, exp.Ordered) else ordered
        if not _is_made_of(arguments, term, takes_parts=takes_parts):
            state.add_grouping_fault(term, term.name)


def _is_made_of(arguments: list[exp.Expr], term: exp.Expr, *, takes_parts: bool) -> bool:
    """Return whether a term is an argument or, with `takes_parts`, made of arguments only."""
    if any(is_same(argument, term) for argument in arguments):
        return True
    if not takes_parts or isinstance(term, exp.Column):
        return False
    return all(_is_made_of(arguments, part, takes_parts=True) for part in children(term))


_DISTINCT_FORMS: Final = {exp.Star: Calls.distinct_star, exp.Tuple: Calls.row_in_call}


def _level_of(state: State, scope: Scope, used: int) -> Scope:
    """Return the query that an aggregate over the columns used since `used` belongs to."""
    levels = {id(use.level) for use in state.resolution.columns[used:]}
    return next((level for level in scope.chain() if id(level) in levels), scope)


def _permitting(scope: Scope, level: Scope) -> Scope:
    """Return the next inner query that allows an aggregate."""
    inner = takewhile(lambda one: one is not level, scope.chain())
    return next(reversed([one for one in inner if one.clause not in FILTERING]), level)


def _filter(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `aggregate(…) FILTER (WHERE …)` as one aggregate."""
    used = len(state.resolution.columns)
    found = state.expression(node.this, scope)
    _resolve_filter(state, node, scope)
    level = state.aggregates.get(id(node.this))
    if level is not None:
        level.aggregates -= 1
        level = _level_of(state, scope, used)
        level.aggregates += 1
        state.aggregates[id(node)] = state.aggregates[id(node.this)] = level
    return found


RESOLVERS: Final[Mapping[type[exp.Expr], ExpressionResolver]] = {
    exp.AggFunc: resolve_aggregate,
    exp.Filter: _filter,
    exp.WithinGroup: _resolve_within_group,
}
_NEVER_FILTERED: Final = frozenset({"window", "hypothetical"})
_ORDERED: Final = frozenset({"ordered"})
_NEVER_OVER: Final = frozenset({"scalar", "hypothetical"})


def resolve_window(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a window function; its arguments may contain aggregates."""
    if node.args.get("over") == "KEEP":  # Oracle's `max(x) KEEP (DENSE_RANK LAST ORDER BY y)`
        found = state.expression(node.this, scope)
        state.expression(node.args["order"], scope)
        state.aggregates[id(node)] = state.aggregates.get(id(node.this), scope)
        return found
    function, is_filtered = _windowed(state, node, scope)
    kinds: frozenset[Kind] = frozenset()
    if isinstance(function, CALLS):
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


def _windowed(state: State, node: exp.Expr, scope: Scope) -> tuple[exp.Expr, bool]:
    """Return the call before OVER, and whether it has a FILTER; resolve that and KEEP."""
    function, is_filtered = node.this, False
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter, exp.Window)):
        if isinstance(function, exp.Filter):
            is_filtered = True
            _resolve_filter(state, function, scope)
        elif isinstance(function, exp.Window) and function.args.get("order") is not None:
            state.expression(function.args["order"], scope)
        elif isinstance(function, exp.Window):
            state.add_form(function, Windows.repeated_over)
        elif isinstance(function.this, exp.Anonymous):
            name = function.this.name.lower()
            note_option(state, function, Calls.ignoring_nulls_behind.get(name))
        function = function.this
    return function, is_filtered


def _resolve_over(state: State, node: exp.Expr, scope: Scope) -> None:
    around, scope.inside_window = scope.inside_window, True
    terms: list[Type] = []
    for child in children(node):
        if child is node.this:
            continue
        if isinstance(child, exp.WindowSpec):
            _resolve_frame(state, child, terms, scope)
            continue
        for term in child.expressions if isinstance(child, exp.Order) else [child]:
            kind = None if _is_item(state, term, scope) else state.expression(term, scope)
            if isinstance(term, exp.Ordered):
                terms.append(kind)
            else:
                state.judge(term, state.types.grouped(kind, term))
    scope.inside_window = around


def _is_item(state: State, term: exp.Expr, scope: Scope) -> bool:
    """Return whether a term of a window is an alias of the SELECT list."""
    column = term.this if isinstance(term, exp.Ordered) else term
    if not state.traits.windows_see_aliases or not is_bare_column(column):
        return False
    select = column.find_ancestor(exp.Select)
    if select is None:
        return False
    key, items = state.column_key(column.this), scope.windows_by_alias
    if items is None:
        items = scope.windows_by_alias = _windows_by_alias(state, select)
    window = items.get(key)
    if window is not None and isinstance(term, exp.Ordered):  # there an alias comes first
        state.add_aggregate_fault(window.this, window.this.name, "window", "a window")
        return True
    return key in items and not scope.relations.have(key)


def _windows_by_alias(state: State, select: exp.Select) -> dict[str, exp.Expr | None]:
    """Return the first window function of each aliased item."""
    found: dict[str, exp.Expr | None] = {}
    for item in select.expressions:
        alias = item.args.get("alias") if isinstance(item, exp.Alias) else None
        if alias is not None:
            found.setdefault(state.column_key(alias), item.find(exp.Window))
    return found


def _check_window(
    state: State, node: exp.Expr, function: exp.Expr, name: str, scope: Scope
) -> None:
    """Record a window function in a clause that allows none, or without its window."""
    place = ""
    if scope.clause in FILTERING or scope.clause == "having":
        place = FILTERING.get(scope.clause, "HAVING")
    elif scope.inside_aggregate is not None and state.follows_defaults:
        place = f"the arguments of {scope.inside_aggregate}"
    elif scope.inside_window and not state.traits.nests_windows:
        place = "the window of another"
    lacking = _fault_of_window(state, node, name, scope) if state.follows_defaults else ""
    for where in filter(None, (place, lacking)):
        state.add_aggregate_fault(function, name, "window", where)
    _check_distinct(state, node, function, scope)
    window = node.args.get("alias")
    if not isinstance(window, exp.Identifier):
        return
    if node.args.get("partition_by"):
        state.add_form(window, Windows.partition_of_named_window)
    key = state.column_key(window)
    scope.windows_read |= {key}
    if key not in scope.named_windows:
        state.add_column_fault(window, None, "no_source", scope)


def _check_distinct(state: State, node: exp.Expr, function: exp.Expr, scope: Scope) -> None:
    """Record `f(DISTINCT x) OVER (ORDER BY y)` where only windows without an order allow it."""
    first = next(iter(function.expressions), None)
    if not isinstance(first, exp.Distinct) or state.rejects(Windows.distinct_with_over):
        return
    window = node.args.get("alias")
    named = scope.named_windows.get(state.column_key(window)) if window is not None else None
    if any(one is not None and one.args.get("order") for one in (node, named)):
        state.add_form(function, Windows.distinct_with_ordered_window)


def _check_named(state: State, node: exp.Expr, named: exp.Expr) -> None:
    """Record `OVER (w …)` that repeats a part of the window, or copies one with a frame."""
    order, spec = node.args.get("order"), node.args.get("spec")
    if order is not None and named.args.get("order") is not None:
        state.add_form(node, Windows.order_of_ordered_window)
    elif (order is not None or spec is not None) and named.args.get("spec") is not None:
        state.add_form(node, Windows.copy_of_framed_window)


def _fault_of_window(state: State, node: exp.Expr, name: str, scope: Scope) -> str:
    """Return what a function lacks: an order, or the one term that a frame needs; else ""."""
    order, spec, place = node.args.get("order"), node.args.get("spec"), ""
    if (window := node.args.get("alias")) is not None:
        named = scope.named_windows.get(state.column_key(window))
        if named is None:
            return ""
        _check_named(state, node, named)
        if order is not None or named.args.get("order") is not None:
            return ""
        spec = None
    if order is None and state.rejects(Windows.unordered.get(name.lower())):
        place = "a window without ORDER BY"
    if spec is not None and state.rejects(Windows.framed.get(name.lower())):
        place = "a window with a frame"
    if spec is not None:
        place = _fault_of_frame(state, spec, order) or place
    return place


def _fault_of_frame(state: State, spec: exp.Expr, order: exp.Expr | None) -> str:
    """Return what is wrong with a RANGE frame; record GROUPS without an order."""
    kind = spec.text("kind").upper()
    if kind == "GROUPS" and order is None:
        state.add_form(spec, Windows.groups_without_order)
    if kind != "RANGE":
        return ""
    terms = order.expressions if order is not None else ()
    is_counted = any(isinstance(spec.args.get(name), exp.Expr) for name in ("start", "end"))
    return "a frame of RANGE without exactly one ORDER BY" if is_counted and len(terms) != 1 else ""


def _resolve_frame(state: State, spec: exp.Expr, terms: Sequence[Type], scope: Scope) -> None:
    """Resolve `ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`; `terms`: the types of ORDER BY."""
    start, end = _place_of_bound(spec, "start"), _place_of_bound(spec, "end")
    if start > end:
        is_pair = (start, end) == (_PLACES["FOLLOWING"], _PLACES["PRECEDING"])
        form = Windows.frame_from_following_to_preceding if is_pair else Windows.reversed_frame
        state.add_form(spec, form)
    elif start == end and _are_reversed(spec, is_before=start == _PLACES["PRECEDING"]):
        state.add_form(spec, Windows.reversed_offsets)
    kind = spec.text("kind").upper()
    for name in ("start", "end"):
        bound = spec.args.get(name)
        if not isinstance(bound, exp.Expr):
            continue
        used = len(state.resolution.columns)
        found = state.expression(bound, scope)
        if len(state.resolution.columns) > used:
            state.add_form(bound, Windows.column_in_frame)
        elif len(terms) == 1 or kind == "ROWS":
            term = terms[0] if terms else None
            state.judge(bound, state.types.frame(kind, term, found, bound))


_PLACES: Final = {"PRECEDING": 1, "FOLLOWING": 3}
_CURRENT_ROW: Final = 2


def _are_reversed(spec: exp.Expr, *, is_before: bool) -> bool:
    """Return whether `2 PRECEDING AND 3 PRECEDING` ends before it starts."""
    bounds = [spec.args.get(name) for name in ("start", "end")]
    if not all(isinstance(bound, exp.Literal) and bound.is_int for bound in bounds):
        return False
    first, last = (whole(bound.name) for bound in bounds if isinstance(bound, exp.Literal))
    return first < last if is_before else first > last


def _place_of_bound(spec: exp.Expr, name: str) -> int:
    """Return the order of a bound; without one it is the current row.

    The ends of the partition cannot be bounds of the other side.
    """
    bound, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "").upper()
    misplaced = "FOLLOWING" if name == "start" else "PRECEDING"
    if bound == "UNBOUNDED" and side == misplaced:
        return 2 * _PLACES["FOLLOWING"] if name == "start" else -1
    return _PLACES.get(side, _CURRENT_ROW)
