"""The rule for parentheses that are not closed, or never opened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN
from sqlobs.check.rules.rule import DISORDER, finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case

_BRACKETS: Final = re.compile(f"{OPEN}|{CLOSE}")


class UnbalancedBrackets:
    """A parenthesis that is not closed, or one that closes nothing.

    What it finds: `max(price` and `price)`.
    Why it matters: sqlglot forgives a missing parenthesis behind some calls, engines do not.
    Example: `SELECT max(price FROM items`
    Instead: `SELECT max(price) FROM items`
    """

    code = "syntax.parse_error"
    name = "unbalanced-brackets"
    triggers = frozenset({DISORDER})

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield the first parenthesis without a partner."""
        if case.statement.is_orderly:
            return
        tokens, opened = case.statement.tokens, []
        for found in _BRACKETS.finditer(case.statement.shape):
            if found[0] == OPEN:
                opened.append(found.start())
            elif opened:
                opened.pop()
            else:
                message = "Unmatched closing parenthesis, bracket or brace."
                yield finding_at_token(tokens[found.start()], code=self.code, message=message)
                return
        if opened:
            message = "Unclosed parenthesis, bracket or brace."
            yield finding_at_token(tokens[opened[-1]], code=self.code, message=message)
