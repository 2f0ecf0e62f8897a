from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule, own_span


class MisplacedAggregate(Rule, code="schema.grouping", triggers={"aggregate_faults"}):
    """An aggregate or window function where none is allowed.

    What it finds: `count(x)` in `WHERE`, `ON` or `GROUP BY`, and an aggregate inside an aggregate.
    Why it matters: rows are filtered before they are aggregated; the engine rejects it.
    Known limits: an aggregate belongs to the query whose columns it uses, as in the engines.
    Example: `SELECT customer_id FROM orders WHERE count(id) > 5 GROUP BY customer_id`
    Instead: `SELECT customer_id FROM orders GROUP BY customer_id HAVING count(id) > 5`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.aggregate_faults:
            message = f"The {fault.kind} function {fault.name} is not allowed in {fault.place}."
            yield self.at(own_span(fault.node), message, fault.name)
