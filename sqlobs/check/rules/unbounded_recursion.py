from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class UnboundedRecursion(Rule, code="efficiency.antipattern", triggers={"WITH"}, severity="info"):
    """A recursive CTE whose recursive part has no condition.

    What it finds: a recursive CTE with `UNION ALL` and without `WHERE`, join condition or `LIMIT`
    in its recursive part.
    Why it matters: it runs until the engine stops it.
    Known limits: checked in strict mode only; the rule does not check whether a condition ever
    becomes false.
    Example: `WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`
    Instead: `WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n`
    """  # noqa: E501 - the statements are one line each

    def findings(self, case: Case) -> Findings:
        for cte in case.nodes.get(exp.CTE, ()):
            if _is_endless(cte):
                message = f"The recursion of {cte.alias} has no terminating condition."
                yield self.at(cte.args["alias"].this, message, cte.alias)


def _is_endless(cte: exp.Expr) -> bool:
    union = cte.this
    if not isinstance(union, exp.Union) or union.args.get("distinct") or union.args.get("limit"):
        return False
    step = union.expression
    tables = [table.name.lower() for table in step.find_all(exp.Table)]
    return tables == [cte.alias.lower()] and step.find(exp.Where, exp.Join, exp.Limit) is None
