"""What stands behind `x -> 'a'`: where the arrow is that of a lambda, it takes all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.resolution import TypeFault

if TYPE_CHECKING:
    from sqlobs.check.resolver.state import Walk

TIGHT: Final[frozenset[type[exp.Expr]]] = frozenset(
    {exp.JSONExtract, exp.JSONExtractScalar, exp.DPipe, exp.Add, exp.Sub}
)
"""Operators that bind tighter than a comparison, among them the arrow as most engines read it."""


def check_arrow(walk: Walk, left: exp.Expr) -> None:
    """Record an arrow without brackets on the left side of a condition."""
    if not walk.refuses("condition_behind_arrow"):
        return
    part: exp.Expr | None = left
    while part is not None and part.__class__ in TIGHT:
        if part.__class__ is exp.JSONExtract:
            fault = "-> binds weaker than what follows: it needs brackets around it."
            walk.facts.type_faults.append(TypeFault(part.expression, fault))
            return
        part = part.args.get("this")
