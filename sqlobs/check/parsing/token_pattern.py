"""Token patterns: regular expressions over the shape of a statement, one letter for each token.

A regular expression finds sequences of tokens without a loop in Python; the position of a match is
the index of its first token.
"""

from __future__ import annotations

import re
from functools import lru_cache, wraps
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlglot.tokenizer_core import Token

    Finder = Callable[[str], tuple[tuple[str, int, int], ...]]
    """Returns (name, first token, end) of each match in a shape."""

T = TypeVar("T")

_FIRST: Final = 0x100
"""Offset of the letters: none of them is special in a regular expression."""
MOST_KEPT: Final = 2048
LONGEST_KEPT: Final = 512
"""Results are cached for this many shapes, of this many tokens at most."""
_LETTERS: Final = tuple(chr(_FIRST + number) for number in range(max(TokenType) + 1))


def shape_of(tokens: Iterable[Token]) -> str:
    """Return the kinds of tokens as a text with one letter for each token.

    >>> from sqlglot import tokenize
    >>> letter_of(TokenType.SELECT) + letter_of(TokenType.NUMBER) == shape_of(tokenize("SELECT 1"))
    True
    """
    return "".join([_LETTERS[token.token_type] for token in tokens])


def kept_by_shape(compute: Callable[[str], T]) -> Callable[[str], T]:
    """Cache the result of a function by shape: statements of one shape are frequent.

    Results for long shapes are not cached, to bound memory.
    """
    kept = lru_cache(maxsize=MOST_KEPT)(compute)

    @wraps(compute)
    def cached(shape: str) -> T:
        return kept(shape) if len(shape) <= LONGEST_KEPT else compute(shape)

    return cached


def finder(patterns: Mapping[str, str]) -> Finder:
    """Return a function that finds named patterns in a shape."""
    pattern = re.compile("|".join(f"(?P<{name}>{one})" for name, one in patterns.items()))

    @kept_by_shape
    def found(shape: str) -> tuple[tuple[str, int, int], ...]:
        return tuple([(str(one.lastgroup), *one.span()) for one in pattern.finditer(shape)])

    return found


def count_up_to(most: int, pattern: re.Pattern[str], shape: str) -> int:
    """Count the matches of a pattern, up to `most`."""
    return sum(1 for _ in islice(pattern.finditer(shape), most))


def letter_of(kind: TokenType) -> str:
    """Return the letter of a token kind."""
    return _LETTERS[kind]


def letters_of(kinds: Iterable[TokenType]) -> frozenset[str]:
    """Return the letters of token kinds as a set."""
    return frozenset(map(letter_of, kinds))


def any_of(*kinds: TokenType) -> str:
    """Return a pattern for one token of the given kinds."""
    return f"[{''.join(map(letter_of, kinds))}]"


def none_of(*kinds: TokenType) -> str:
    """Return a pattern for one token of any other kind."""
    return f"[^{''.join(map(letter_of, kinds))}]"


OPEN: Final = letter_of(TokenType.L_PAREN)
CLOSE: Final = letter_of(TokenType.R_PAREN)
"""The letters of parentheses."""
SET_OPERATIONS: Final = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT})
OPENING_BRACKETS: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSING_BRACKETS: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
OPENING: Final = OPENING_BRACKETS | {TokenType.CASE}
CLOSING: Final = CLOSING_BRACKETS | {TokenType.END}
"""Tokens that enclose one level of nesting."""
LITERALS: Final = frozenset(
    {
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.BIT_STRING,
        TokenType.HEX_STRING,
        TokenType.BYTE_STRING,
        TokenType.NATIONAL_RAW_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
    }
)
SEMICOLON: Final = letter_of(TokenType.SEMICOLON)
"""The separator of statements."""

_CLAUSES: Final = (
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
)
_SELECT: Final = letter_of(TokenType.SELECT)
_JOIN: Final = f"{letter_of(TokenType.JOIN)}{any_of(TokenType.ON, TokenType.USING)}"
_FROM: Final = f"(?:{letter_of(TokenType.FROM)}(?:{_JOIN})*+)?+"
_REST: Final = "".join(f"{letter_of(clause)}?+" for clause in _CLAUSES)
_QUERY: Final = f"(?:{_SELECT}{_FROM}{any_of(*SET_OPERATIONS)})*+{_SELECT}{_FROM}{_REST}"
_INSIDE: Final = re.compile(
    any_of(
        TokenType.L_PAREN,
        TokenType.R_PAREN,
        TokenType.SELECT,
        TokenType.FROM,
        TokenType.JOIN,
        TokenType.ON,
        TokenType.USING,
        TokenType.WINDOW,
        TokenType.QUALIFY,
        TokenType.OFFSET,
        TokenType.FETCH,
        *_CLAUSES,
        *SET_OPERATIONS,
    )
    + "+"
)
_WITHIN: Final = re.compile(f"{OPEN}(?:{_QUERY})?+{CLOSE}")
_WHOLE: Final = re.compile(_QUERY)
_LEVELS: Final = 8
"""Statements nested deeper are left to the rules."""


@kept_by_shape
def is_orderly(shape: str) -> bool:
    """Return whether clauses, joins and parentheses are certainly in order; else the rules decide.

    Most statements are, so that the three rules for these faults need not run. Parentheses that are
    empty, or contain an ordered query, are removed until none is left.
    """
    skeleton = "".join(_INSIDE.findall(shape))
    for _ in range(_LEVELS):
        if OPEN not in skeleton:
            break
        skeleton = _WITHIN.sub("", skeleton)
    return _WHOLE.fullmatch(skeleton) is not None
