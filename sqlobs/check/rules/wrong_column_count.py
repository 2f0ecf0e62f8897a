"""The rule for subqueries and set operations with a number of columns that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class WrongColumnCount:
    """A subquery used as a value with several columns, or a UNION of unequal widths.

    What it finds: `x IN (SELECT a, b …)`, `(SELECT a, b …) = 1`, `SELECT a UNION SELECT b, c`.
    Why it matters: every engine rejects it.
    Known limits: nothing is reported where the number of columns is unknown.
    Example: `SELECT name FROM customers WHERE id IN (SELECT id, customer_id FROM orders)`
    Instead: `SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders)`
    """

    code = "syntax.parse_error"
    name = "wrong-column-count"
    triggers = frozenset({"width_faults"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such query."""
        for fault in case.resolution.width_faults:
            yield finding_at_node(
                fault.node,
                code=self.code,
                message=f"The query returns {fault.width} columns; expected {fault.expected}.",
            )
