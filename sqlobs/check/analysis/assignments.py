"""Walks the assignments of UPDATE and MERGE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.analysis.columns import resolve_column
from sqlobs.check.analysis.expressions import resolve_expression
from sqlobs.check.analysis.facts import FormUse
from sqlobs.check.analysis.targets import check_assigned
from sqlobs.check.analysis.tree import is_default

if TYPE_CHECKING:
    from sqlobs.check.analysis.scope import Scope
    from sqlobs.check.analysis.walk import Walk


def resolve_assignment(walk: Walk, assignment: exp.Expr, target: Scope, scope: Scope) -> None:
    """Walk `column = value`: the column is one of the target, the value sees FROM too."""
    column, value = assignment.this, assignment.args.get("expression")
    if isinstance(column, exp.Func):
        walk.facts.forms.append(FormUse(column, "assignment_to_expression"))
    if not isinstance(column, exp.Column) or not isinstance(value, exp.Expr):
        resolve_expression(walk, assignment, scope)
        return
    if is_default(value) and not walk.refuses("default_in_update"):
        check_assigned(walk, column, resolve_column(walk, column, target), value)
        return
    if column.args.get("table") is not None:
        walk.facts.forms.append(FormUse(column, "qualified_target"))
    given = resolve_column(walk, column, target)
    check_assigned(walk, column, given, value)
    walk.assign(given, resolve_expression(walk, value, scope), value)
