"""The rule of subqueries in FROM that lack a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class UnnamedSubquery:
    """A subquery in FROM without an alias, where the engine demands one.

    What it finds: `FROM (SELECT …)` without a name behind it.
    Why it matters: PostgreSQL before 16 and MySQL refuse it.
    Example: `SELECT count(*) FROM (SELECT DISTINCT city FROM customers)`
    Instead: `SELECT count(*) FROM (SELECT DISTINCT city FROM customers) AS cities`
    """

    code = "syntax.parse_error"
    name = "unnamed-subquery"
    triggers = frozenset({"forms"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such subquery."""
        if not case.refuses("derived_without_alias"):
            return
        for use in case.resolution.forms:
            if use.form == "derived_without_alias":
                yield finding_at_node(
                    use.node, code=self.code, message="A subquery in FROM must have an alias."
                )
