from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class NotInSubquery(Rule, code="efficiency.antipattern", triggers={"NOT"}, severity="info"):
    """`NOT IN` with a subquery.

    What it finds: `x NOT IN (SELECT …)`.
    Why it matters: if the subquery returns a single NULL, the result is empty; engines also plan it
    worse than `NOT EXISTS`.
    Known limits: checked in strict mode only; the rule does not check whether the subquery can
    return NULL.
    Example: `SELECT id FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)`
    Instead: `SELECT id FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)`
    """  # noqa: E501 - the statement is one line

    def findings(self, case: Case) -> Findings:
        for node in case.nodes.get(exp.Not, ()):
            if isinstance(node.this, exp.In) and node.this.args.get("query") is not None:
                yield self.at(node, "NOT IN returns no rows if the subquery returns a NULL.")
