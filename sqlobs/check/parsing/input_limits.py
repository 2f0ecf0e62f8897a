"""Limits checked before parsing: text too long or nested too deep, found without recursion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.parse_cost import is_vast, with_doubtful_words
from sqlobs.check.parsing.token_pattern import (
    CLOSING,
    OPENING,
    any_of,
    count_up_to,
    kept_by_shape,
    letter_of,
    letters_of,
    none_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

MAX_BYTES: Final = 64 * 1024
"""Longest text that is checked, in bytes of UTF-8. Real generations stay below 1 KB (p99)."""
MAX_DEPTH: Final = 100
"""Deepest nesting that is parsed."""
INLINE_DEPTH: Final = 16
"""Deepest nesting that is parsed on the caller's own stack: a level uses up to 3.7 KB of it."""
INLINE_TOKENS: Final = 256
"""Longest statement that is parsed on the caller's own stack: a chain (`1 + 1 + 1`) nests without
parentheses, once per operator."""
MAX_OPEN_JOINS: Final = 12
"""Joins whose ON is still to come, in open parentheses too: the parser tries both readings, so its
time doubles with each."""
MAX_NESTED_QUERIES: Final = 20_000
"""Queries, each counted once per open parenthesis around it: some dialects' parsers (BigQuery,
Redshift) copy the FROM of each with all queries in it."""

_JOINS: Final = (TokenType.JOIN, TokenType.STRAIGHT_JOIN)
_OPERANDS: Final = (
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
)

_OPENS: Final = letters_of(OPENING)
_CLOSES: Final = letters_of(CLOSING)
_IS_OPERAND: Final = letters_of(_OPERANDS)
_SELECT: Final = letter_of(TokenType.SELECT)
_JOIN: Final = letters_of(_JOINS)
_ON: Final = letters_of((TokenType.ON, TokenType.USING))
_WITHOUT_ON: Final = letters_of((TokenType.CROSS, TokenType.NATURAL))
_AFTER_FROM: Final = letters_of(
    (
        TokenType.SELECT,
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
    )
)

_DEEPENING: Final = re.compile(any_of(*OPENING, *_JOINS))
_FEW: Final = 12
_ORDINARY_RUN: Final = 4
"""Longest run of tokens without an operand in plain clauses: `UNION ALL SELECT DISTINCT`."""
_LONG_RUN: Final = re.compile(f"{none_of(*_OPERANDS, *OPENING, *CLOSING)}{{{_ORDINARY_RUN + 1}}}")


def is_too_large(sql: str) -> bool:
    """Return whether a text is longer than `MAX_BYTES`."""
    if len(sql) > MAX_BYTES:
        return True
    return len(sql) * 4 > MAX_BYTES and len(sql.encode(errors="replace")) > MAX_BYTES


def nesting(tokens: Sequence[Token], sql: str, shape: str) -> int:
    """Return how deep a parser will recurse: parentheses, CASE, joins without ON, prefix chains.

    Args:
        tokens: those of a statement.
        sql: the text that they stand in.
        shape: their shape.
    """
    depth = _depth_of(shape)
    if depth > MAX_DEPTH:
        return depth
    told = with_doubtful_words(shape, tokens, sql)
    return depth if told is shape else _depth_of(told)


@kept_by_shape
def _depth_of(shape: str) -> int:
    """Return how deep a parser will recurse over a shape.

    A run of tokens without an operand (`NOT NOT NOT`, `- - -`) recurses like parentheses do. More
    than `MAX_OPEN_JOINS` in one FROM, more than `MAX_NESTED_QUERIES`, and whatever `parse_cost`
    rejects count as too deep. Measuring stops there; a shape with few nesting tokens is estimated.
    """
    deepening = count_up_to(_FEW + 1, _DEEPENING, shape)
    is_shallow = deepening <= _FEW and not _LONG_RUN.search(shape)
    deepest = deepening + _ORDINARY_RUN if is_shallow else _measured(shape)
    return deepest if deepest > MAX_DEPTH or not is_vast(shape) else MAX_DEPTH + 1


def _measured(shape: str) -> int:
    deepest = run = runs = queries = joins = 0
    around = [0]  # long runs before each open bracket
    waiting = [0]  # joins without their ON so far, in each open bracket
    for letter in shape:
        if letter in _IS_OPERAND:
            run = 0
            continue
        if letter in _CLOSES:
            if len(waiting) > 1:
                joins -= waiting.pop()
                runs -= around.pop()
            run = 0
            continue
        if letter in _OPENS:
            waiting.append(0)
            around.append(run if run > _ORDINARY_RUN else 0)
            runs += around[-1]
            run = 0
        else:
            run += 1
            if letter in _CHANGES_WAITING:
                before = waiting[-1]
                waiting[-1] = _still_waiting(before, letter)
                joins += waiting[-1] - before
                queries += (len(waiting) - 1) * (letter == _SELECT)
        deepest = max(deepest, len(waiting) - 1 + run + runs + joins)
        if joins > MAX_OPEN_JOINS or deepest > MAX_DEPTH or queries > MAX_NESTED_QUERIES:
            return MAX_DEPTH + 1
    return deepest


_CHANGES_WAITING: Final = _JOIN | _WITHOUT_ON | _ON | _AFTER_FROM


def _still_waiting(joins: int, letter: str) -> int:
    """Return how many joins still lack their ON after a token, given how many did before it."""
    if letter in _JOIN:
        return joins + 1
    if letter in _WITHOUT_ON:
        return joins - 1  # its JOIN comes next, and has no ON
    return joins - (joins > 0) if letter in _ON else 0


def is_deep_text(sql: str) -> bool:
    """Return whether parentheses and brackets nest deeper than `INLINE_DEPTH`, from the text alone.

    Cheap enough for a request thread. Those in literals and comments count too, so a shallow
    statement may be reported as deep; the check itself measures again on tokens.
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
