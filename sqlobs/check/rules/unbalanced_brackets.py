"""The rule of brackets that are not closed, or never opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class UnbalancedBrackets:
    """A bracket that is not closed, or one that closes nothing.

    What it finds: `max(price` and `price)`.
    Why it matters: sqlglot forgives a missing bracket behind some calls, engines do not.
    Example: `SELECT max(price FROM items`
    Instead: `SELECT max(price) FROM items`
    """

    code = "syntax.parse_error"
    name = "unbalanced-brackets"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield the first bracket without a partner."""
        opened = []
        for token in case.statement.tokens:
            if token.token_type is TokenType.L_PAREN:
                opened.append(token)
            elif token.token_type is TokenType.R_PAREN:
                if not opened:
                    message = "This bracket closes nothing."
                    yield finding_at_token(token, code=self.code, message=message)
                    return
                opened.pop()
        if opened:
            message = "This bracket is not closed."
            yield finding_at_token(opened[-1], code=self.code, message=message)
