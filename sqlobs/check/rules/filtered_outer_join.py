from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.resolver.model.tree import conjuncts, has_columns, joins, sources_of
from sqlobs.check.rules.rule import Case, Findings, Rule

_NEVER_TRUE_FOR_NULL: Final = (
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.Like,
    exp.Between,
)
"""Comparisons that are never true for NULL."""


class FilteredOuterJoin(Rule, code="efficiency.antipattern", triggers={"JOIN"}, severity="info"):
    """A filter on the optional side of an outer join.

    What it finds: a comparison in `WHERE` with a column of the right side of a `LEFT JOIN`.
    Why it matters: the filter removes the rows that the outer join adds, which makes it an inner
    join: one of the two is a mistake.
    Known limits: checked in strict mode only; conditions joined by `OR` are ignored.
    Example: `SELECT c.id, o.id FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.status = 'paid'`
    Instead: `SELECT c.id, o.id FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'paid'`
    """  # noqa: E501 - the statements are one line each

    def findings(self, case: Case) -> Findings:
        for select in case.resolution.selects:
            optional = _optional(select.node)
            where = select.node.args.get("where")
            for condition in conjuncts(where.this if where is not None else None):
                if _is_filter(condition, optional):
                    message = (
                        f"The filter on {condition.this.table} removes the rows that the"
                        " outer join adds."
                    )
                    yield self.at(condition, message)


def _is_filter(condition: exp.Expr, optional: set[str]) -> bool:
    column, other = condition.this, condition.args.get("expression")
    if not isinstance(condition, _NEVER_TRUE_FOR_NULL) or not isinstance(column, exp.Column):
        return False
    return column.table.lower() in optional and not (other is not None and has_columns(other))


def _optional(select: exp.Select) -> set[str]:
    """Return the names of the relations on the right of a LEFT JOIN."""
    return {
        source.alias_or_name.lower()
        for join in joins(select)
        if (join.args.get("side") or "").upper() == "LEFT"
        for source in sources_of(join)
    }
