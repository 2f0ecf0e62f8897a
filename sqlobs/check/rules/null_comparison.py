from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class NullComparison(Rule, code="semantics.null", triggers={"NULL"}, severity="warning"):
    """A comparison with NULL by `=` or `<>`.

    What it finds: `x = NULL`, `x <> NULL`.
    Why it matters: it is never true, so the condition matches no row.
    Known limits: assignments in `UPDATE` are exempt.
    Example: `SELECT id FROM orders WHERE status = NULL`
    Instead: `SELECT id FROM orders WHERE status IS NULL`
    """

    def findings(self, case: Case) -> Findings:
        if exp.Null not in case.nodes or not isinstance(case.statement.tree, exp.Query):
            return
        for kind in (exp.EQ, exp.NEQ):
            for node in case.nodes.get(kind, ()):
                if isinstance(node.this, exp.Null) or isinstance(node.expression, exp.Null):
                    yield self.at(node, "A comparison with NULL is never true.")
