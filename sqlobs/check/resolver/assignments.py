"""Walks the assignments of UPDATE and MERGE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.columns import resolve_column
from sqlobs.check.resolver.dml_targets import check_assigned
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.resolution import FormUse, WidthFault
from sqlobs.check.resolver.tree import is_default
from sqlobs.check.resolver.widths import check_rows, is_row

if TYPE_CHECKING:
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk


def resolve_assignment(walk: Walk, assignment: exp.Expr, target: Scope, scope: Scope) -> None:
    """Walk `column = value`: the column is one of the target, the value sees FROM too."""
    column, value = assignment.this, assignment.args.get("expression")
    if isinstance(column, exp.Func):
        walk.facts.forms.append(FormUse(column, "assignment_to_expression"))
    if isinstance(value, exp.Expr) and isinstance(column, exp.Tuple):
        _assign_row(walk, assignment, target, scope)
    elif isinstance(value, exp.Expr) and isinstance(column, exp.Column):
        _assign(walk, column, value, target, scope)
    else:
        resolve_expression(walk, assignment, scope)


def _assign_row(walk: Walk, assignment: exp.Expr, target: Scope, scope: Scope) -> None:
    """Walk `(a, b) = (1, DEFAULT)`, or `(a, b) = (SELECT …)`."""
    columns, value = assignment.this.expressions, assignment.expression
    if is_row(value):
        for column, one in zip(columns, value.expressions, strict=False):
            _assign(walk, column, one, target, scope)
    else:
        resolve_expression(walk, value, scope)
        types = walk.rows.get(id(value.unnest()), ())
        for place, column in enumerate(columns):
            given = resolve_column(walk, column, target)
            check_assigned(walk, column, given, value)
            walk.assign(given, types[place] if place < len(types) else None, value)
    check_rows(walk, assignment, (assignment.this, value))


def _assign(walk: Walk, column: exp.Expr, value: exp.Expr, target: Scope, scope: Scope) -> None:
    if is_default(value) and not walk.refuses("default_in_update"):
        check_assigned(walk, column, resolve_column(walk, column, target), value)
        return
    if column.args.get("table") is not None:
        walk.facts.forms.append(FormUse(column, "qualified_target"))
    given = resolve_column(walk, column, target)
    check_assigned(walk, column, given, value)
    walk.assign(given, resolve_expression(walk, value, scope), value)
    width = walk.widths.get(id(value), 1)
    if width != 1 and isinstance(value, exp.Subquery) and walk.catalogue is not None:
        walk.facts.width_faults.append(WidthFault(value, width, 1))
