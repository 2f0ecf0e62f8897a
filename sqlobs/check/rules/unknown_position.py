"""The rule for positions that no item of the SELECT list has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class UnknownPosition:
    """A position in GROUP BY or ORDER BY beyond the SELECT list.

    What it finds: `ORDER BY 3` where two columns are selected.
    Why it matters: the number means an item of the list; the engine finds none.
    Known limits: nothing is reported where the list holds a star over unknown columns.
    Example: `SELECT name FROM customers ORDER BY 2`
    Instead: `SELECT name FROM customers ORDER BY 1`
    """

    code = "schema.unknown_column"
    name = "unknown-position"
    triggers = frozenset({"ordinal_faults"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such position."""
        if case.catalogue is None:
            return
        for fault in case.resolution.ordinal_faults:
            yield finding_at_node(
                fault.node,
                code=self.code,
                message=f"Invalid position {fault.position}: the SELECT list has {fault.width}"
                " columns.",
                identifier=fault.position,
            )
