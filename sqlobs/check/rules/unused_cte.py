from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class UnusedCte(Rule, code="efficiency.antipattern", triggers={"WITH"}, severity="info"):
    """A CTE that no part of the statement refers to.

    What it finds: a name in `WITH` that no `FROM` contains.
    Why it matters: the result ignores what the model computed there; some engines run it anyway.
    Known limits: checked in strict mode only; a CTE that changes data is exempt.
    Example: `WITH paid AS (SELECT id FROM orders) SELECT name FROM customers`
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        read = {table.name.lower() for table in case.nodes.get(exp.Table, ())}
        for cte in case.nodes.get(exp.CTE, ()):
            if cte.alias.lower() not in read and isinstance(cte.this, exp.Query):
                message = f"The CTE {cte.alias} is never used."
                yield self.at(cte.args["alias"].this, message, cte.alias)
