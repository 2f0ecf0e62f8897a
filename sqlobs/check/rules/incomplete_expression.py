from __future__ import annotations

from sqlobs.check.parsing.tokens import spelled
from sqlobs.check.rules.rule import Case, Findings, Rule


class IncompleteExpression(Rule, code="syntax.parse_error", triggers={"WHEN", "BETWEEN"}):
    """A `CASE` whose `WHEN` has no `THEN`, or a `BETWEEN` without its `AND`.

    What it finds: more `WHEN` than `THEN`, or more `BETWEEN` than `AND`, in the whole statement.
    Why it matters: sqlglot fills the gap silently; engines report a syntax error.
    Example: `SELECT CASE WHEN total_revenue > 5 'big' END FROM orders`
    Instead: `SELECT CASE WHEN total_revenue > 5 THEN 'big' END FROM orders`
    """

    def findings(self, case: Case) -> Findings:
        if case.profile is None:
            return
        statement = case.statement
        for opening, closing, message in _PAIRS:
            begun = statement.shape.count(opening)
            if begun and begun > statement.shape.count(closing):
                last = statement.tokens[statement.shape.rindex(opening)]
                yield self.at(last, message)


_PAIRS = (
    (spelled("WHEN"), spelled("THEN"), "THEN is missing after WHEN."),
    (spelled("BETWEEN"), spelled("AND"), "AND is missing after BETWEEN."),
)
