"""The rule of joins that lack their condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.levels import selects
from sqlobs.check.rules.rule import finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case

_FREE: Final = frozenset({"CROSS", "NATURAL", "POSITIONAL"})
_OUTER: Final = frozenset({"LEFT", "RIGHT", "FULL", "OUTER"})
_AFTER_FROM: Final = frozenset(
    {
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.WINDOW,
        TokenType.QUALIFY,
    }
)


class UnconditionedJoin:
    """A JOIN without ON or USING where the engine demands one.

    What it finds: more joins than conditions in one FROM clause; CROSS and NATURAL need none.
    Why it matters: the engine answers with a syntax error at the next clause.
    Example: `SELECT 1 FROM orders JOIN customers WHERE customers.id = 1` in PostgreSQL
    Instead: `SELECT 1 FROM orders JOIN customers ON customers.id = orders.customer_id`
    """

    code = "syntax.parse_error"
    name = "unconditioned-join"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each SELECT with too few conditions."""
        if "JOIN" not in case.words:
            return
        inner = case.refuses("join_without_condition")
        if not inner and not case.refuses("outer_join_without_condition"):
            return
        for level in case.levels:
            for select in selects(level):
                joins = list(_open_joins(select, inner=inner))
                if joins:
                    yield finding_at_token(
                        joins[-1], code=self.code, message="The join has no ON or USING."
                    )


def _open_joins(select: Sequence[Token], *, inner: bool) -> Iterable[Token]:
    """Return the joins that no condition closes; each condition closes the latest one."""
    open_joins: list[tuple[Token, bool]] = []
    words: list[str] = []
    for token in select:
        kind = token.token_type
        if kind in _AFTER_FROM:
            break
        if kind is TokenType.JOIN:
            kinds = set(words[-3:])
            if kinds.isdisjoint(_FREE):
                needs = inner or not kinds.isdisjoint(_OUTER)
                open_joins.append((token, needs))
        elif kind in {TokenType.ON, TokenType.USING} and open_joins:
            open_joins.pop()
        words.append(token.text.upper())
    return [token for token, needs in open_joins if needs]
