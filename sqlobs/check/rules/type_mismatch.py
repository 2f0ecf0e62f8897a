from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class TypeMismatch(Rule, code="schema.type_mismatch", triggers={"type_faults"}):
    """An operator, function or comparison of types that the engine does not combine.

    What it finds: `text = integer`, `avg(text)`, a literal that is invalid for the required type,
    branches of `CASE` without a common type.
    Why it matters: PostgreSQL and DuckDB reject it; SQLite and MySQL convert silently.
    Known limits: only checked where the schema has types.
    Example: `SELECT id FROM customers WHERE name > 5` in PostgreSQL
    Instead: `SELECT id FROM customers WHERE length(name) > 5`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.type_faults:
            column = fault.node.find(exp.Column)
            named = fault.name or (column.name if column is not None else None)
            yield self.at(fault.node, fault.message, named)
