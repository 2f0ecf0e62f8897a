from __future__ import annotations

import re
from typing import Final

from sqlobs.check.parsing.tokens import CLOSE, OPEN
from sqlobs.check.rules.rule import DISORDER, Case, Findings, Rule

_BRACKETS: Final = re.compile(f"{OPEN}|{CLOSE}")


class UnbalancedBrackets(Rule, code="syntax.parse_error", triggers={DISORDER}):
    """A parenthesis that is never closed, or one that closes nothing.

    What it finds: `max(price` and `price)`.
    Why it matters: sqlglot tolerates a missing parenthesis after some calls; engines do not.
    Example: `SELECT max(price FROM items`
    Instead: `SELECT max(price) FROM items`
    """

    def findings(self, case: Case) -> Findings:
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
                yield self.at(tokens[found.start()], message)
                return
        if opened:
            message = "Unclosed parenthesis, bracket or brace."
            yield self.at(tokens[opened[-1]], message)
