from __future__ import annotations

from sqlobs.check.forms import Ctes
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


class CircularCte(Rule, code="schema.unknown_table", triggers={"forms"}):
    """A CTE that refers to itself where that is not allowed.

    What it finds: a CTE that refers to itself without being recursive by the rules of the engine.
    Why it matters: no relation of that name is in scope there; the engine rejects it.
    Example: `WITH a AS (SELECT name FROM a) SELECT name FROM a` in SQLite
    Instead: `WITH a AS (SELECT name FROM customers) SELECT name FROM a`
    """

    def findings(self, case: Case) -> Findings:
        for use in case.resolution.forms:
            if use.form is Ctes.circular_cte:
                yield self.at(use.node, use.form.message, use.node.name)
