"""The rule for types that the engine does not combine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class TypeMismatch:
    """An operator, function or comparison over types that the engine does not combine.

    What it finds: `text = integer`, `avg(text)`, a literal that cannot be read as the type that
    is needed, branches of CASE without a common type.
    Why it matters: PostgreSQL and DuckDB reject it; SQLite and MySQL convert silently.
    Known limits: only where the schema tells types.
    Example: `SELECT id FROM customers WHERE name > 5` in PostgreSQL
    Instead: `SELECT id FROM customers WHERE length(name) > 5`
    """

    code = "schema.type_mismatch"
    name = "type-mismatch"
    triggers = frozenset({"type_faults"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such expression."""
        for fault in case.resolution.type_faults:
            column = fault.node.find(exp.Column)
            yield finding_at_node(
                fault.node,
                code=self.code,
                message=fault.message,
                identifier=column.name if column is not None else None,
            )
