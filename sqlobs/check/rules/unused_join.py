from __future__ import annotations

from sqlglot import exp

from sqlobs.check.resolver.model.tree import sources_of
from sqlobs.check.rules.rule import Case, Findings, Rule


class UnusedJoin(Rule, code="efficiency.antipattern", triggers={"JOIN"}, severity="info"):
    """A relation that is joined last and used only in its own join condition.

    What it finds: an outer join of a relation of which no other column is used.
    Why it matters: it multiplies rows, or only adds cost.
    Known limits: checked in strict mode only; an inner join is exempt because it filters; `*` uses
    every column.
    Example: `SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id`
    Instead: `SELECT c.name FROM customers c`
    """

    def findings(self, case: Case) -> Findings:
        for select in case.resolution.selects:
            join = (select.node.args.get("joins") or [None])[-1]
            if join is None or not join.args.get("side") or select.node.is_star:
                continue
            name = sources_of(join)[0].alias_or_name
            if not _is_read(select.node, join, name.lower()):
                yield self.at(join.this, f"No column of the joined relation {name} is used.", name)


def _is_read(select: exp.Select, join: exp.Join, name: str) -> bool:
    """Return whether a column of a relation, or an unqualified one, is used outside its ON."""
    own = {id(column) for column in join.find_all(exp.Column)}
    return any(
        column.table.lower() in {name, ""}
        for column in select.find_all(exp.Column)
        if id(column) not in own
    )
