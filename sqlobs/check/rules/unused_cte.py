"""The rule for CTEs that nothing reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.rules.rule import finding_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class UnusedCte:
    """A CTE that no part of the statement reads.

    What it finds: a name in WITH that stands in no FROM.
    Why it matters: the answer does not rest on what the model worked out there; some engines run
    it anyway.
    Known limits: checked in strict mode only; a CTE that changes data is meant as it is.
    Example: `WITH paid AS (SELECT id FROM orders) SELECT name FROM customers`
    Instead: `SELECT name FROM customers`
    """

    code = "efficiency.antipattern"
    name = "unused-cte"
    triggers = frozenset({"WITH"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such CTE."""
        read = {table.name.lower() for table in case.nodes.get(exp.Table, ())}
        for cte in case.nodes.get(exp.CTE, ()):
            if cte.alias.lower() not in read and isinstance(cte.this, exp.Query):
                yield finding_at(
                    cte.args["alias"].this,
                    code=self.code,
                    message=f"The CTE {cte.alias} is never used.",
                    severity="info",
                    identifier=cte.alias,
                )
