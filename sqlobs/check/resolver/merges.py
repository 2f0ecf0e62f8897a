"""Walks MERGE: what it changes, what that is matched with, and what is done then."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.assignments import resolve_assignment
from sqlobs.check.resolver.columns import resolve_column
from sqlobs.check.resolver.ctes import with_scope
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.resolution import WidthFault
from sqlobs.check.resolver.scope import Scope
from sqlobs.check.resolver.sources import resolve_target
from sqlobs.check.resolver.tree import is_default

if TYPE_CHECKING:
    from sqlobs.check.resolver.state import Walk


@dataclass(frozen=True, slots=True)
class _Sides:
    """What the parts of a MERGE see."""

    both: Scope
    target: Scope
    source: Scope


def resolve_merge(walk: Walk, node: exp.Merge, around: Scope) -> None:
    """Resolve every name of a MERGE but those of RETURNING."""
    both = Scope(with_scope(walk, node, around))
    resolve_target(walk, node.this, both)
    sides = _Sides(both, Scope(ctes=both.ctes), Scope(ctes=both.ctes))
    sides.target.relations.update(both.relations)
    if isinstance(node.args.get("using"), exp.Expr):
        resolve_target(walk, node.args["using"], both)
    sides.source.relations.update(islice(both.relations.items(), len(sides.target.relations), None))
    both.clause = "on"
    if isinstance(node.args.get("on"), exp.Expr):
        resolve_expression(walk, node.args["on"], both)
    whens = node.args.get("whens")
    for when in whens.expressions if whens is not None else ():
        _when(walk, when, sides)


def _when(walk: Walk, when: exp.Expr, sides: _Sides) -> None:
    """Walk one WHEN: where no row of the target matches, only the source is seen."""
    is_new = not when.args.get("matched") and not when.args.get("source")
    seen = sides.source if is_new else sides.both
    condition, then = when.args.get("condition"), when.args.get("then")
    seen.clause = "where"
    if condition is not None:
        walk.condition(resolve_expression(walk, condition, seen), condition, what="WHEN")
    if isinstance(then, exp.Update):
        for assignment in then.expressions or ():
            if isinstance(assignment, exp.EQ):
                resolve_assignment(walk, assignment, sides.target, seen)
    elif isinstance(then, exp.Insert) and isinstance(then.expression, exp.Tuple):
        _insert(walk, then, then.expression, sides)
    if isinstance(then, exp.Expr) and (where := then.args.get("where")) is not None:  # Oracle's
        walk.condition(resolve_expression(walk, where.this, sides.both), where.this, what="WHERE")


def _insert(walk: Walk, insert: exp.Insert, row: exp.Tuple, sides: _Sides) -> None:
    """Walk `INSERT (a, b) VALUES (…)`: a value for each column."""
    listed = insert.this.expressions if isinstance(insert.this, exp.Tuple) else ()
    columns = [
        resolve_column(walk, column, sides.target)
        for column in listed
        if isinstance(column, exp.Column)
    ]
    if listed and len(row.expressions) != len(listed):
        walk.facts.width_faults.append(WidthFault(row, len(row.expressions), len(listed)))
    for place, value in enumerate(row.expressions):
        if not is_default(value) and not isinstance(value, exp.Var):
            found = resolve_expression(walk, value, sides.source)
            walk.assign(columns[place] if place < len(columns) else None, found, value)
