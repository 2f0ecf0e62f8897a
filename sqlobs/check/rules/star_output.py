from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class StarOutput(Rule, code="efficiency.antipattern", triggers={"*"}, severity="info"):
    """A query that returns every column of its sources.

    What it finds: `*` or `t.*` in the outermost SELECT list.
    Why it matters: a question asks for something specific; all columns are seldom the answer, cost
    more and change with the schema.
    Known limits: checked in strict mode only; `*` in subqueries, CTEs, `EXISTS` and `COUNT` is
    exempt.
    Example: `SELECT * FROM orders`
    Instead: `SELECT id, status FROM orders`
    """

    def findings(self, case: Case) -> Findings:
        tree = case.statement.tree
        if isinstance(tree, exp.Select) and tree.is_star:
            yield self.at(None, "The query returns every column; list the columns that are needed.")


def _is_star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Star) or (
        isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
    )
