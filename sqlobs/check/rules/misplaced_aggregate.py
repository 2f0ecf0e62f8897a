from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.resolver.model.resolution import AggregateFault
from sqlobs.check.rules.rule import Case, Findings, Rule, own_span

_LISTS: Final = frozenset({"GROUP_CONCAT", "LISTAGG", "STRING_AGG"})


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
            name = _name_of(case, fault)
            message = f"The {fault.kind} function {name} is not allowed in {fault.place}."
            yield self.at(own_span(fault.node), message, name)


def _name_of(case: Case, fault: AggregateFault) -> str:
    """Return the name as it is written: sqlglot reads `listagg(…)` and its like as one function."""
    if not isinstance(fault.node, exp.GroupConcat):
        return fault.name
    names = (token.text for token in case.own_calls if token.text.upper() in _LISTS)
    return next(names, fault.name)
