from __future__ import annotations

from sqlobs.check.resolver.model.resolution import TableUse
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
        for use in case.resolution.unlisted_tables:
            if not use.is_system and not use.foreign_namespace and not _is_of_engine(case, use):
                yield self.at(
                    use.name,
                    f"Unknown table {use.name.name}.",
                    use.name.name,
                    suggestion=case.schema.table_names,
                )


def _is_of_engine(case: Case, use: TableUse) -> bool:
    """Return whether a name may be a system relation of an engine that was not measured."""
    if case.follows_defaults:
        return False
    return is_system_relation(case.statement.dialect, use.name.name, use.node.db)
