"""Walks whole statements: the top of the resolver, which knows what resolves each class of node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.clauses import aggregates, expressions, operators, subqueries
from sqlobs.check.resolver.clauses.arguments import resolve_comprehension, resolve_lambda
from sqlobs.check.resolver.clauses.calls import resolve_call
from sqlobs.check.resolver.clauses.joins import resolve_source
from sqlobs.check.resolver.clauses.windows import resolve_window
from sqlobs.check.resolver.model.scope import Scope, opaque
from sqlobs.check.resolver.model.state import DispatchTable, Resolvers, ResolverState
from sqlobs.check.resolver.statements.ctes import settle_loose
from sqlobs.check.resolver.statements.inserts import resolve_insert
from sqlobs.check.resolver.statements.queries import (
    resolve_parts,
    resolve_pivot,
    resolve_select,
    resolve_subquery,
    resolve_values,
)
from sqlobs.check.resolver.statements.set_operations import resolve_set_operation
from sqlobs.check.resolver.statements.updates import resolve_delete, resolve_merge, resolve_update

if TYPE_CHECKING:
    from sqlobs.check.engine.engine_context import EngineContext
    from sqlobs.check.resolver.model.resolution import Resolution
    from sqlobs.check.resolver.model.scope import Relation
    from sqlobs.check.resolver.model.state import ExpressionResolver, QueryResolver


def new_state(sql: str, shape: str, context: EngineContext) -> ResolverState:
    """Return the state that one statement is resolved with.

    Args:
        sql: the statement.
        shape: the shape of its whole text.
        context: what is known of the engine and the schema.
    """
    return ResolverState(sql, shape, context, _RESOLVERS)


def resolve_statement(tree: exp.Expr, state: ResolverState) -> tuple[Resolution, Resolution | None]:
    """Resolve every name of a statement; return the facts, and those about CTEs it does not read.

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
    return settle_loose(state) if state.loose_ctes else (state.resolution, None)


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
