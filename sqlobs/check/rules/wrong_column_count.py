from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule


class WrongColumnCount(Rule, code="syntax.parse_error", triggers={"width_faults"}):
    """A subquery with several columns as a value, or a `UNION` of unequal numbers of columns.

    What it finds: `x IN (SELECT a, b …)`, `(SELECT a, b …) = 1`, `SELECT a UNION SELECT b, c`.
    Why it matters: every engine rejects it.
    Known limits: nothing is reported if the number of columns is unknown.
    Example: `SELECT name FROM customers WHERE id IN (SELECT id, customer_id FROM orders)`
    Instead: `SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders)`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.width_faults:
            message = f"The query returns {fault.width} columns; expected {fault.expected}."
            yield self.at(fault.node, message)
