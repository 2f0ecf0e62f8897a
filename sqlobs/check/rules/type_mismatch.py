"""The rule for types that the engine does not combine."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class TypeMismatch(Rule, code="schema.type_mismatch", triggers={"type_faults"}):
    """An operator, function or comparison over types that the engine does not combine.

    What it finds: `text = integer`, `avg(text)`, a literal that cannot be read as the type that
    is needed, branches of CASE without a common type.
    Why it matters: PostgreSQL and DuckDB reject it; SQLite and MySQL convert silently.
    Known limits: only where the schema tells types.
    Example: `SELECT id FROM customers WHERE name > 5` in PostgreSQL
    Instead: `SELECT id FROM customers WHERE length(name) > 5`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.type_faults:
            column = fault.node.find(exp.Column)
            yield self.at(fault.node, fault.message, column.name if column is not None else None)
