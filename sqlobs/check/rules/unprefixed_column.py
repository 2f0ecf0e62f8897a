from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule


class UnprefixedColumn(
    Rule, code="schema.ambiguous_ref", triggers={"JOIN", ","}, severity="warning"
):
    """An unqualified column in a query over several relations.

    What it finds: `name` in a join, though only one side has a `name`.
    Why it matters: the SQL Correctness definition requires it: the statement breaks when the other
    table gets such a column.
    Known limits: checked in strict mode only; columns of `USING` and `NATURAL` are exempt.
    Example: `SELECT name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id`
    Instead: `SELECT c.name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id`
    """

    def findings(self, case: Case) -> Findings:
        for use in case.resolution.columns:
            relations = use.level.relations
            if use.node.args.get("table") is not None or len(relations) < 2:  # noqa: PLR2004 - several
                continue
            key = use.node.name.lower()
            if any(key in map(str.lower, relation.hidden) for relation in relations.values()):
                continue
            message = (
                f"The column {use.column.name} is unqualified although FROM has several relations."
            )
            yield self.at(use.node.this, message, use.column.name, detail="prefix")
