"""The rule for names that several relations have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class AmbiguousReference:
    """An unqualified name that several relations in scope have.

    What it finds: `id` where both sides of a join have an `id`.
    Why it matters: the engine refuses to guess which one is meant.
    Example: `SELECT id FROM orders JOIN customers ON customers.id = orders.customer_id`
    Instead: `SELECT orders.id FROM orders JOIN customers ON customers.id = orders.customer_id`
    """

    code = "schema.ambiguous_ref"
    name = "ambiguous-reference"
    triggers = frozenset({"column_faults"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such reference."""
        for fault in case.resolution.column_faults:
            if fault.problem == "ambiguous":
                name = fault.identifier.name
                owners = ", ".join(
                    dict.fromkeys(relation.name or "a subquery" for relation in fault.relations)
                )
                place = f"it exists in {owners}" if owners else "the SELECT list contains it twice"
                yield finding_at(
                    fault.identifier,
                    code=self.code,
                    message=f"The column {name} is ambiguous: {place}.",
                    identifier=name,
                )
