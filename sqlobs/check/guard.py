"""What is refused before parsing: text too long or nested too deep, found without recursion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.shape import CLOSE, OPEN, any_of, kept_by_shape, letter_of, none_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

MAX_BYTES: Final = 64 * 1024
"""Longest text that is checked, in bytes of UTF-8. Real generations stay below 1 KB (p99)."""
MAX_DEPTH: Final = 100
"""Deepest nesting that is parsed."""
INLINE_DEPTH: Final = 25
"""Deepest nesting that is parsed on the caller's own stack."""
INLINE_TOKENS: Final = 256
"""Longest statement that is read on the caller's own stack: a chain (`1 + 1 + 1`) nests without a
bracket, once for each operator."""
MAX_OPEN_JOINS: Final = 12
"""Joins that wait for their ON: the parser tries both readings, so its time doubles with each."""
MAX_LINKS: Final = 64
"""Subscripts (`a[1][1]`) and pipe steps (`|>`): the parser copies all before each; and fields
(`a.b.c`) and casts (`a::b::c`) in a row, each of which nests what stands before it."""
MAX_NESTED_QUERIES: Final = 20_000
"""Queries, each counted as often as brackets are open around it: some dialects' parsers (BigQuery,
Redshift) copy the FROM of each with all queries in it."""

MAX_PIVOT_COLUMNS: Final = 4096
"""Columns that several lists of one PIVOT make together: the parser names each combination."""

_OPENING: Final = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE)
_CLOSING: Final = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END)
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

_OPENS: Final = frozenset(map(letter_of, _OPENING))
_CLOSES: Final = frozenset(map(letter_of, _CLOSING))
_IS_OPERAND: Final = frozenset(map(letter_of, _OPERANDS))
_SELECT: Final = letter_of(TokenType.SELECT)
_JOIN: Final = frozenset(map(letter_of, _JOINS))
_ON: Final = frozenset(map(letter_of, (TokenType.ON, TokenType.USING)))
_WITHOUT_ON: Final = frozenset(map(letter_of, (TokenType.CROSS, TokenType.NATURAL)))
_AFTER_FROM: Final = frozenset(
    map(
        letter_of,
        (
            TokenType.SELECT,
            TokenType.WHERE,
            TokenType.GROUP_BY,
            TokenType.ORDER_BY,
            TokenType.LIMIT,
        ),
    )
)

_LINK: Final = re.compile(
    rf"{any_of(TokenType.R_BRACKET)}(?={any_of(TokenType.L_BRACKET)})|{any_of(TokenType.PIPE_GT)}"
)
_STEP: Final = any_of(TokenType.DOT, TokenType.DCOLON)
_STEPS: Final = re.compile(
    f"(?:{_STEP}{none_of(TokenType.DOT, TokenType.DCOLON)}){{{MAX_LINKS + 1}}}"
)
_DEEPENING: Final = re.compile(any_of(*_OPENING, *_JOINS))
_LONG_RUN: Final = re.compile(f"{none_of(*_OPERANDS, *_OPENING, *_CLOSING)}{{12}}")
_FEW: Final = 12


def is_too_large(sql: str) -> bool:
    """Say whether a text is over `MAX_BYTES`; decided on its length alone."""
    if len(sql) > MAX_BYTES:
        return True
    return len(sql) * 4 > MAX_BYTES and len(sql.encode(errors="replace")) > MAX_BYTES


def nesting(tokens: Sequence[Token]) -> int:
    """Return how deep a parser will recurse over these tokens; see `depth_of`."""
    return depth_of(shape_of(tokens))


@kept_by_shape
def depth_of(shape: str) -> int:
    """Return how deep a parser will recurse: brackets, CASE, joins without ON, prefix chains.

    A run of tokens without an operand (`NOT NOT NOT`, `- - -`) recurses like brackets do. More than
    `MAX_OPEN_JOINS` in one FROM, `MAX_LINKS`, `MAX_NESTED_QUERIES` or `MAX_PIVOT_COLUMNS` count as
    too deep; that is not measured to its end, and what has little that could nest is not measured
    but estimated.
    """
    if len(_LINK.findall(shape)) > MAX_LINKS or _STEPS.search(shape):
        return MAX_DEPTH + 1
    deepening = len(_DEEPENING.findall(shape))
    is_shallow = deepening <= _FEW and not _LONG_RUN.search(shape)
    deepest = deepening + _FEW if is_shallow else _measured(shape)
    if deepest > MAX_DEPTH or not _has_vast_pivot(shape):
        return deepest
    return MAX_DEPTH + 1


def _has_vast_pivot(shape: str) -> bool:
    """Say whether the lists of some PIVOT make more columns together than anyone could name."""
    return any(_columns_of(shape, one.end()) > MAX_PIVOT_COLUMNS for one in _PIVOT.finditer(shape))


def _columns_of(shape: str, begin: int) -> int:
    """Return how many columns the lists of a PIVOT make together whose bracket has been opened."""
    depth, columns, values, lists = 1, 1, 0, 0
    for place in range(begin, len(shape)):
        letter = shape[place]
        if letter == OPEN:
            depth += 1
            values = 1 if depth == _OF_LIST and shape[place - 1] == _IN else values
        elif letter == CLOSE:
            depth -= 1
            if not depth or (lists > 1 and columns > MAX_PIVOT_COLUMNS):
                break
            if depth == 1 and values:
                columns, values, lists = columns * values, 0, lists + 1
        elif letter == _COMMA and depth == _OF_LIST and values:
            values += 1
    return columns if lists > 1 else 1


_PIVOT: Final = re.compile(letter_of(TokenType.PIVOT) + OPEN)
_IN: Final = letter_of(TokenType.IN)
_COMMA: Final = letter_of(TokenType.COMMA)
_OF_LIST: Final = 2
"""Brackets that are open in a list: its own, and that of PIVOT."""


def _measured(shape: str) -> int:
    deepest = run = queries = 0
    waiting = [0]  # joins without their ON so far, in each open bracket
    for letter in shape:
        if letter in _IS_OPERAND:
            run = 0
            continue
        run += 1
        if letter in _OPENS:
            waiting.append(0)
            run = 0
        elif letter in _CLOSES:
            if len(waiting) > 1:
                waiting.pop()
            run = 0
        else:
            waiting[-1] = _still_waiting(waiting[-1], letter)
            queries += (len(waiting) - 1) * (letter == _SELECT)
        deepest = max(deepest, len(waiting) - 1 + run + sum(waiting))
        if waiting[-1] > MAX_OPEN_JOINS or deepest > MAX_DEPTH or queries > MAX_NESTED_QUERIES:
            return MAX_DEPTH + 1
    return deepest


def _still_waiting(joins: int, letter: str) -> int:
    """Return how many joins wait for their ON after a token, of those that waited before it."""
    if letter in _JOIN:
        return joins + 1
    if letter in _WITHOUT_ON:
        return joins - 1  # its JOIN comes next, and waits for nothing
    if letter in _ON:
        return joins - (joins > 0)
    return 0 if letter in _AFTER_FROM else joins


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
