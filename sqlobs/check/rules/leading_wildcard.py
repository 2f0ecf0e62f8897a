"""The rule for patterns that no index can serve."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule


class LeadingWildcard(
    Rule, code="efficiency.antipattern", triggers={"LIKE", "ILIKE"}, severity="info"
):
    """A pattern that begins with a wildcard.

    What it finds: `LIKE '%x'` and `ILIKE '%x'`.
    Why it matters: an index cannot serve it: every row is read.
    Known limits: checked in strict mode only; full-text and trigram indexes are unknown.
    Example: `SELECT id FROM customers WHERE name LIKE '%son'`
    Instead: `SELECT id FROM customers WHERE name LIKE 'John%'`
    """

    def findings(self, case: Case) -> Findings:
        for kind in (exp.Like, exp.ILike):
            for node in case.nodes.get(kind, ()):
                pattern = node.expression
                if isinstance(pattern, exp.Literal) and str(pattern.this).startswith(("%", "_")):
                    yield self.at(
                        node, "The pattern starts with a wildcard, so no index can be used."
                    )
