"""The rule for relations that belong to the engine itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at
from sqlobs.dialects.leniency import unsafe_functions_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class SystemCatalogue:
    """A relation of the system catalog.

    What it finds: `information_schema.tables`, `pg_catalog.pg_user`, `sqlite_master`,
    `mysql.user`.
    Why it matters: it tells of users, other schemas and settings, not of the data.
    Known limits: a table of that name that the schema has is the user's own.
    Example: `SELECT usename FROM pg_catalog.pg_user` in PostgreSQL
    Instead: `SELECT name FROM customers`
    """

    code = "safety.unsafe_statement"
    name = "system-catalogue"
    triggers = frozenset({"unlisted_tables"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such relation."""
        hazards = unsafe_functions_of(case.statement.dialect)
        for use in case.resolution.unlisted_tables:
            if hazards.has_relation(use.name.name, use.node.db):
                yield finding_at(
                    use.name,
                    code=self.code,
                    message=f"{use.name.name} belongs to the system catalog.",
                    identifier=use.name.name,
                    detail="catalogue",
                )
