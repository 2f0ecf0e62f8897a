"""The rule for columns of a grouped query that are neither grouped nor aggregated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class UngroupedColumn:
    """A column of a grouped query that is neither grouped nor aggregated.

    What it finds: a column in SELECT, HAVING or ORDER BY of a query with GROUP BY or an aggregate.
    Why it matters: one group has many values of it; strict engines refuse to pick one.
    Known limits: PostgreSQL takes columns that a grouped primary key determines; where keys are not
    known this is undecided. SQLite and MariaDB pick a value and are left alone. In engines that
    were not asked only those columns are judged that are items of the SELECT list by themselves.
    Example: `SELECT city, name, count(*) FROM customers GROUP BY city` in PostgreSQL
    Instead: `SELECT city, count(*) FROM customers GROUP BY city`
    """

    code = "schema.grouping"
    name = "ungrouped-column"
    triggers = frozenset({"grouping_faults"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such column."""
        for fault in case.resolution.grouping_faults:
            yield finding_at_node(
                fault.node,
                code=self.code,
                message=f"The column {fault.name} is neither grouped nor aggregated.",
                identifier=fault.name,
            )
