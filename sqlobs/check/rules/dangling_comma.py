"""The rule of commas with nothing behind them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import finding_at_token
from sqlobs.check.shape import any_of, letter_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case

_END: Final = any_of(
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
    TokenType.UNION,
    TokenType.R_PAREN,
    TokenType.COMMA,
    TokenType.SEMICOLON,
)
_AS: Final = letter_of(TokenType.ALIAS)
_DANGLING: Final = re.compile(rf"{letter_of(TokenType.COMMA)}(?={_END}|\Z)")
_BEFORE_JOIN: Final = re.compile(
    f"{letter_of(TokenType.COMMA)}(?={any_of(TokenType.INNER, TokenType.CROSS)}?"
    f"{letter_of(TokenType.JOIN)})"
)
_ENDS_WITH_AS: Final = re.compile(rf"{_AS}\Z")


class DanglingComma:
    """A comma or an AS with nothing behind it.

    What it finds: a comma before a clause, JOIN, a closing bracket or the end; AS at the end.
    Why it matters: sqlglot drops it, engines answer with a syntax error.
    Known limits: DuckDB allows trailing commas, but for those before JOIN.
    Example: `SELECT name, FROM customers`
    Instead: `SELECT name FROM customers`
    """

    code = "syntax.parse_error"
    name = "dangling-comma"
    concerns = frozenset({_DANGLING, _BEFORE_JOIN, _ENDS_WITH_AS})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such comma."""
        if case.profile is None:
            return
        if _ENDS_WITH_AS.search(case.statement.shape):
            message = "There is nothing behind AS."
            yield finding_at_token(case.statement.tokens[-1], code=self.code, message=message)
        patterns = (_DANGLING, _BEFORE_JOIN) if case.refuses("trailing_comma") else (_BEFORE_JOIN,)
        for pattern in patterns:
            for found in pattern.finditer(case.statement.shape):
                comma = case.statement.tokens[found.start()]
                message = "There is nothing behind the comma."
                yield finding_at_token(comma, code=self.code, message=message)
