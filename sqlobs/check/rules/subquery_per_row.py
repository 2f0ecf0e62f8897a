from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class SubqueryPerRow(Rule, code="efficiency.antipattern", triggers={"("}, severity="info"):
    """A correlated subquery in the SELECT list.

    What it finds: a subquery in a SELECT list that refers to a column of the outer query.
    Why it matters: it runs once for each row where a join would do.
    Known limits: checked in strict mode only; some engines rewrite it into a join.
    Example: `SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) FROM customers c`
    Instead: `SELECT c.name, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name`
    """  # noqa: E501 - the statements are one line each

    def findings(self, case: Case) -> Findings:
        for select in case.resolution.selects:
            for subquery in _subqueries(select.node):
                uses = (case.uses.get(id(column)) for column in subquery.find_all(exp.Column))
                if any(use is not None and use.level is select for use in uses):
                    yield self.at(subquery, "The correlated subquery runs for every row.")


def _subqueries(select: exp.Select) -> Iterator[exp.Expr]:
    for item in select.expressions:
        for subquery in item.find_all(exp.Subquery):
            if subquery.parent_select is select:
                yield subquery
