"""Judges the condition of ASOF JOIN: it compares both sides once by their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.resolution import FormUse
from sqlobs.check.resolver.selection import conjuncts

if TYPE_CHECKING:
    from sqlobs.check.resolver.scope import Relation
    from sqlobs.check.resolver.state import Walk

_INEQUALITIES: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def check_asof(walk: Walk, join: exp.Expr, condition: exp.Expr, added: list[Relation]) -> None:
    """Record an ASOF JOIN whose condition does not order its two sides once."""
    owners = {id(use.node): id(use.relation) for use in walk.facts.columns}
    joined = {id(relation) for relation in added}
    count = 0
    for part in conjuncts(condition):
        if isinstance(part, exp.Between):
            pairs = [(part.this, part.args["low"]), (part.this, part.args["high"])]
        elif isinstance(part, _INEQUALITIES):
            pairs = [(part.this, part.expression)]
        else:
            continue
        for pair in pairs:
            sides = [_sides(side, owners, joined) for side in pair]
            if None in sides:
                return
            count += sides in ([{True}, {False}], [{False}, {True}])
    if count != 1:
        form = "asof_with_inequalities" if count else "asof_without_inequality"
        walk.facts.forms.append(FormUse(join.this, form))


def _sides(value: exp.Expr, owners: dict[int, int], joined: set[int]) -> set[bool] | None:
    """Return whether the columns of a value are of what is joined; None: one is not known."""
    found: set[bool] = set()
    for column in value.find_all(exp.Column):
        owner = owners.get(id(column))
        if owner is None:
            return None
        found.add(owner in joined)
    return found
