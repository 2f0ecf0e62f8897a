"""The rule for columns without a prefix in a statement with several relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.rules.rule import finding_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class UnprefixedColumn:
    """A column without the alias of its relation where a query reads several.

    What it finds: `name` in a join, though only one side has a `name`.
    Why it matters: the definition of SQL Correctness asks for it: the statement breaks when the
    other table gets such a column.
    Known limits: checked in strict mode only; columns of USING and NATURAL need none.
    Example: `SELECT name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id`
    Instead: `SELECT c.name FROM orders AS o JOIN customers AS c ON c.id = o.customer_id`
    """

    code = "schema.ambiguous_ref"
    name = "unprefixed-column"
    triggers = frozenset({"JOIN", ","})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such column."""
        for use in case.resolution.columns:
            relations = use.level.relations
            if use.node.args.get("table") is not None or len(relations) < 2:  # noqa: PLR2004 - several
                continue
            key = use.node.name.lower()
            if any(key in map(str.lower, relation.hidden) for relation in relations.values()):
                continue
            yield finding_at(
                use.node.this,
                code=self.code,
                message=f"The column {use.column.name} is unqualified although FROM has several"
                " relations.",
                severity="warning",
                identifier=use.column.name,
                detail="prefix",
            )
