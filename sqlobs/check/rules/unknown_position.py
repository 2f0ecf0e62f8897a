from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule


class UnknownPosition(Rule, code="schema.unknown_column", triggers={"ordinal_faults"}):
    """A position in GROUP BY or ORDER BY beyond the SELECT list.

    What it finds: `ORDER BY 3` where two columns are selected.
    Why it matters: the number refers to an item of the SELECT list, which has fewer items.
    Known limits: nothing is reported if the list has a star over unknown columns.
    Example: `SELECT name FROM customers ORDER BY 2`
    Instead: `SELECT name FROM customers ORDER BY 1`
    """

    def findings(self, case: Case) -> Findings:
        if not (case.follows_defaults or case.knowledge.lists_functions):
            return  # what a number means there is not known
        for fault in case.resolution.ordinal_faults:
            message = (
                f"Invalid position {fault.position}: the SELECT list has {fault.width} columns."
            )
            yield self.at(fault.node, message, fault.position)
