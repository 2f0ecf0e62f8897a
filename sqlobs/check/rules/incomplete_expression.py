"""The rule for CASE and BETWEEN that lack a part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import letter_of
from sqlobs.check.rules.rule import finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


class IncompleteExpression:
    """A CASE whose WHEN has no THEN, or a BETWEEN without its AND.

    What it finds: more WHEN than THEN, more BETWEEN than AND, in the whole statement.
    Why it matters: sqlglot fills the gap silently, engines report a syntax error.
    Example: `SELECT CASE WHEN total_revenue > 5 'big' END FROM orders`
    Instead: `SELECT CASE WHEN total_revenue > 5 THEN 'big' END FROM orders`
    """

    code = "syntax.parse_error"
    name = "incomplete-expression"
    triggers = frozenset({"WHEN", "BETWEEN"})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each kind of gap."""
        if case.profile is None:
            return
        statement = case.statement
        for opening, closing, message in _PAIRS:
            begun = statement.shape.count(opening)
            if begun and begun > statement.shape.count(closing):
                last = statement.tokens[statement.shape.rindex(opening)]
                yield finding_at_token(last, code=self.code, message=message)


_PAIRS = (
    (letter_of(TokenType.WHEN), letter_of(TokenType.THEN), "THEN is missing after WHEN."),
    (letter_of(TokenType.BETWEEN), letter_of(TokenType.AND), "AND is missing after BETWEEN."),
)
