from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule
from sqlobs.dialects.leniency import is_system_relation


class SystemCatalog(Rule, code="safety.unsafe_statement", triggers={"unlisted_tables"}):
    """A relation of the system catalog.

    What it finds: `information_schema.tables`, `pg_catalog.pg_user`, `sqlite_master`, `mysql.user`.
    Why it matters: it reveals users, other schemas and settings, not the data.
    Known limits: a table of the schema with such a name is the user's own.
    Example: `SELECT usename FROM pg_catalog.pg_user` in PostgreSQL
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        for use in case.resolution.unlisted_tables:
            if is_system_relation(case.statement.dialect, use.name.name, use.node.db):
                yield self.at(
                    use.name,
                    f"{use.name.name} belongs to the system catalog.",
                    use.name.name,
                    detail="catalogue",
                )
