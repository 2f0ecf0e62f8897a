"""The rule for columns that no table has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.report.suggestion import nearest_later
from sqlobs.check.rules.column_names import names_in_reach, owners_of
from sqlobs.check.rules.rule import finding_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class UnknownColumn:
    """A column name that no relation in scope and no table of the schema has.

    What it finds: a reference whose name is declared nowhere.
    Why it matters: the model invented it; the database reports an error.
    Known limits: nothing is reported about tables whose columns are unknown.
    Example: `SELECT full_name FROM customers`
    Instead: `SELECT name FROM customers`
    """

    code = "schema.unknown_column"
    name = "unknown-column"
    triggers = frozenset({"column_faults"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such reference."""
        for fault in case.resolution.column_faults:
            if fault.problem in {"unknown", "misplaced"} and not owners_of(case, fault):
                name = fault.identifier.name
                place = f" in {fault.relations[0].name}" if fault.relations else ""
                yield finding_at(
                    fault.identifier,
                    code=self.code,
                    message=f"Unknown column {name}{place}.",
                    identifier=name,
                    suggestion=nearest_later(name, names_in_reach(fault)),
                )
