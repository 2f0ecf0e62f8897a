"""Resolves the assignments of a change of rows, and checks what they may write to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Dml
from sqlobs.check.resolver.clauses.conditions import check_rows, is_row
from sqlobs.check.resolver.model.tree import is_default
from sqlobs.check.resolver.names.columns import resolve_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.engine.prepared_schema import PreparedColumn
    from sqlobs.check.resolver.model.scope import Relation, Scope
    from sqlobs.check.resolver.model.state import State


def resolve_assignment(state: State, assignment: exp.Expr, target: Scope, scope: Scope) -> None:
    """Resolve `column = value`: the column is one of the target, the value sees FROM too."""
    column, value = assignment.this, assignment.args.get("expression")
    if isinstance(column, exp.Func):
        state.add_form(column, Dml.assignment_to_expression)
    if isinstance(value, exp.Expr) and isinstance(column, exp.Tuple):
        _assign_row(state, assignment, target, scope)
    elif isinstance(value, exp.Expr) and isinstance(column, exp.Column):
        _assign(state, column, value, target, scope)
    else:
        state.expression(assignment, scope)


def _assign_row(state: State, assignment: exp.Expr, target: Scope, scope: Scope) -> None:
    columns, value = assignment.this.expressions, assignment.expression
    if is_row(value):
        for column, one in zip(columns, value.expressions, strict=False):
            _assign(state, column, one, target, scope)
    else:
        state.expression(value, scope)
        types = state.rows.get(id(value.unnest()), ())
        for place, column in enumerate(columns):
            given = resolve_column(state, column, target)
            check_assigned(state, column, given, value)
            state.assign(given, types[place] if place < len(types) else None, value)
    check_rows(state, assignment, (assignment.this, value))


def _assign(state: State, column: exp.Expr, value: exp.Expr, target: Scope, scope: Scope) -> None:
    if is_default(value) and not state.rejects(Dml.default_in_update):
        check_assigned(state, column, resolve_column(state, column, target), value)
        return
    if column.args.get("table") is not None:
        state.add_form(column, Dml.qualified_target)
    given = resolve_column(state, column, target)
    check_assigned(state, column, given, value)
    state.assign(given, state.expression(value, scope), value)
    width = state.widths.get(id(value), 1)
    if width != 1 and isinstance(value, exp.Subquery) and state.follows_defaults:
        state.add_width_fault(value, width, 1)


def check_assigned(
    state: State, column: exp.Expr, given: PreparedColumn | None, value: exp.Expr
) -> None:
    """Record a value for a generated column, or a column of a query, just resolved as `given`."""
    if given is None or not state.follows_defaults:
        return
    mode = state.traits.generated_columns
    if given.generated and mode != "any" and (mode == "left out" or not is_default(value)):
        _add_generated(state, column, given)
    use = state.resolution.columns[-1] if state.resolution.columns else None
    if use is not None and use.node is column:
        check_stored(state, column, use.relation)


def check_stored(state: State, node: exp.Expr, target: Relation) -> None:
    """Record a change of a query's rows: a CTE, a subquery, or a view that is read-only."""
    is_made = target.table is None and target.complete
    is_view = target.table is not None and target.table.is_view
    if is_made or (is_view and not state.traits.views_are_like_tables):
        message = f"{target.name} is made by a query: nothing can be changed in it."
        state.add_type_fault(node, message)


def check_assignments(state: State, update: exp.Expr) -> None:
    """Record what SET has besides assignments, and a column that it assigns twice."""
    given = update.expressions
    if not given or any(isinstance(one, (exp.Column, exp.Literal)) for one in given):
        state.add_form(update, Dml.update_without_assignment)
    columns = [one.this for one in given if isinstance(one.this, exp.Column)]
    if len({state.column_key(column.this) for column in columns}) < len(columns):
        state.add_form(columns[-1], Dml.repeated_assignment)


def check_action(state: State, conflict: exp.Expr) -> None:
    """Record ON CONFLICT and ON DUPLICATE KEY without an action or a target."""
    action, assigned = conflict.text("action"), bool(conflict.expressions)
    if conflict.args.get("duplicate"):
        is_complete = action == "UPDATE" and assigned and conflict.args.get("where") is None
    else:
        is_complete = action == ("DO UPDATE" if assigned else "DO NOTHING")
        is_complete = is_complete and (assigned or conflict.args.get("where") is None)
    if not is_complete:
        state.add_form(conflict, Dml.conflict_without_action)
    if assigned and not any(map(conflict.args.get, _CONFLICT_TARGETS)):
        state.add_form(conflict, Dml.conflict_without_target)


_CONFLICT_TARGETS: Final = ("conflict_keys", "constraint", "duplicate")


def check_inserted(
    state: State,
    query: exp.Expr,
    columns: Sequence[PreparedColumn | None],
    named: Sequence[exp.Expr],
) -> None:
    """Record values that INSERT gives generated columns; `named`: its list of columns."""
    mode = state.traits.generated_columns
    if mode == "any":
        return
    for place, column in enumerate(columns):
        if column is None or not column.generated:
            continue
        if mode == "left out" or not _gives_default(query, place):
            _add_generated(state, named[place] if named else query, column)


def check_conflict(state: State, conflict: exp.Expr, target: Relation) -> None:
    """Record ON CONFLICT with columns that are no key of the target."""
    table, keys = target.table, conflict.args.get("conflict_keys") or ()
    if table is None or table.key is None or not table.unique:
        return
    if not state.rejects(Dml.conflict_without_key) or conflict.args.get("index_predicate"):
        return
    terms = [key.this if isinstance(key, exp.Ordered) else key for key in keys]
    named = {state.column_key(term.this) for term in terms if isinstance(term, exp.Column)}
    if len(named) == len(keys) > 0 and named <= table.columns.keys() and named not in table.unique:
        message = f"ON CONFLICT names what is no key of {table.name}."
        state.add_type_fault(terms[0], message)


def _add_generated(state: State, node: exp.Expr, column: PreparedColumn) -> None:
    state.add_type_fault(node, f"The column {column.name} is generated: a value is not allowed.")


def _gives_default(query: exp.Expr, place: int) -> bool:
    if not isinstance(query, exp.Values):
        return False
    rows = [row.expressions for row in query.expressions if isinstance(row, exp.Tuple)]
    return all(len(row) <= place or is_default(row[place]) for row in rows)
