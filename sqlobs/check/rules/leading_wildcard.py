from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class LeadingWildcard(
    Rule, code="efficiency.antipattern", triggers={"LIKE", "ILIKE"}, severity="info"
):
    """A pattern that begins with a wildcard.

    What it finds: `LIKE '%x'` and `ILIKE '%x'`.
    Why it matters: no index can serve it, so every row is read.
    Known limits: checked in strict mode only; the checker does not know full-text and trigram
    indexes.
    Example: `SELECT id FROM customers WHERE name LIKE '%son'`
    Instead: `SELECT id FROM customers WHERE name LIKE 'John%'`
    """

    def findings(self, case: Case) -> Findings:
        for kind in (exp.Like, exp.ILike):
            for node in case.nodes.get(kind, ()):
                pattern = node.expression
                if isinstance(pattern, exp.Literal) and str(pattern.this).startswith(("%", "_")):
                    message = "The pattern starts with a wildcard, so no index can be used."
                    yield self.at(node, message)
