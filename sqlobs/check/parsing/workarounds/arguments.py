"""Brackets around comparisons in calls where sqlglot reads none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import CLOSING_BRACKETS, OPENING_BRACKETS
from sqlobs.check.parsing.tokens import token_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NARROW_CALLS: Final = frozenset({"CONVERT", "JSON_OBJECT", "JSON_OBJECTAGG"})
"""Calls in which sqlglot reads no comparison."""
_COMPARING: Final = frozenset(
    {
        *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
        *(TokenType.AND, TokenType.OR, TokenType.XOR, TokenType.NOT, TokenType.IS, TokenType.IN),
        *(TokenType.LIKE, TokenType.RLIKE, TokenType.BETWEEN, TokenType.NULLSAFE_EQ),
    }
)


def with_bracketed_arguments(tokens: list[Token]) -> list[Token]:
    """Put brackets around comparisons in calls where sqlglot reads none."""
    spans = [
        (begin, end)
        for begin, end in _arguments(tokens)
        if any(token.token_type in _COMPARING for token in tokens[begin:end])
    ]
    begins, ends = {begin for begin, _ in spans}, {end for _, end in spans}
    again: list[Token] = []
    for place, token in enumerate(tokens):
        if place in ends:
            again.append(token_as(TokenType.R_PAREN, ")", token))
        if place in begins:
            again.append(token_as(TokenType.L_PAREN, "(", token))
        again.append(token)
    return again


def _arguments(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield where each argument of such a call begins and ends, what stands in brackets later."""
    opened: list[tuple[bool, int]] = []  # whether it is such a call, and where its argument begins
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind in OPENING_BRACKETS:
            is_narrow = place > 0 and tokens[place - 1].text.upper() in _NARROW_CALLS
            opened.append((is_narrow, place + 1))
        elif opened and (kind is TokenType.COMMA or kind in CLOSING_BRACKETS):
            is_narrow, begin = opened.pop()
            if is_narrow:
                yield begin, place
            if kind is TokenType.COMMA:
                opened.append((is_narrow, place + 1))
