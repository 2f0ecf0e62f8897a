"""The rule for CTEs that nothing reads."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class UnusedCte(Rule, code="efficiency.antipattern", triggers={"WITH"}, severity="info"):
    """A CTE that no part of the statement reads.

    What it finds: a name in WITH that stands in no FROM.
    Why it matters: the answer does not rest on what the model worked out there; some engines run
    it anyway.
    Known limits: checked in strict mode only; a CTE that changes data is meant as it is.
    Example: `WITH paid AS (SELECT id FROM orders) SELECT name FROM customers`
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        read = {table.name.lower() for table in case.nodes.get(exp.Table, ())}
        for cte in case.nodes.get(exp.CTE, ()):
            if cte.alias.lower() not in read and isinstance(cte.this, exp.Query):
                yield self.at(
                    cte.args["alias"].this, f"The CTE {cte.alias} is never used.", cte.alias
                )
