from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import Family, accepts_literal, family_of
from sqlobs.check.report.model import Finding
from sqlobs.check.rules.rule import Case, Findings, Rule

_NUMERIC_AGGREGATES: Final = frozenset({"SUM", "AVG", "TOTAL"})


class ToleratedType(
    Rule, code="schema.type_mismatch", triggers={"comparisons", "calls"}, severity="warning"
):
    """A column compared with a literal of another type, or a sum over text.

    What it finds: `name = 5`, `price > 'cheap'`, `born = '2000-13-01'`, `SUM(name)` in engines that
    allow it.
    Why it matters: SQLite and MySQL convert silently, and the result is seldom what was meant.
    Known limits: a warning, since years are often stored as text; `strict="sql_correctness"` makes
    it an error. PostgreSQL rejects it by itself.
    Example: `SELECT sum(name) FROM customers` in SQLite
    Instead: `SELECT count(name) FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        grounds = case.grounds
        if grounds.profile is None or grounds.schema is None:
            return
        if not grounds.profile.known.types.converts_silently:
            return
        for left, right in case.resolution.comparisons:
            column, literal = (left, right) if left.__class__ is exp.Column else (right, left)
            if column.__class__ is not exp.Column or literal.__class__ is not exp.Literal:
                continue
            family, is_string = _family(case, column), literal.is_string
            if family is None or accepts_literal(family, str(literal.this), is_string=is_string):
                continue
            kind = "text" if is_string else "a number"
            message = (
                f"The column {column.name} contains {_WORDS[family]}, but is compared with {kind}."
            )
            yield self._finding(column, message)
        for column, name in _summed(case):
            family = _family(case, column)
            if family is not None and family != "number":
                message = f"{name} needs numbers, but the column {column.name} is not numeric."
                yield self._finding(column, message)

    def _finding(self, column: exp.Expr, message: str) -> Finding:
        return self.at(column.this, message, column.name, detail="tolerated")


_WORDS: Final = {"number": "numbers", "text": "text", "date": "dates", "boolean": "true or false"}


def _family(case: Case, column: exp.Expr) -> Family | None:
    use = case.uses.get(id(column))
    return family_of(use.column.declared) if use is not None else None


def _summed(case: Case) -> Iterator[tuple[exp.Expr, str]]:
    """Yield each column that is a direct argument of a numeric aggregate, with the aggregate."""
    for call in case.resolution.calls:
        name = call.name.upper()
        if name not in _NUMERIC_AGGREGATES or len(call.node.expressions) != 1:
            continue
        argument = call.node.expressions[0]
        if isinstance(argument, exp.Distinct) and len(argument.expressions) == 1:
            argument = argument.expressions[0]
        if isinstance(argument, exp.Column):
            yield argument, name
