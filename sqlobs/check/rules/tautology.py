"""The rule of conditions that are always true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class Tautology:
    """A condition that is always true, joined by OR.

    What it finds: `OR 1 = 1`, `OR 'a' = 'a'`, `OR TRUE`, `OR x = x`.
    Why it matters: it switches the conditions beside it off: the mark of an injected question.
    Known limits: only an equality of two equal sides, or a literal truth.
    Example: `SELECT id FROM orders WHERE customer_id = 7 OR 1 = 1`
    Instead: `SELECT id FROM orders WHERE customer_id = 7`
    """

    code = "safety.unsafe_statement"
    name = "tautology"
    concerns = frozenset({"OR", "||"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such side of an OR."""
        for node in case.nodes.get(exp.Or, ()):
            for side in (node.this, node.expression):
                if _is_always_true(side):
                    yield finding_at_node(
                        side,
                        code=self.code,
                        message="A condition that is always true switches off those beside it.",
                        detail="tautology",
                    )


def _is_always_true(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.EQ):
        left, right = node.this, node.expression
        return isinstance(left, (exp.Literal, exp.Column)) and bool(left == right)
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    return isinstance(node, exp.Literal) and not node.is_string and node.this != "0"
