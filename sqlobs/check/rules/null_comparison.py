"""The rule for comparisons with NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.rules.rule import finding_at_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class NullComparison:
    """A comparison with NULL by `=` or `<>`.

    What it finds: `x = NULL`, `x <> NULL`.
    Why it matters: it is never true, so the condition lets no row through.
    Known limits: assignments of UPDATE are none.
    Example: `SELECT id FROM orders WHERE status = NULL`
    Instead: `SELECT id FROM orders WHERE status IS NULL`
    """

    code = "semantics.null"
    name = "null-comparison"
    triggers = frozenset({"NULL"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such comparison."""
        if exp.Null not in case.nodes or not isinstance(case.statement.tree, exp.Query):
            return
        for kind in (exp.EQ, exp.NEQ):
            for node in case.nodes.get(kind, ()):
                if isinstance(node.this, exp.Null) or isinstance(node.expression, exp.Null):
                    yield finding_at_node(
                        node,
                        code=self.code,
                        message="A comparison with NULL is never true.",
                        severity="warning",
                    )
