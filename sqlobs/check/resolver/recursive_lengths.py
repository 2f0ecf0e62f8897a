"""Whether the two parts of a recursive CTE give their columns one length (`varchar(40)`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.resolution import TypeFault
from sqlobs.check.types.written import written

if TYPE_CHECKING:
    from sqlobs.check.resolver.state import Walk


def check_lengths(walk: Walk, node: exp.Expr) -> None:
    """Record columns that have a length in the first query and another, or none, in the second.

    Args:
        walk: the state of the walk.
        node: the set operation of a recursive CTE, resolved.
    """
    first, second = node.this, node.expression
    if not isinstance(first, exp.Select) or not isinstance(second, exp.Select):
        return
    if any(item.is_star for item in (*first.expressions, *second.expressions)):
        return
    declared = {id(use.node): use.column.declared for use in walk.facts.columns}
    for begun, repeated in zip(first.expressions, second.expressions, strict=False):
        length = _length(begun.unalias(), declared)
        value = repeated.unalias()
        if length and _is_computed(value) and _length(value, declared) != length:
            message = "The recursive query gives a column without the length of the first one."
            walk.facts.type_faults.append(TypeFault(value, message))


def _length(value: exp.Expr, declared: dict[int, str | None]) -> str:
    """Return the parameters of the type of a value (`(40)`); empty: it has none."""
    if isinstance(value, exp.Array) and value.expressions:
        return _length(value.expressions[0], declared)
    if isinstance(value, exp.Cast):
        text: str | None = written(value.args["to"], "postgres")
    else:
        text = declared.get(id(value))
    found = (text or "").partition("(")
    return f"({found[2]}" if found[1] else ""


def _is_computed(value: exp.Expr) -> bool:
    """Say whether a value is no plain column, which may be the CTE's own and of that length."""
    return isinstance(value, (exp.DPipe, exp.Anonymous, exp.Add, exp.Cast, exp.Concat))
