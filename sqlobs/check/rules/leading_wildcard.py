"""The rule for patterns that no index can serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class LeadingWildcard:
    """A pattern that begins with a wildcard.

    What it finds: `LIKE '%x'` and `ILIKE '%x'`.
    Why it matters: an index cannot serve it: every row is read.
    Known limits: checked in strict mode only; full-text and trigram indexes are unknown.
    Example: `SELECT id FROM customers WHERE name LIKE '%son'`
    Instead: `SELECT id FROM customers WHERE name LIKE 'John%'`
    """

    code = "efficiency.antipattern"
    name = "leading-wildcard"
    triggers = frozenset({"LIKE", "ILIKE"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such pattern."""
        for kind in (exp.Like, exp.ILike):
            for node in case.nodes.get(kind, ()):
                pattern = node.expression
                if isinstance(pattern, exp.Literal) and str(pattern.this).startswith(("%", "_")):
                    yield finding_at_node(
                        node,
                        code=self.code,
                        message="The pattern starts with a wildcard, so no index can be used.",
                        severity="info",
                    )
