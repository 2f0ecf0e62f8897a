"""Resolves statements and queries; knows what resolves each class of node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.forms import Grouping, Limits, Windows
from sqlobs.check.resolver.clauses import aggregates, expressions, operators, subqueries
from sqlobs.check.resolver.clauses.arguments import resolve_comprehension, resolve_lambda
from sqlobs.check.resolver.clauses.expressions import resolve_call
from sqlobs.check.resolver.clauses.group_by import resolve_grouping
from sqlobs.check.resolver.clauses.grouping import check_grouping
from sqlobs.check.resolver.clauses.join_conditions import resolve_conditions, resolve_target
from sqlobs.check.resolver.clauses.joins import resolve_from, resolve_source
from sqlobs.check.resolver.clauses.ordering import refuse_aggregates, resolve_limits, resolve_order
from sqlobs.check.resolver.clauses.table_operators import pivoted
from sqlobs.check.resolver.clauses.unnesting import undescribed
from sqlobs.check.resolver.clauses.widths import check_rows_of
from sqlobs.check.resolver.clauses.windows import resolve_window
from sqlobs.check.resolver.model.resolution import SelectUse
from sqlobs.check.resolver.model.scope import Scope, opaque
from sqlobs.check.resolver.model.state import DispatchTable, Resolvers, ResolverState
from sqlobs.check.resolver.model.tree import children
from sqlobs.check.resolver.names.outputs import typed_values, values_relation
from sqlobs.check.resolver.statements.ctes import settle_deferred, with_scope
from sqlobs.check.resolver.statements.inserts import resolve_insert
from sqlobs.check.resolver.statements.select_list import resolve_select_list
from sqlobs.check.resolver.statements.set_operations import (
    resolve_order_of_outputs,
    resolve_set_operation,
)
from sqlobs.check.resolver.statements.updates import resolve_delete, resolve_merge, resolve_update

if TYPE_CHECKING:
    from sqlobs.check.engine.engine_context import EngineContext
    from sqlobs.check.resolver.model.resolution import Resolution
    from sqlobs.check.resolver.model.scope import Relation
    from sqlobs.check.resolver.model.state import ExpressionResolver, QueryResolver
    from sqlobs.dialects.resolution_rules import Clause


def resolve_parts(state: ResolverState, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve what stands in a node whose columns are not known."""
    for child in children(node):
        state.expression(child, outer)
    return opaque("")


def resolve_values(state: ResolverState, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a VALUES list that is a query."""
    resolve_parts(state, node, outer)
    widths = check_rows_of(state, node)
    if len(widths) != 1:
        return opaque("")
    relation = values_relation(state, widths.pop())
    # what is inserted is judged by the columns it goes to
    is_inserted = isinstance(node.parent, exp.Insert)
    return relation if is_inserted else typed_values(state, node, relation)


def resolve_select(state: ResolverState, node: exp.Select, outer: Scope) -> Relation:
    """Resolve a SELECT, clause by clause, in the order in which engines do."""
    relation = _select(state, node, outer)
    # What BigQuery's `SELECT AS VALUE STRUCT(1 AS a)` gives are the fields of the value.
    return undescribed("") if node.args.get("kind") == "VALUE" else relation


def _select(state: ResolverState, node: exp.Select, outer: Scope) -> Relation:
    used, part = len(state.resolution.columns), node.args.get
    scope = Scope(outer if part("with_") is None else with_scope(state, node, outer))
    scope.clause = "from"
    if (windows := part("windows")) is not None:
        # of several of one name the first
        scope.named_windows = {
            state.column_key(window.this): window for window in reversed(windows)
        }
    state.resolution.selects.append(SelectUse(node, scope))
    conditions = resolve_from(state, node, scope)
    relation = resolve_select_list(state, node, scope)
    if conditions:
        resolve_conditions(state, conditions, scope)
    width = len(relation.outputs) if relation.complete else None
    if (where := part("where")) is not None:
        _condition(state, where, scope, "where")
    if not state.follows_defaults:
        _own_clauses(state, node, scope)
    if (group := part("group")) is not None:
        resolve_grouping(state, group, scope, width)
    if (having := part("having")) is not None:
        _having(state, having, scope, is_grouped=group is not None)
    if (qualify := part("qualify")) is not None:
        _qualify(state, qualify, scope)
    scope.clause = "select"
    _windows(state, windows or [], scope)
    if part("order") is not None:
        _order_of_select(state, node, scope, width)
    resolve_limits(state, node, scope)
    if part("locks"):
        _check_lock(state, node, scope)
    check_grouping(state, node, scope, used)
    return relation


def _having(state: ResolverState, node: exp.Expr, scope: Scope, *, is_grouped: bool) -> None:
    if not is_grouped and not scope.aggregates:
        state.add_form(node, Grouping.having_without_group)
    _condition(state, node, scope, "having")


def _own_clauses(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Resolve the clauses that only engines have that were not asked."""
    for name, clause in _OWN_CLAUSES.items():
        found = node.args.get(name)
        if found is not None:
            scope.clause = clause
            for child in children(found):
                state.expression(child, scope)


_OWN_CLAUSES: Final[dict[str, Clause]] = {
    "prewhere": "where",
    "connect": "where",
    "cluster": "order",
    "distribute": "order",
    "sort": "order",
}
"""PREWHERE of ClickHouse, CONNECT BY of Oracle and Snowflake, CLUSTER and SORT BY of Spark."""


def _check_lock(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    """Record FOR UPDATE of rows that are no rows of a table."""
    is_made = scope.aggregates or scope.windows
    if is_made or any(node.args.get(name) is not None for name in ("group", "having", "distinct")):
        state.add_form(node.args["locks"][0], Limits.lock_of_groups)


def _windows(state: ResolverState, windows: list[exp.Expr], scope: Scope) -> None:
    """Resolve the windows of WINDOW; some engines leave those that nothing names unread."""
    if not windows:
        return
    unknown_column = state.knowledge.accepts(Windows.unknown_column_in_unused_window)
    for window in reversed(windows):  # one may name those before it
        if unknown_column is not Answer.YES or state.column_key(window.this) in scope.windows_read:
            state.expression(window, scope)


def _qualify(state: ResolverState, node: exp.Expr, scope: Scope) -> None:
    _condition(state, node, scope, "qualify")
    if not scope.windows:
        state.add_form(node, Grouping.qualify_without_window)


def _order_of_select(state: ResolverState, node: exp.Expr, scope: Scope, width: int | None) -> None:
    aggregates, order, group = scope.aggregates, node.args["order"], node.args.get("group")
    resolve_order(state, order, scope, width)
    if group is not None:
        if any(not one.expressions for one in group.args.get("rollup") or ()):
            state.add_form(order, Grouping.order_after_rollup)
        return
    if not state.traits.order_needs_group:
        return
    if scope.aggregates > aggregates == 0:
        refuse_aggregates(state, order, scope, "ORDER BY")


def _condition(state: ResolverState, node: exp.Expr, scope: Scope, clause: Clause) -> None:
    scope.clause = clause
    condition = node.this
    found = state.expression(condition, scope)
    state.condition(found, condition, what=clause.upper())


def resolve_subquery(state: ResolverState, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a query in parentheses, with what stands behind them."""
    scope = with_scope(state, node, outer)
    relation = state.query(node.this, scope)
    if node.args.get("order") or node.args.get("limit"):
        resolve_order_of_outputs(state, node, relation, scope)
    return relation


def resolve_pivot(state: ResolverState, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve PIVOT or UNPIVOT where a query stands."""
    if not state.traits.pivots:
        return opaque("")
    scope = Scope(with_scope(state, node, outer))
    scope.clause = "from"
    resolve_target(state, node.this, scope)
    sources = list(scope.relations.values())
    relation = sources[0] if len(sources) == 1 else opaque("")
    return pivoted(state, node, relation, outer)


def new_state(sql: str, shape: str, context: EngineContext) -> ResolverState:
    """Return the state that one statement is resolved with.

    Args:
        sql: the statement.
        shape: the shape of its whole text.
        context: what is known of the engine and the schema.
    """
    return ResolverState(sql, shape, context, _RESOLVERS)


def resolve_statement(tree: exp.Expr, state: ResolverState) -> tuple[Resolution, Resolution | None]:
    """Resolve every name of a statement; return what was found in it, and in unreferenced CTEs.

    Args:
        tree: the statement; it is read, never changed.
        state: what the names are looked up in; made for this statement alone.
    """
    if isinstance(tree, (exp.Query, exp.Values)) or (
        isinstance(tree, exp.Pivot) and state.traits.pivots
    ):
        state.query(tree, Scope())
    elif resolve_change(state, tree, Scope()) is None:
        if isinstance(tree, exp.Create) and tree.text("kind").upper() == "TABLE":
            _created(state, tree)
        # DECLARE names nothing that is stored; what stands behind it is looked at, or is not.
        if not (isinstance(tree, exp.Declare) and state.traits.takes_several_statements):
            state.resolution.undecided.append(tree.key)
    return settle_deferred(state) if state.deferred_ctes else (state.resolution, None)


def _created(state: ResolverState, node: exp.Create) -> None:
    """Resolve the query of CREATE TABLE AS; that of a view may name what is not there yet."""
    if isinstance(node.expression, exp.Query):
        state.query(node.expression, Scope())


def resolve_change(state: ResolverState, tree: exp.Expr, outer: Scope) -> Relation | None:
    """Resolve a change of rows that sees the CTEs of `outer`, and return what it returns.

    None: it is none that is known.
    """
    resolver = _CHANGES.get(tree.__class__)
    return resolver(state, tree, Scope(ctes=outer.ctes)) if resolver is not None else None


def _change_in_query(state: ResolverState, node: exp.Expr, outer: Scope) -> Relation:
    return resolve_change(state, node, outer) or opaque("")


_CHANGES: Final[dict[type[exp.Expr], QueryResolver]] = {
    exp.Insert: resolve_insert,
    exp.Update: resolve_update,
    exp.Delete: resolve_delete,
    exp.Merge: resolve_merge,
}

_EXPRESSIONS: Final[DispatchTable[ExpressionResolver]] = DispatchTable(
    {
        **expressions.RESOLVERS,
        **operators.RESOLVERS,
        **aggregates.RESOLVERS,
        **subqueries.RESOLVERS,
        exp.Anonymous: resolve_call,
        exp.Window: resolve_window,
        exp.Lambda: resolve_lambda,
        exp.Comprehension: resolve_comprehension,
    }
)

_QUERIES: Final[DispatchTable[QueryResolver]] = DispatchTable(
    {
        exp.Expr: resolve_parts,
        exp.Select: resolve_select,
        exp.SetOperation: resolve_set_operation,
        exp.Subquery: resolve_subquery,
        exp.Pivot: resolve_pivot,
        exp.Values: resolve_values,
        exp.DML: _change_in_query,  # in a CTE
    }
)

_RESOLVERS: Final = Resolvers(_EXPRESSIONS, _QUERIES, resolve_source)
