"""The rule for CTEs that read themselves where they may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.forms import Ctes
from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class CircularCte:
    """A CTE that reads itself where it may not.

    What it finds: a CTE that references itself without being recursive by the rules of the engine.
    Why it matters: there is no such relation at that place; the engine rejects it.
    Example: `WITH a AS (SELECT name FROM a) SELECT name FROM a` in SQLite
    Instead: `WITH a AS (SELECT name FROM customers) SELECT name FROM a`
    """

    code = "schema.unknown_table"
    name = "circular-cte"
    triggers = frozenset({"forms"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such CTE."""
        for use in case.resolution.forms:
            if use.form is Ctes.circular_cte:
                yield finding_at_node(
                    use.node,
                    code=self.code,
                    message=use.form.message,
                    identifier=use.node.name,
                )
