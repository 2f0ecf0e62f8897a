"""The rule for aggregate and window functions where none may stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class MisplacedAggregate:
    """An aggregate or window function where none may stand.

    What it finds: `count(x)` in WHERE, ON or GROUP BY, and an aggregate within an aggregate.
    Why it matters: rows are filtered before they are aggregated; the engine rejects it.
    Known limits: an aggregate belongs to the query whose columns it takes, as in the engines.
    Example: `SELECT customer_id FROM orders WHERE count(id) > 5 GROUP BY customer_id`
    Instead: `SELECT customer_id FROM orders GROUP BY customer_id HAVING count(id) > 5`
    """

    code = "schema.grouping"
    name = "misplaced-aggregate"
    triggers = frozenset({"aggregate_faults"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such call."""
        for fault in case.resolution.aggregate_faults:
            yield finding_at(
                fault.node,
                code=self.code,
                message=f"The {fault.kind} function {fault.name} is not allowed in {fault.place}.",
                identifier=fault.name,
            )
