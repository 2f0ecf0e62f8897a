"""Walks calls: records them, and finds aggregates in wrong places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms.probes import CALLS, DISTINCT_CALLS
from sqlobs.check.resolver.arguments import argument_count, resolve_arguments
from sqlobs.check.resolver.columns import resolve_column
from sqlobs.check.resolver.columns_call import check_columns, chooses_columns
from sqlobs.check.resolver.resolution import (
    AggregateFault,
    CallUse,
    FormUse,
    GroupingFault,
    TypeFault,
)
from sqlobs.check.resolver.scope import FILTERING
from sqlobs.check.resolver.subqueries import resolve_of_array
from sqlobs.check.resolver.tree import children, is_same

if TYPE_CHECKING:
    from sqlobs.check.engine.catalog import Kind
    from sqlobs.check.engine.prepared_schema import PreparedSchema
    from sqlobs.check.engine.resolution_rules import Clause
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk
    from sqlobs.check.types.system import Type


_NONE: Final[frozenset[Kind]] = frozenset()
_AGGREGATE: Final[frozenset[Kind]] = frozenset({"aggregate"})
_COMMON_AGGREGATES: Final = frozenset({"sum", "count", "avg", "min", "max"})
"""What aggregates in every engine, also in those whose functions are not known."""
_NEVER_AGGREGATED: Final = frozenset({"where", "on"})
_ORDERED: Final = frozenset({"ordered", "hypothetical"})
_NEVER_ALONE: Final = _ORDERED | {"window"}
_SCALAR: Final = frozenset({"scalar"})
_AGGREGATING: Final = frozenset({"aggregate", "ordered", "hypothetical"})


def resolve_call(walk: Walk, node: exp.Expr, scope: Scope, *, qualified: bool = False) -> Type:
    """Record a call as written, walk its arguments and return the type of its value."""
    if walk.types is not None and node.name.upper() in _OF_ARRAYS and len(node.expressions) == 1:
        return resolve_of_array(walk, node, scope)
    count = argument_count(node)
    if count > 1 == len(node.expressions) and not walk.refuses("several_distinct_arguments"):
        count = 1  # count(DISTINCT a, b) in MySQL
    kinds = note_call(walk, CallUse(node, node.name, count, qualified))
    if count and node.expressions[0].__class__ is exp.Distinct:
        _check_distinct(walk, node, kinds)
    if "window" in kinds and kinds <= _NEVER_ALONE:
        if walk.traits.over_is_grammar:
            walk.facts.forms.append(FormUse(node, "window_without_over"))
        else:
            fault = AggregateFault(node, node.name, "window", "a call without OVER")
            walk.facts.aggregate_faults.append(fault)
    elif kinds and kinds <= _ORDERED:
        fault = AggregateFault(node, node.name, "aggregate", "a call without WITHIN GROUP")
        walk.facts.aggregate_faults.append(fault)
    _check_several(walk, node, scope, kinds)
    if not kinds.isdisjoint(_AGGREGATING) and "scalar" not in kinds:
        return resolve_aggregate(walk, node, scope)
    resolve = _resolve_geometric if kinds == _GEOMETRIC else resolve_arguments
    return resolve(walk, node, scope)


def check_namespace(walk: Walk, dot: exp.Expr, scope: Scope) -> None:
    """Judge what stands before the dot of a call: a namespace, or in DuckDB its first argument."""
    before, schema, traits = dot.this, walk.schema, walk.traits
    if not isinstance(before, exp.Identifier):
        return
    if walk.alias_key(before) in scope.relations:
        walk.facts.forms.append(FormUse(dot, "call_on_relation"))
    elif not traits.calls_have_namespace:
        walk.facts.forms.append(FormUse(dot, "namespace_of_call"))
    elif schema is None or _is_namespace(walk, schema, walk.table_key(before)):
        return
    elif not traits.fields_by_dot:
        walk.facts.undecided.append(before.name)
    elif (
        before.name.lower() not in walk.bound
        and dot.expression.name.lower() not in walk.declared_functions
    ):
        resolve_column(walk, exp.Column(this=before.copy()), scope)


def _is_namespace(walk: Walk, schema: PreparedSchema, name: str) -> bool:
    """Say whether a name is that of a namespace of functions, as far as that is known."""
    own = walk.traits.own_schemas | walk.traits.system_schemas
    return name in own or any(namespace == name for namespace, _ in schema.qualified)


def _check_several(walk: Walk, node: exp.Expr, scope: Scope, kinds: frozenset[Kind]) -> None:
    """Check a call that gives several rows or columns."""
    if walk.catalogue is not None and node.name.lower() in walk.catalogue.sets:
        _check_set(walk, node, scope)
    if kinds == _TABLE and not isinstance(node.parent, _SOURCES):
        _check_unnest(walk, node, scope)
    if not kinds and chooses_columns(node):
        check_columns(walk, node, scope)


def _check_set(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Record a function that gives several rows where one value is wanted."""
    place = _OF_ONE_ROW.get(scope.clause)
    if place is None and scope.inside_aggregate is not None:
        place = f"the arguments of {scope.inside_aggregate}"
    if place is not None:
        fault = AggregateFault(node, node.name, "set-returning", place)
        walk.facts.aggregate_faults.append(fault)


_OF_ONE_ROW: Final[dict[Clause, str]] = {
    "where": "WHERE",
    "on": "ON",
    "having": "HAVING",
    "limit": "LIMIT",
}
"""Clauses that are computed once for each row, with their names."""


def _check_unnest(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Record a function of tables where a value stands; UNNEST may, in a SELECT list."""
    if node.name.lower() != walk.traits.unnest_column:
        walk.facts.forms.append(FormUse(node, "table_call_as_value"))
        return
    scope.unnested += 1
    if (place := scope.place_without_unnest()) is not None:
        walk.facts.aggregate_faults.append(AggregateFault(node, node.name, "scalar", place))


_TABLE: Final[frozenset[Kind]] = frozenset({"table"})
_SOURCES: Final = (exp.Table, exp.Lateral)
"""What holds a call that stands in FROM."""


def _resolve_geometric(walk: Walk, call: exp.Expr, scope: Scope) -> Type:
    """Walk a call whose first argument is a geometry: no literal, no column of another type."""
    used = len(walk.facts.columns)
    found = resolve_arguments(walk, call, scope)
    first = next(iter(call.expressions), None)
    is_column = any(
        use.node is first and use.column.declared and not _GEOMETRIES.match(use.column.declared)
        for use in walk.facts.columns[used:]
    )
    if is_column or isinstance(first, exp.Literal):
        message = f"The function {call.name} takes a geometry first."
        walk.facts.type_faults.append(TypeFault(call, message))
    return found


_GEOMETRIC: Final[frozenset[Kind]] = frozenset({"geometric"})
_GEOMETRIES: Final = re.compile(
    "(?:multi)?(?:point|linestring|polygon)|geom|unknown", re.IGNORECASE
)
"""Types of geometries as a schema writes them."""


def _check_distinct(walk: Walk, call: exp.Expr, kinds: frozenset[Kind]) -> None:
    """Record `f(DISTINCT x)` of a function that takes no DISTINCT, as none but aggregates do."""
    is_scalar = bool(kinds) and kinds.isdisjoint(_AGGREGATING)
    sample = DISTINCT_CALLS.get("upper" if is_scalar else call.name.lower(), "")
    if walk.refuses(sample):
        walk.facts.forms.append(FormUse(call, "distinct_in_call"))


_QUANTIFIERS: Final = frozenset({"ALL", "ANY", "SOME"})
_OF_ARRAYS: Final = _QUANTIFIERS | {"ARRAY"}
"""Words before `(…)` that sqlglot takes for the names of calls."""


def is_quantifier(node: exp.Expr) -> bool:
    """Say whether a value is `ANY (…)`, `SOME (…)` or `ALL (…)`; of an array, some are calls."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() in _QUANTIFIERS
    return isinstance(node, (exp.Any, exp.All))


def note_call(walk: Walk, call: CallUse) -> frozenset[Kind]:
    """Record a call; return the kinds of function that it may be, none where that is not known."""
    walk.facts.calls.append(call)
    if walk.catalogue is None:
        return _AGGREGATE if call.name.lower() in _COMMON_AGGREGATES else _NONE
    kinds = walk.catalogue.kinds(call.name, call.arguments)
    if not kinds or call.name.lower() in walk.catalogue.quoted_calls:
        walk.facts.doubtful_calls.append(call)
    return kinds


def resolve_aggregate(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk the arguments of an aggregate, then see whether it may stand where it does.

    An aggregate belongs to the innermost query whose columns it takes, else to the one around it.
    """
    _note_forms(walk, node)
    used = len(walk.facts.columns)
    name = node.name if isinstance(node, exp.Anonymous) else node.key.upper()
    around, scope.inside_aggregate = scope.inside_aggregate, name
    found = resolve_arguments(walk, node, scope)
    scope.inside_aggregate = around
    level = level_of(walk, scope, used)
    if level.clause in FILTERING and walk.traits.aggregate_falls_back:
        level = _permitting(scope, level)
    level.aggregates += 1
    walk.aggregates[id(node)] = level
    if walk.catalogue is None and (level is not scope or not _is_certain(walk, level)):
        return found
    if level.clause in FILTERING:
        fault = AggregateFault(node, name, "aggregate", FILTERING[level.clause])
        if level is scope or not _is_unread(walk, node):
            walk.facts.aggregate_faults.append(fault)
    elif level.inside_aggregate is not None:
        place = f"the arguments of {level.inside_aggregate}"
        walk.facts.aggregate_faults.append(AggregateFault(node, name, "aggregate", place))
    return found


def _is_certain(walk: Walk, level: Scope) -> bool:
    """Say whether an engine that was not asked refuses an aggregate where the walk is."""
    is_within = level.inside_aggregate is not None and not walk.traits.nests_aggregates
    return is_within or level.clause in _NEVER_AGGREGATED


def resolve_filter(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Walk the condition of `f(x) FILTER (WHERE …)`, which holds no aggregate of its query."""
    from sqlobs.check.resolver.expressions import resolve_expression

    call = node.this
    if isinstance(call, exp.Anonymous) and not isinstance(node.parent, exp.Window):
        _check_filtered(walk, call)
    around, scope.inside_aggregate = scope.inside_aggregate, "FILTER"
    for condition in children(node.expression):
        walk.condition(resolve_expression(walk, condition, scope), condition, what="FILTER")
    scope.inside_aggregate = around


def _check_filtered(walk: Walk, call: exp.Expr) -> None:
    """Record FILTER behind a call that is no aggregate."""
    if walk.catalogue is None:
        return
    if walk.catalogue.kinds(call.name, argument_count(call)) == _SCALAR:
        fault = AggregateFault(call, call.name, "scalar", "a call with FILTER")
        walk.facts.aggregate_faults.append(fault)


def _is_unread(walk: Walk, call: exp.Expr) -> bool:
    """Say whether a call stands in the list of `EXISTS (SELECT …)` and the engine skips that."""
    if walk.refuses("aggregate_in_list_of_exists"):
        return False
    item, above = call, call.parent
    while above is not None and not isinstance(above, exp.Select):
        item, above = above, above.parent
    if above is None or item.arg_key != "expressions":
        return False
    return isinstance(above.parent, exp.Exists)


def resolve_within_group(walk: Walk, node: exp.Expr, scope: Scope) -> Type:
    """Walk `f(x) WITHIN GROUP (ORDER BY y)` as one aggregate."""
    call, order = node.this, node.args.get("expression")
    if order is None:
        walk.facts.forms.append(FormUse(call, "order_without_argument"))
    if isinstance(call, (exp.Max, exp.Min)):  # of all aggregates, sqlglot reads these its own way
        walk.facts.forms.append(FormUse(call, "within_group_of_any"))
    if isinstance(call, exp.Anonymous):
        count = argument_count(call)
        kinds = walk.catalogue.kinds(call.name, count) if walk.catalogue is not None else _ORDERED
        if kinds.isdisjoint(_ORDERED):
            if walk.refuses(CALLS.get(call.name.lower(), "within_group_of_any")):
                walk.facts.forms.append(FormUse(call, "within_group_of_any"))
            count += len(order.expressions) if order is not None else 0  # arguments all the same
        note_call(walk, CallUse(call, call.name, count))
    return resolve_aggregate(walk, node, scope)


def is_of_ordered_set(walk: Walk, call: exp.Expr) -> bool:
    """Say whether a call takes its rows by WITHIN GROUP alone: its own arguments are constants."""
    if walk.catalogue is None or not isinstance(call, exp.Anonymous):
        return False
    kinds = walk.catalogue.kinds(call.name, argument_count(call))
    return bool(kinds) and kinds <= _ORDERED


def _note_forms(walk: Walk, node: exp.Expr) -> None:
    """Note `count()`, `count(DISTINCT *)`, `count(DISTINCT (a, b))`, `f(DISTINCT a ORDER BY b)`."""
    arguments = node.expressions
    ordered = arguments[0] if arguments else node.args.get("this")
    if isinstance(ordered, exp.Order):
        if isinstance(ordered.this, exp.Distinct):
            _check_order_of_distinct(walk, ordered)
        elif ordered.args.get("this") is None:
            walk.facts.forms.append(FormUse(node, "order_without_argument"))
    if not arguments and isinstance(node, exp.Anonymous) and node.name.lower() == "count":
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


def level_of(walk: Walk, scope: Scope, used: int) -> Scope:
    """Return the query that an aggregate over the columns used since then belongs to."""
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
