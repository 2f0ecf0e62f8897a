"""What is refused before parsing: text too long or nested too deep, found without recursion."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.token_kinds import table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

MAX_BYTES: Final = 64 * 1024
"""Longest text that is checked, in bytes of UTF-8. Real generations stay below 1 KB (p99)."""
MAX_DEPTH: Final = 100
"""Deepest nesting that is parsed."""
INLINE_DEPTH: Final = 25
"""Deepest nesting that is parsed on the caller's own stack."""
MAX_OPEN_JOINS: Final = 12
"""Joins that wait for their ON: the parser tries both readings, so its time doubles with each."""
MAX_LINKS: Final = 64
"""Subscripts in a row (`a[1][1]`) and pipe steps (`|>`): the parser copies all before each."""

_OPENING: Final = table_of(
    {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
)
_CLOSING: Final = table_of(
    {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
)
_JOIN_CONDITIONS: Final = frozenset({TokenType.ON, TokenType.USING})
_JOINS: Final = frozenset({TokenType.JOIN, TokenType.STRAIGHT_JOIN})
_AFTER_FROM: Final = frozenset(
    {TokenType.SELECT, TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.LIMIT}
)
_WITHOUT_CONDITION: Final = frozenset({TokenType.CROSS, TokenType.NATURAL})
_OPERANDS: Final = table_of(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.NULL,
        TokenType.TRUE,
        TokenType.FALSE,
        TokenType.STAR,
        TokenType.COMMA,
        TokenType.SEMICOLON,
    }
)


def is_too_large(sql: str) -> bool:
    """Say whether a text is over `MAX_BYTES`; decided on its length alone."""
    if len(sql) > MAX_BYTES:
        return True
    return len(sql) * 4 > MAX_BYTES and len(sql.encode(errors="replace")) > MAX_BYTES


def nesting(tokens: Sequence[Token]) -> int:
    """Return how deep a parser will recurse: brackets, CASE, joins without ON, prefix chains.

    A run of tokens without an operand (`NOT NOT NOT`, `- - -`) recurses like brackets do. More than
    `MAX_OPEN_JOINS` in one FROM, or `MAX_LINKS`, count as too deep; what is too deep is not
    measured to its end.
    """
    if _links(tokens) > MAX_LINKS:
        return MAX_DEPTH + 1
    deepest = run = 0
    waiting = [0]  # joins without their ON so far, in each open bracket
    for token in tokens:
        kind = token.token_type
        if _OPERANDS[kind]:
            run = 0
            continue
        run += 1
        if _OPENING[kind]:
            waiting.append(0)
            run = 0
        elif _CLOSING[kind]:
            if len(waiting) > 1:
                waiting.pop()
            run = 0
        else:
            waiting[-1] = _still_waiting(waiting[-1], kind)
        if waiting[-1] > MAX_OPEN_JOINS or len(waiting) > MAX_DEPTH:
            return MAX_DEPTH + 1
        deepest = max(deepest, len(waiting) - 1 + run + sum(waiting))
    return deepest


def _links(tokens: Sequence[Token]) -> int:
    kinds = [token.token_type for token in tokens]
    subscripts = sum(
        before is TokenType.R_BRACKET and kind is TokenType.L_BRACKET
        for before, kind in pairwise(kinds)
    )
    return subscripts + kinds.count(TokenType.PIPE_GT)


def _still_waiting(joins: int, kind: TokenType) -> int:
    """Return how many joins wait for their ON after a token, of those that waited before it."""
    if kind in _JOINS:
        return joins + 1
    if kind in _WITHOUT_CONDITION:
        return joins - 1  # its JOIN comes next, and waits for nothing
    if kind in _JOIN_CONDITIONS:
        return joins - (joins > 0)
    return 0 if kind in _AFTER_FROM else joins


def is_deep_text(sql: str) -> bool:
    """Say whether brackets nest deeper than `INLINE_DEPTH`, from the text alone.

    Cheap enough for a request thread. Brackets in literals and comments count too, so a shallow
    statement may be called deep; the check itself measures again on tokens.
    """
    if sql.count("(") + sql.count("[") + sql.count("{") <= INLINE_DEPTH:
        return False
    depth = 0
    for character in sql:
        if character in "([{":
            depth += 1
            if depth > INLINE_DEPTH:
                return True
        elif character in ")]}" and depth:
            depth -= 1
    return False
