from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class Tautology(Rule, code="safety.unsafe_statement", triggers={"OR", "||"}):
    """A condition that is always true, joined by `OR`.

    What it finds: `OR 1 = 1`, `OR 2 > 1`, `OR NOT 1 = 2`, `OR 1 IN (1)`, `OR 'a' = 'a'`, `OR TRUE`,
    `OR x = x`, `OR name LIKE '%'`.
    Why it matters: it disables the conditions beside it, which is the mark of an injected question.
    Known limits: only comparisons of literals, or of a column with itself, are recognized.
    Example: `SELECT id FROM orders WHERE customer_id = 7 OR 1 = 1`
    Instead: `SELECT id FROM orders WHERE customer_id = 7`
    """

    def findings(self, case: Case) -> Findings:
        for node in case.nodes.get(exp.Or, ()):
            for side in (node.this, node.expression):
                if _is_always_true(side):
                    message = (
                        "A condition that is always true disables the conditions joined with OR."
                    )
                    yield self.at(side, message, detail="tautology")


def _is_always_true(node: exp.Expr) -> bool:
    node = node.unnest()
    if isinstance(node, exp.EQ) and isinstance(node.this, exp.Column):
        return bool(node.this == node.expression)
    if isinstance(node, exp.Like):
        return isinstance(node.this, exp.Column) and set(node.expression.name) == {"%"}
    return _truth(node) is True


def _truth(node: exp.Expr) -> bool | None:
    """Return whether a condition on literals is true; None: it is not on literals."""
    node = node.unnest()
    if isinstance(node, exp.Not):
        inner = _truth(node.this)
        return None if inner is None else not inner
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.In):
        found = [_compared(exp.EQ, node.this, one) for one in node.expressions]
        return True if True in found else None
    if isinstance(node, exp.Binary):
        return _compared(node.__class__, node.this, node.expression)
    return node.this != "0" if isinstance(node, exp.Literal) and not node.is_string else None


def _compared(kind: type[exp.Expr], left: exp.Expr, right: exp.Expr) -> bool | None:
    """Compare two literals of one kind; None: not comparable here."""
    compare = _COMPARISONS.get(kind)
    sides = (left.unnest(), right.unnest())
    if compare is None or not all(isinstance(side, exp.Literal) for side in sides):
        return None
    if sides[0].is_string != sides[1].is_string:
        return None
    if sides[0].is_string:  # the order of strings depends on the collation
        return bool(compare(sides[0].name, sides[1].name)) if kind in _EQUALITIES else None
    try:
        return bool(compare(float(sides[0].name), float(sides[1].name)))
    except ValueError:
        return None


_COMPARISONS: Final[dict[type[exp.Expr], Callable[[Any, Any], bool]]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
_EQUALITIES: Final = frozenset({exp.EQ, exp.NEQ})
