"""The rule of clauses that stand in a wrong order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.levels import SET_OPERATIONS
from sqlobs.check.rules.rule import finding_at_token
from sqlobs.check.token_kinds import table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case

_RANKS: Final = {
    TokenType.FROM: 1,
    TokenType.JOIN: 1,
    TokenType.WHERE: 2,
    TokenType.GROUP_BY: 3,
    TokenType.HAVING: 4,
    TokenType.WINDOW: 5,
    TokenType.QUALIFY: 6,
    **dict.fromkeys(SET_OPERATIONS, 7),
    TokenType.ORDER_BY: 8,
    TokenType.LIMIT: 9,
    TokenType.OFFSET: 9,
    TokenType.FETCH: 9,
}
_REPEATABLE: Final = frozenset({TokenType.JOIN, TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH})
_STRUCTURE: Final = table_of({*_RANKS, TokenType.L_PAREN, TokenType.R_PAREN, TokenType.SELECT})


class ClauseOrder:
    """A clause behind one that must follow it, or twice.

    What it finds: HAVING before WHERE, a JOIN behind WHERE, ORDER BY or LIMIT before UNION.
    Why it matters: sqlglot reads clauses in any order, engines do not.
    Example: `SELECT city FROM customers GROUP BY city WHERE born > '2000-01-01'`
    Instead: `SELECT city FROM customers WHERE born > '2000-01-01' GROUP BY city`
    """

    code = "syntax.parse_error"
    name = "clause-order"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each clause out of place."""
        if case.catalogue is None:
            return
        for token in _misplaced(case.statement.tokens):
            word = token.text.upper()
            yield finding_at_token(
                token, code=self.code, message=f"{word} stands behind a clause it must precede."
            )


def _misplaced(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield clauses out of order, each bracket level by itself; None: a level without SELECT."""
    ranks: list[int | None] = [None]
    for place, token in enumerate(tokens):
        kind = token.token_type
        if not _STRUCTURE[kind]:
            continue
        if kind is TokenType.L_PAREN:
            ranks.append(None)
        elif kind is TokenType.R_PAREN:
            del ranks[max(len(ranks) - 1, 1) :]
        elif kind is TokenType.SELECT:
            ranks[-1] = ranks[-1] or 0
        elif ranks[-1] is not None:
            rank, own = ranks[-1], _rank(token, tokens[place - 1])
            if 0 < own < rank or (own == rank and own and kind not in _REPEATABLE):
                yield token
            ranks[-1] = 0 if own and kind in SET_OPERATIONS else max(rank, own)


def _rank(token: Token, before: Token) -> int:
    if before.token_type in {TokenType.DOT, TokenType.ALIAS}:
        return 0
    if token.token_type is TokenType.FROM and before.text.upper() == "DISTINCT":
        return 0  # IS DISTINCT FROM
    if token.token_type in SET_OPERATIONS and before.token_type is TokenType.STAR:
        return 0  # SELECT * EXCEPT (…)
    return _RANKS.get(token.token_type, 0)
