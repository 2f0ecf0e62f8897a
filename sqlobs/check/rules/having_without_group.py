"""The rule of HAVING in a query that is not grouped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.forms import Grouping
from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class HavingWithoutGroup:
    """HAVING in a query without GROUP BY and without an aggregate in its list.

    What it finds: a condition on groups where there are none.
    Why it matters: SQLite refuses it; the condition belongs to WHERE.
    Example: `SELECT name FROM customers HAVING born > '2000-01-01'` in SQLite
    Instead: `SELECT name FROM customers WHERE born > '2000-01-01'`
    """

    code = "schema.grouping"
    name = "having-without-group"
    triggers = frozenset({"forms"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such clause."""
        for use in case.resolution.forms:
            if use.form is Grouping.having_without_group and case.refuses(use.form):
                yield finding_at_node(use.node, code=self.code, message=use.form.message)
