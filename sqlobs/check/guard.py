"""What is refused before parsing: text too long or nested too deep, found without recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

MAX_BYTES: Final = 64 * 1024
"""Longest text that is checked, in bytes of UTF-8. Real generations stay below 1 KB (p99)."""
MAX_DEPTH: Final = 100
"""Deepest nesting that is parsed."""
INLINE_DEPTH: Final = 25
"""Deepest nesting that is parsed on the caller's own stack."""

_OPENING: Final = frozenset(
    {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
)
_CLOSING: Final = frozenset(
    {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
)
_OPERANDS: Final = frozenset(
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

    A run of tokens without an operand (`NOT NOT NOT`, `- - -`) recurses like brackets do.
    """
    depth = deepest = run = joins = 0
    for token in tokens:
        kind = token.token_type
        if kind in _OPERANDS:
            run = 0
            continue
        run += 1
        if kind in _OPENING:
            depth += 1
            run = 0
        elif kind in _CLOSING:
            depth -= depth > 0
            run = 0
        elif kind is TokenType.JOIN:
            joins += 1
        elif kind is TokenType.ON:
            joins -= joins > 0
        deepest = max(deepest, depth + run + joins)
    return deepest


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
