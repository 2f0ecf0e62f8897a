from __future__ import annotations

from collections.abc import Iterable

from sqlobs.check.report.model import Finding
from sqlobs.check.resolver.model.resolution import ColumnFault
from sqlobs.check.rules.rule import Case, Findings, Rule
from sqlobs.check.rules.unknown_column import names_in_reach, owners_of


class WrongOwner(Rule, code="schema.wrong_owner", triggers={"column_faults"}):
    """A column that another table has, or an unknown alias.

    What it finds: `orders.name` where only `customers` has `name`, and `o.id` without an `o`.
    Why it matters: the model confused tables; the database reports an error.
    Example: `SELECT o.name FROM orders AS o`
    Instead: `SELECT c.name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.column_faults:
            name = fault.identifier.name
            if fault.problem == "no_source":
                message = f"Unknown table or alias {name}: no relation in scope has this name."
                yield self._finding(fault, message, _qualifier_meant(fault))
            elif fault.problem == "merged":
                message = f"The column {name} must not be qualified because USING merged it."
                yield self._finding(fault, message)
            elif fault.problem in {"unknown", "misplaced"} and (owners := owners_of(case, fault)):
                where = ", ".join(dict.fromkeys(owners[:3]))
                asked = [f"not to {relation.name}" for relation in fault.relations[:1]]
                asked = asked or ["which is not in FROM"]
                message = f"The column {name} belongs to {where}, {asked[0]}."
                yield self._finding(fault, message, names_in_reach(fault))

    def _finding(
        self, fault: ColumnFault, message: str, suggestion: Iterable[str] | None = None
    ) -> Finding:
        return self.at(fault.identifier, message, fault.identifier.name, suggestion=suggestion)


def _qualifier_meant(fault: ColumnFault) -> Iterable[str]:
    """Return the alias of the table that a qualifier names, else every qualifier in scope."""
    name = fault.identifier.name
    named = [
        (alias, relation.name)
        for level in fault.scope.chain()
        for alias, relation in level.relations.items()
        if "\0" not in alias
    ]
    hidden = [alias for alias, table in named if table.lower() == name.lower() != alias.lower()]
    if hidden:
        return hidden[0]
    return [alias for alias, _ in named] + [table for _, table in named]
