from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.resolver.model.tree import conjuncts, has_columns
from sqlobs.check.rules.rule import Case, Findings, Rule

_COMPARISONS: Final = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In, exp.Like)
_WRAPPERS: Final = (exp.Anonymous, exp.Cast, exp.Extract, exp.Substring)


class WrappedColumn(Rule, code="efficiency.antipattern", triggers={"WHERE"}, severity="info"):
    """A filter on a function of a column.

    What it finds: `f(column)` or `CAST(column AS …)` compared with a constant in `WHERE`.
    Why it matters: no index on the column can serve it, so every row is read.
    Known limits: checked in strict mode only; the checker does not know indexes on expressions.
    Example: `SELECT id FROM orders WHERE abs(total_revenue) = 5`
    Instead: `SELECT id FROM orders WHERE total_revenue IN (5, -5)`
    """

    def findings(self, case: Case) -> Findings:
        for select in case.resolution.selects:
            where = select.node.args.get("where")
            for condition in conjuncts(where.this if where is not None else None):
                if isinstance(condition, _COMPARISONS) and _is_wrapped(condition):
                    message = "The column is wrapped in a function, so no index can be used."
                    yield self.at(condition, message)


def _is_wrapped(condition: exp.Expr) -> bool:
    wrapped = isinstance(condition.this, _WRAPPERS) and condition.this.find(exp.Column) is not None
    others = [value for key, value in condition.args.items() if key != "this" and value]
    flat = [one for value in others for one in (value if isinstance(value, list) else [value])]
    return wrapped and not any(isinstance(one, exp.Expr) and has_columns(one) for one in flat)
