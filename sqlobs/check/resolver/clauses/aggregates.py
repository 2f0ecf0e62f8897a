"""Resolves aggregates, and decides to which query each belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Calls, Conditions
from sqlobs.check.resolver.clauses.arguments import argument_count, resolve_arguments
from sqlobs.check.resolver.model.resolution import CallUse
from sqlobs.check.resolver.model.scope import FILTERING
from sqlobs.check.resolver.model.tree import children, is_same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import ExpressionResolver, ResolverState
    from sqlobs.check.types.system import Type
    from sqlobs.dialects.catalog import Kind

_NEVER_AGGREGATED: Final = frozenset({"where", "on"})

ORDERED_SET_KINDS: Final = frozenset({"ordered", "hypothetical"})

_SCALAR: Final = frozenset({"scalar"})


def note_call(state: ResolverState, call: CallUse) -> frozenset[Kind]:
    """Record a call; return the kinds of function that it may be, none where that is not known."""
    state.resolution.calls.append(call)
    kinds = state.knowledge.kinds(call.name, call.arguments)
    is_fitting = kinds or not state.follows_defaults
    if not is_fitting or call.name.lower() in state.knowledge.quoted_calls:
        state.resolution.doubtful_calls.append(call)
    return kinds


def resolve_aggregate(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve the arguments of an aggregate, then see whether it may stand where it does.

    An aggregate belongs to the innermost query whose columns it takes, else to the one around it.
    """
    _note_forms(state, node)
    used = len(state.resolution.columns)
    name = node.name if isinstance(node, exp.Anonymous) else node.key.upper()
    around, scope.inside_aggregate = scope.inside_aggregate, name
    found = resolve_arguments(state, node, scope)
    scope.inside_aggregate = around
    level = level_of(state, scope, used)
    if level.clause in FILTERING and state.traits.aggregate_falls_back:
        level = _permitting(scope, level)
    level.aggregates += 1
    state.aggregates[id(node)] = level
    if not state.follows_defaults and (level is not scope or not _is_certain(state, level)):
        return found
    if level.clause in FILTERING:
        if level is scope or not _is_unread(state, node):
            state.add_aggregate_fault(node, name, "aggregate", FILTERING[level.clause])
    elif level.inside_aggregate is not None:
        place = f"the arguments of {level.inside_aggregate}"
        state.add_aggregate_fault(node, name, "aggregate", place)
    return found


def _is_certain(state: ResolverState, level: Scope) -> bool:
    """Say whether even an unmeasured engine is known to reject an aggregate here."""
    is_within = level.inside_aggregate is not None and not state.traits.nests_aggregates
    return is_within or level.clause in _NEVER_AGGREGATED


def resolve_filter(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Resolve the condition of `f(x) FILTER (WHERE …)`, which may not contain an aggregate."""
    call = node.this
    if isinstance(call, exp.Anonymous) and not isinstance(node.parent, exp.Window):
        _check_filtered(state, call)
    around, scope.inside_aggregate = scope.inside_aggregate, "FILTER"
    for condition in children(node.expression):
        state.condition(state.expression(condition, scope), condition, what="FILTER")
    scope.inside_aggregate = around


def _check_filtered(state: ResolverState, call: exp.Expr) -> None:
    """Record FILTER behind a call that is no aggregate."""
    if state.knowledge.kinds(call.name, argument_count(call)) == _SCALAR:
        state.add_aggregate_fault(call, call.name, "scalar", "a call with FILTER")


def _is_unread(state: ResolverState, call: exp.Expr) -> bool:
    """Say whether a call stands in the list of `EXISTS (SELECT …)` and the engine skips that."""
    if state.refuses(Conditions.aggregate_in_list_of_exists):
        return False
    item, above = call, call.parent
    while above is not None and not isinstance(above, exp.Select):
        item, above = above, above.parent
    if above is None or item.arg_key != "expressions":
        return False
    return isinstance(above.parent, exp.Exists)


def resolve_within_group(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
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
            if state.refuses(Calls.of_grammar.get(call.name.lower(), Calls.within_group_of_other)):
                state.add_form(call, Calls.within_group_of_other)
            count += len(order.expressions) if order is not None else 0  # arguments all the same
        note_call(state, CallUse(call, call.name, count))
    return resolve_aggregate(state, node, scope)


def is_of_ordered_set(state: ResolverState, call: exp.Expr) -> bool:
    """Say whether a call takes its rows by WITHIN GROUP alone: its own arguments are constants."""
    if not isinstance(call, exp.Anonymous):
        return False
    kinds = state.knowledge.kinds(call.name, argument_count(call))
    return bool(kinds) and kinds <= ORDERED_SET_KINDS


def _note_forms(state: ResolverState, node: exp.Expr) -> None:
    """Note `count()`, `count(DISTINCT *)`, `count(DISTINCT (a, b))`, `f(DISTINCT a ORDER BY b)`."""
    arguments = node.expressions
    ordered = arguments[0] if arguments else node.args.get("this")
    if isinstance(ordered, exp.Order):
        if isinstance(ordered.this, exp.Distinct):
            _check_order_of_distinct(state, ordered)
        elif ordered.args.get("this") is None:
            state.add_form(node, Calls.order_without_argument)
    if not arguments and isinstance(node, exp.Anonymous) and node.name.lower() == "count":
        state.add_form(node, Calls.call_without_arguments)
    for argument in arguments:
        if isinstance(argument, exp.Distinct):
            first = next(iter(argument.expressions), None)
            if first.__class__ in _DISTINCT_FORMS:
                state.add_form(argument, _DISTINCT_FORMS[first.__class__])


def _check_order_of_distinct(state: ResolverState, order: exp.Order) -> None:
    """Record terms of `f(DISTINCT a ORDER BY b)` that are no arguments of the call."""
    if not state.refuses(Calls.order_of_distinct_arguments):
        return
    arguments = order.this.expressions
    takes_parts = not state.refuses(Calls.order_by_part_of_distinct_arguments)
    for ordered in order.expressions:
        term = ordered.this if isinstance(ordered, exp.Ordered) else ordered
        if not _is_made_of(arguments, term, takes_parts=takes_parts):
            state.add_grouping_fault(term, term.name)


def _is_made_of(arguments: list[exp.Expr], term: exp.Expr, *, takes_parts: bool) -> bool:
    """Say whether a term is an argument or, where that will do, made of arguments only."""
    if any(is_same(argument, term) for argument in arguments):
        return True
    if not takes_parts or isinstance(term, exp.Column):
        return False
    return all(_is_made_of(arguments, part, takes_parts=True) for part in children(term))


_DISTINCT_FORMS: Final = {exp.Star: Calls.distinct_star, exp.Tuple: Calls.row_in_call}


def level_of(state: ResolverState, scope: Scope, used: int) -> Scope:
    """Return the query that an aggregate over the columns used since then belongs to."""
    levels = {id(use.level) for use in state.resolution.columns[used:]}
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


def _filter(state: ResolverState, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `aggregate(…) FILTER (WHERE …)`: all of it belongs to the aggregate."""
    used = len(state.resolution.columns)
    found = state.expression(node.this, scope)
    resolve_filter(state, node, scope)
    level = state.aggregates.get(id(node.this))
    if level is not None:
        level.aggregates -= 1
        level = level_of(state, scope, used)
        level.aggregates += 1
        state.aggregates[id(node)] = state.aggregates[id(node.this)] = level
    return found


RESOLVERS: Final[Mapping[type[exp.Expr], ExpressionResolver]] = {
    exp.AggFunc: resolve_aggregate,
    exp.Filter: _filter,
    exp.WithinGroup: resolve_within_group,
}
