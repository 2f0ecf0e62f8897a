from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule
from sqlobs.dialects.leniency import is_system_relation


class UnknownTable(Rule, code="schema.unknown_table", triggers={"unlisted_tables"}):
    """A relation that is neither in the schema nor a CTE.

    What it finds: a name in `FROM`, `JOIN` or after `INSERT`, `UPDATE`, `DELETE` that nothing
    declares.
    Why it matters: the model invented it; the database reports an error.
    Known limits: a table in a namespace that the schema does not describe is undecided.
    Example: `SELECT name FROM clients`
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        if case.schema is None:
            return
        dialect, known = case.statement.dialect, case.schema.table_names
        for use in case.resolution.unlisted_tables:
            name = use.name.name
            # an engine that was not measured may have it
            may_be_system = not case.follows_defaults and is_system_relation(
                dialect, name, use.node.db
            )
            if not use.is_system and not use.foreign_namespace and not may_be_system:
                yield self.at(use.name, f"Unknown table {name}.", name, suggestion=known)
