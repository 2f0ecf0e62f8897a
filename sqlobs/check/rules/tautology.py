from __future__ import annotations

from sqlglot import exp

from sqlobs.check.resolver.model.tree import truth_of
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
    return truth_of(node) is True
