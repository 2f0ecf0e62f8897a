"""Walks calls: records them, and finds what is not allowed where they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Calls, Windows
from sqlobs.check.resolver.clauses.aggregates import ORDERED_SET_KINDS, note_call, resolve_aggregate
from sqlobs.check.resolver.clauses.arguments import argument_count, resolve_arguments
from sqlobs.check.resolver.clauses.subqueries import resolve_of_array
from sqlobs.check.resolver.model.resolution import CallUse
from sqlobs.check.resolver.model.tree import QUANTIFIERS
from sqlobs.check.resolver.names.columns import resolve_column
from sqlobs.check.resolver.names.stars import check_columns, chooses_columns

if TYPE_CHECKING:
    from sqlobs.check.engine.catalog import Kind
    from sqlobs.check.engine.prepared_schema import PreparedSchema
    from sqlobs.check.engine.resolution_rules import Clause
    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import ResolverState
    from sqlobs.check.types.system import Type

_NEVER_ALONE: Final = ORDERED_SET_KINDS | {"window"}

_AGGREGATING: Final = frozenset({"aggregate", "ordered", "hypothetical"})


def resolve_call(
    state: ResolverState, node: exp.Expr, scope: Scope, *, qualified: bool = False
) -> Type:
    """Record a call as written, walk its arguments and return the type of its value."""
    if state.types is not None and node.name.upper() in _OF_ARRAYS and len(node.expressions) == 1:
        return resolve_of_array(state, node, scope)
    count = argument_count(node)
    if count > 1 == len(node.expressions) and not state.refuses(Calls.several_distinct_arguments):
        count = 1  # count(DISTINCT a, b) in MySQL
    kinds = note_call(state, CallUse(node, node.name, count, qualified))
    if count and node.expressions[0].__class__ is exp.Distinct:
        _check_distinct(state, node, kinds)
    if "window" in kinds and kinds <= _NEVER_ALONE:
        if state.traits.over_is_grammar:
            state.add_form(node, Windows.window_without_over)
        else:
            state.add_aggregate_fault(node, node.name, "window", "a call without OVER")
    elif kinds and kinds <= ORDERED_SET_KINDS:
        state.add_aggregate_fault(node, node.name, "aggregate", "a call without WITHIN GROUP")
    _check_several(state, node, scope, kinds)
    if not kinds.isdisjoint(_AGGREGATING) and "scalar" not in kinds:
        return resolve_aggregate(state, node, scope)
    resolve = _resolve_geometric if kinds == _GEOMETRIC else resolve_arguments
    return resolve(state, node, scope)


def check_namespace(state: ResolverState, dot: exp.Expr, scope: Scope) -> None:
    """Judge what stands before the dot of a call: a namespace, or in DuckDB its first argument."""
    before, schema, traits = dot.this, state.schema, state.traits
    if not isinstance(before, exp.Identifier):
        return
    if state.alias_key(before) in scope.relations:
        state.add_form(dot, Calls.call_on_relation)
    elif not traits.calls_have_namespace:
        state.add_form(dot, Calls.namespace_of_call)
    elif schema is None or _is_namespace(state, schema, state.table_key(before)):
        return
    elif not traits.fields_by_dot:
        state.resolution.undecided.append(before.name)
    elif (
        before.name.lower() not in state.bound
        and dot.expression.name.lower() not in state.declared_functions
    ):
        resolve_column(state, exp.Column(this=before.copy()), scope)


def _is_namespace(state: ResolverState, schema: PreparedSchema, name: str) -> bool:
    """Say whether a name is that of a namespace of functions, as far as that is known."""
    own = state.traits.own_schemas | state.traits.system_schemas
    return name in own or any(namespace == name for namespace, _ in schema.qualified)


def _check_several(
    state: ResolverState, node: exp.Expr, scope: Scope, kinds: frozenset[Kind]
) -> None:
    """Check a call that gives several rows or columns."""
    if state.catalogue is not None and node.name.lower() in state.catalogue.sets:
        _check_set(state, node, scope)
    if kinds == _TABLE and not isinstance(node.parent, _SOURCES):
        _check_unnest(state, node, scope)
    if not kinds and chooses_columns(node):
        check_columns(state, node, scope)


def _check_set(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Record a function that gives several rows where one value is wanted."""
    place = _OF_ONE_ROW.get(scope.clause)
    if place is None and scope.inside_aggregate is not None:
        place = f"the arguments of {scope.inside_aggregate}"
    if place is not None:
        state.add_aggregate_fault(node, node.name, "set-returning", place)


_OF_ONE_ROW: Final[dict[Clause, str]] = {
    "where": "WHERE",
    "on": "ON",
    "having": "HAVING",
    "limit": "LIMIT",
}
"""Clauses that are computed once for each row, with their names."""


def _check_unnest(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Record a function of tables where a value stands; UNNEST may, in a SELECT list."""
    if node.name.lower() != state.traits.unnest_column:
        state.add_form(node, Calls.table_call_as_value)
        return
    scope.unnested += 1
    if (place := scope.place_without_unnest()) is not None:
        state.add_aggregate_fault(node, node.name, "scalar", place)


_TABLE: Final[frozenset[Kind]] = frozenset({"table"})

_SOURCES: Final = (exp.Table, exp.Lateral)
"""What holds a call that stands in FROM."""


def _resolve_geometric(state: ResolverState, call: exp.Expr, scope: Scope) -> Type:
    """Resolve a call whose first argument is a geometry: no literal, no column of another type."""
    used = len(state.resolution.columns)
    found = resolve_arguments(state, call, scope)
    first = next(iter(call.expressions), None)
    is_column = any(
        use.node is first and use.column.declared and not _GEOMETRIES.match(use.column.declared)
        for use in state.resolution.columns[used:]
    )
    if is_column or isinstance(first, exp.Literal):
        message = f"The function {call.name} takes a geometry first."
        state.add_type_fault(call, message)
    return found


_GEOMETRIC: Final[frozenset[Kind]] = frozenset({"geometric"})

_GEOMETRIES: Final = re.compile(
    "(?:multi)?(?:point|linestring|polygon)|geom|unknown", re.IGNORECASE
)
"""Types of geometries as a schema writes them."""


def _check_distinct(state: ResolverState, call: exp.Expr, kinds: frozenset[Kind]) -> None:
    """Record `f(DISTINCT x)` of a function that takes no DISTINCT, as none but aggregates do."""
    is_scalar = bool(kinds) and kinds.isdisjoint(_AGGREGATING)
    form = Calls.distinct.get("upper" if is_scalar else call.name.lower())
    if form is not None and state.refuses(form):
        state.add_form(call, form)


_OF_ARRAYS: Final = QUANTIFIERS | {"ARRAY"}
"""Words before `(…)` that sqlglot takes for the names of calls."""
