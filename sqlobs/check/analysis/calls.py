"""Walks calls: records them, and finds aggregates and window functions in wrong places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.analysis.facts import (
    AggregateFault,
    CallUse,
    ColumnFault,
    FormUse,
    GroupingFault,
)
from sqlobs.check.analysis.scope import FILTERING
from sqlobs.check.analysis.tree import children, is_same
from sqlobs.check.constructs import CALLS, UNIT_CALLS, UNORDERED_WINDOWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.analysis.scope import Scope
    from sqlobs.check.analysis.walk import Walk
    from sqlobs.check.catalogue import Kind
    from sqlobs.check.types.system import Type


_NONE: Final[frozenset[Kind]] = frozenset()
_WINDOW: Final = frozenset({"window"})
_NEVER_OVER: Final = frozenset({"scalar", "hypothetical"})
_ORDERED: Final = frozenset({"ordered", "hypothetical"})
_AGGREGATING: Final = frozenset({"aggregate", "ordered", "hypothetical"})


def resolve_call(walk: Walk, node: exp.Expr, scope: Scope, *, qualified: bool = False) -> Type:
    """Record a call as written, walk its arguments and return the type of its value."""
    count = argument_count(node)
    if count > 1 == len(node.expressions) and not walk.refuses("several_distinct_arguments"):
        count = 1  # count(DISTINCT a, b) in MySQL
    kinds = _noted(walk, CallUse(node, node.name, count, qualified))
    if kinds == _WINDOW:
        if walk.traits.over_is_grammar:
            walk.facts.forms.append(FormUse(node, "window_without_over"))
        else:
            fault = AggregateFault(node, node.name, "window", "a call without OVER")
            walk.facts.aggregate_faults.append(fault)
    elif kinds and kinds <= _ORDERED:
        fault = AggregateFault(node, node.name, "aggregate", "a call without WITHIN GROUP")
        walk.facts.aggregate_faults.append(fault)
    if not kinds.isdisjoint(_AGGREGATING) and "scalar" not in kinds:
        return resolve_aggregate(walk, node, scope)
    return _judged(walk, node, scope)


def _noted(walk: Walk, call: CallUse) -> frozenset[Kind]:
    """Record a call; return the kinds of function that it may be, none where that is not known."""
    walk.facts.calls.append(call)
    if walk.catalogue is None:
        return _NONE
    kinds = walk.catalogue.kinds(call.name, call.arguments)
    if not kinds:
        walk.facts.doubtful_calls.append(call)
    return kinds


def resolve_own(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk a call that sqlglot reads its own way, and judge it as the function that it is."""
    return _judged(walk, node, scope)


def argument_count(node: exp.Expr) -> int:
    """Return how many arguments a call has; `f(*)` has none, `f(DISTINCT a, b)` two."""
    arguments = node.expressions
    if len(arguments) == 1:
        only = arguments[0]
        if isinstance(only, exp.Star):
            return 0
        if isinstance(only, exp.Distinct):
            return len(only.expressions)
    return len(arguments)


def resolve_aggregate(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk the arguments of an aggregate, then see whether it may stand where it does.

    An aggregate belongs to the innermost query whose columns it takes, else to the one around it.
    """
    _note_forms(walk, node)
    used = len(walk.facts.columns)
    name = node.name if isinstance(node, exp.Anonymous) else node.key.upper()
    around, scope.inside_aggregate = scope.inside_aggregate, name
    found = _judged(walk, node, scope)
    scope.inside_aggregate = around
    level = _level(walk, scope, used)
    if level.clause in FILTERING and walk.traits.aggregate_falls_back:
        level = _permitting(scope, level)
    level.aggregates += 1
    walk.aggregates[id(node)] = level
    if level.clause in FILTERING:
        fault = AggregateFault(node, name, "aggregate", FILTERING[level.clause])
        walk.facts.aggregate_faults.append(fault)
    elif level.inside_aggregate is not None:
        place = f"the arguments of {level.inside_aggregate}"
        walk.facts.aggregate_faults.append(AggregateFault(node, name, "aggregate", place))
    return found


def resolve_within_group(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `f(x) WITHIN GROUP (ORDER BY y)` as one aggregate."""
    call = node.this
    if isinstance(call, (exp.Max, exp.Min)):  # of all aggregates, sqlglot reads these its own way
        walk.facts.forms.append(FormUse(call, "within_group_of_any"))
    if isinstance(call, exp.Anonymous):
        count = argument_count(call)
        kinds = walk.catalogue.kinds(call.name, count) if walk.catalogue is not None else _ORDERED
        if kinds.isdisjoint(_ORDERED):
            if walk.refuses(CALLS.get(call.name.lower(), "within_group_of_any")):
                walk.facts.forms.append(FormUse(call, "within_group_of_any"))
            count += len(node.expression.expressions)  # they are arguments by another name
        _noted(walk, CallUse(call, call.name, count))
    return resolve_aggregate(walk, node, scope)


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an aggregate takes: of `f(x) WITHIN GROUP (…)` both x and the order."""
    if isinstance(node, exp.WithinGroup):
        yield from children(node.this)
        yield node.expression
    else:
        yield from children(node)


def _note_forms(walk: Walk, node: exp.Expr) -> None:
    """Note `count()`, `count(DISTINCT *)`, `count(DISTINCT (a, b))`, `f(DISTINCT a ORDER BY b)`."""
    arguments = node.expressions
    ordered = arguments[0] if arguments else node.args.get("this")
    if isinstance(ordered, exp.Order) and isinstance(ordered.this, exp.Distinct):
        _check_order_of_distinct(walk, ordered)
    if isinstance(node, exp.Anonymous) and not arguments and node.name.lower() == "count":
        walk.facts.forms.append(FormUse(node, "call_without_arguments"))
    for argument in arguments:
        if isinstance(argument, exp.Distinct):
            first = next(iter(argument.expressions), None)
            if first.__class__ in _DISTINCT_FORMS:
                walk.facts.forms.append(FormUse(argument, _DISTINCT_FORMS[first.__class__]))


def _check_order_of_distinct(walk: Walk, order: exp.Order) -> None:
    """Record terms of `f(DISTINCT a ORDER BY b)` that are no arguments of the call."""
    if not walk.refuses("order_of_distinct_arguments"):
        return
    arguments = order.this.expressions
    takes_parts = not walk.refuses("order_by_part_of_distinct_arguments")
    for ordered in order.expressions:
        term = ordered.this if isinstance(ordered, exp.Ordered) else ordered
        if not _is_made_of(arguments, term, takes_parts=takes_parts):
            walk.facts.grouping_faults.append(GroupingFault(term, term.name))


def _is_made_of(arguments: list[exp.Expr], term: exp.Expr, *, takes_parts: bool) -> bool:
    """Say whether a term is an argument or, where that will do, made of arguments only."""
    if any(is_same(argument, term) for argument in arguments):
        return True
    if not takes_parts or isinstance(term, exp.Column):
        return False
    return all(_is_made_of(arguments, part, takes_parts=True) for part in children(term))


_DISTINCT_FORMS: Final = {exp.Star: "distinct_star", exp.Tuple: "row_in_call"}


def _level(walk: Walk, scope: Scope, used: int) -> Scope:
    levels = {id(use.level) for use in walk.facts.columns[used:]}
    if levels:
        for level in scope.chain():
            if id(level) in levels:
                return level
    return scope


def _permitting(scope: Scope, level: Scope) -> Scope:
    """Return the query that takes an aggregate whose own one may not: the next further in."""
    found = level
    for inner in scope.chain():
        if inner is level:
            break
        if inner.clause not in FILTERING:
            found = inner
    return found


def resolve_window(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk a window function: no aggregate itself, but its arguments may hold some."""
    from sqlobs.check.analysis.expressions import resolve_expression

    function = node.this
    if node.args.get("over") == "KEEP":  # Oracle's `max(x) KEEP (DENSE_RANK LAST ORDER BY y)`
        resolve_expression(walk, node.args["order"], scope)
        return resolve_expression(walk, function, scope)
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        if isinstance(function, exp.Filter):
            resolve_expression(walk, function.expression, scope)
        function = function.this
    kinds = _NONE
    if isinstance(function, exp.Anonymous):
        name = function.name
        kinds = _noted(walk, CallUse(function, name, argument_count(function)))
    else:
        name = function.key.upper()
    scope.windows += 1
    _check_window(walk, node, function, name, scope)
    if kinds and kinds <= _NEVER_OVER:
        fault = AggregateFault(function, name, "scalar", "a call with OVER")
        walk.facts.aggregate_faults.append(fault)
    found = _judged(walk, function, scope)
    for child in children(node):
        if child is node.this:
            continue
        for term in child.expressions if isinstance(child, exp.Order) else [child]:
            if not _is_item(walk, term, scope):
                resolve_expression(walk, term, scope)
    return found


def _is_item(walk: Walk, term: exp.Expr, scope: Scope) -> bool:
    """Say whether a term of a window is the alias of an item of the SELECT list."""
    column = term.this if isinstance(term, exp.Ordered) else term
    if not walk.traits.windows_see_aliases or not isinstance(column, exp.Column):
        return False
    select = column.find_ancestor(exp.Select)
    if column.args.get("table") is not None or select is None:
        return False
    key = walk.column_key(column.this)
    if scope.relations.have(key):
        return False
    return any(
        isinstance(item, exp.Alias) and walk.column_key(item.args["alias"]) == key
        for item in select.expressions
    )


def _check_window(walk: Walk, node: exp.Expr, function: exp.Expr, name: str, scope: Scope) -> None:
    """Record a window function where none may stand, or without a window."""
    faults = walk.facts.aggregate_faults
    if scope.clause in FILTERING or scope.clause == "having":
        place = FILTERING.get(scope.clause, "HAVING")
        faults.append(AggregateFault(function, name, "window", place))
    elif scope.inside_aggregate is not None and walk.catalogue is not None:
        place = f"the arguments of {scope.inside_aggregate}"
        faults.append(AggregateFault(function, name, "window", place))
    _check_window_order(walk, node, function, name)
    window = node.args.get("alias")
    if isinstance(window, exp.Identifier) and walk.column_key(window) not in scope.window_names:
        walk.facts.column_faults.append(ColumnFault(window, None, "no_source", scope))


def _check_window_order(walk: Walk, node: exp.Expr, function: exp.Expr, name: str) -> None:
    """Record a window function that needs an order, or a RANGE frame that needs one term of it."""
    if node.args.get("alias") is not None or walk.catalogue is None:
        return
    order, spec = node.args.get("order"), node.args.get("spec")
    place = ""
    if order is None and walk.refuses(UNORDERED_WINDOWS.get(name.lower(), "")):
        place = "a window without ORDER BY"
    if spec is not None and str(spec.args.get("kind")).upper() == "RANGE":
        bounds = (spec.args.get("start"), spec.args.get("end"))
        terms = order.expressions if order is not None else ()
        if len(terms) != 1 and any(isinstance(bound, exp.Expr) for bound in bounds):
            place = "a frame of RANGE without exactly one ORDER BY"
    if place:
        walk.facts.aggregate_faults.append(AggregateFault(function, name, "window", place))


def _takes_unit(walk: Walk, node: exp.Expr, argument: exp.Expr) -> bool:
    """Say whether an argument is a unit of time: `timestampdiff(YEAR, a, b)` reads no column."""
    return (
        isinstance(argument, exp.Column)
        and argument.args.get("table") is None
        and not argument.this.args.get("quoted")
        and node.name.upper() in _UNIT_CALLS
        and argument.name.upper() in _UNITS
        and not _wants_value(walk, node.name.lower())
    )


def _wants_value(walk: Walk, name: str) -> bool:
    """Say whether a word without quotes means a column to a call in this engine."""
    if walk.catalogue is None or name not in walk.catalogue.functions:
        return walk.traits.arguments_first
    return walk.refuses(UNIT_CALLS.get(name, ""))


_UNIT_CALLS: Final = frozenset(
    "TIMESTAMPDIFF TIMESTAMPADD DATEDIFF DATEADD DATEPART DATENAME DATE_DIFF DATE_PART DATE_ADD"
    " DATE_SUB DATE_TRUNC DATETRUNC DATETIME_DIFF DATETIME_TRUNC DATETIME_ADD DATETIME_SUB LAST_DAY"
    " TIMESTAMP_DIFF TIMESTAMP_TRUNC TIMESTAMP_ADD TIMESTAMP_SUB TIME_DIFF TRUNC WEEK".split()
)
_UNITS: Final = frozenset(
    "MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR"
    " DAYOFYEAR DAYOFWEEK WEEKDAY DECADE CENTURY DD DW DY HH MI MM MS QQ SS WK WW YY YYYY"
    " MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY".split()
)


def _judged(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk the arguments of a call and let the type system judge them."""
    from sqlobs.check.analysis.expressions import resolve_expression

    named = walk.types.rewritten(node) if walk.types is not None else None
    if walk.types is None or (named is None and not isinstance(node, exp.Anonymous)):
        for child in _parts(node):
            if not _takes_unit(walk, node, child):
                resolve_expression(walk, child, scope)
        return None
    if named is None:
        name, arguments = node.name, _arguments(node)
    else:
        name, arguments = named[0], [found for key in named[1] for found in _argument(node, key)]
    types = [
        None if _takes_unit(walk, node, argument) else resolve_expression(walk, argument, scope)
        for argument in arguments
    ]
    return walk.judge(node, walk.types.call(name, types, arguments))


def _argument(node: exp.Expr, key: str) -> list[exp.Expr]:
    value = node.args.get(key)
    if isinstance(value, exp.Distinct):
        return list(value.expressions)
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, exp.Expr) else []


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for argument in node.expressions:
        if isinstance(argument, exp.Distinct):
            found.extend(argument.expressions)
        elif not isinstance(argument, exp.Star):
            found.append(argument)
    return found
