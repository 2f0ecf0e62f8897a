"""The rule for answers that list every column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.report.model import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.rules.rule import Case


class StarOutput:
    """An answer that gives every column of its sources.

    What it finds: `*` or `t.*` in the outermost SELECT list.
    Why it matters: a question asks for something; all columns are seldom the answer, cost more and
    change with the schema.
    Known limits: checked in strict mode only; `*` in subqueries, CTEs, EXISTS and COUNT is fine.
    Example: `SELECT * FROM orders`
    Instead: `SELECT id, status FROM orders`
    """

    code = "efficiency.antipattern"
    name = "star-output"
    triggers = frozenset({"*"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for the statement."""
        tree = case.statement.tree
        if isinstance(tree, exp.Select) and any(_is_star(item) for item in tree.expressions):
            yield Finding(
                self.code,
                "info",
                "The query returns every column; list the columns that are needed.",
            )


def _is_star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Star) or (
        isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
    )
