"""What the condition of a join may not see, where it sees items of FROM behind it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.resolution import ColumnFault

if TYPE_CHECKING:
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk


def sees_no_later_items(walk: Walk, condition: exp.Expr) -> bool:
    """Say whether a condition is that of an outer join, or of any in FROM with a RIGHT join."""
    join = condition.parent
    if not isinstance(join, exp.Join) or not walk.refuses("outer_join_sees_later_items"):
        return False
    joins = join.parent.args.get("joins") if join.parent is not None else None
    return bool(join.side) or any(one.side in {"RIGHT", "FULL"} for one in joins or ())


def check_later_items(walk: Walk, condition: exp.Expr, scope: Scope, begun: int) -> None:
    """Record the columns, from the one at `begun` on, of what stands behind a join."""
    join = condition.parent
    item = join.this if join is not None else None
    name = item.args.get("alias", item) if isinstance(item, (exp.Table, exp.Subquery)) else None
    if name is None or not isinstance(name.this, exp.Identifier):
        return
    names, key = list(scope.relations), walk.alias_key(name.this)
    if key not in names or _may_become_inner(walk, join, key):
        return
    later = {id(scope.relations[one]) for one in names[names.index(key) + 1 :]}
    for use in islice(walk.facts.columns, begun, None):
        if id(use.relation) in later:
            qualifier: exp.Expr | None = use.node.args.get("table")
            if qualifier is not None:
                fault = ColumnFault(qualifier, None, "no_source", scope)
            else:
                fault = ColumnFault(use.node.this, None, "misplaced", scope)
            walk.facts.column_faults.append(fault)


def _may_become_inner(walk: Walk, join: exp.Expr | None, key: str) -> bool:
    """Say whether another condition may want a row of what is joined: the join is inner then."""
    query = join.parent if join is not None else None
    if query is None:
        return True
    joins = [one for one in query.args.get("joins") or () if not one.side and one is not join]
    conditions = (query.args.get("where"), *(one.args.get("on") for one in joins))
    return any(
        not column.args.get("table") or walk.alias_key(column.args["table"]) == key
        for condition in conditions
        if condition is not None
        for column in condition.find_all(exp.Column)
    )
