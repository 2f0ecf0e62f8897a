from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule


class AmbiguousReference(Rule, code="schema.ambiguous_ref", triggers={"column_faults", "forms"}):
    """An unqualified name that several relations in scope have, or an alias of two expressions.

    What it finds: `id` where both sides of a join have an `id`.
    Why it matters: the engine cannot decide which column is meant and rejects the statement.
    Example: `SELECT id FROM orders JOIN customers ON customers.id = orders.customer_id`
    Instead: `SELECT orders.id FROM orders JOIN customers ON customers.id = orders.customer_id`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.column_faults:
            if fault.problem == "ambiguous":
                name = fault.identifier.name
                owners = ", ".join(
                    dict.fromkeys(relation.name or "a subquery" for relation in fault.relations)
                )
                place = f"it exists in {owners}" if owners else "the SELECT list contains it twice"
                yield self.at(fault.identifier, f"The column {name} is ambiguous: {place}.", name)
        for use in case.resolution.forms:
            if use.form.code == self.code and case.rejects(use.form):
                yield self.at(use.node, use.form.message, use.node.name)
