"""The shape of a statement: one character for each token, its kind.

What stands next to what in a statement is a question for a regular expression over its shape: it
is answered without a loop over tokens, and the place of a match is the place of the token.
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
    """Returns the names of what it finds in a shape, with the first token and the one behind it."""

T = TypeVar("T")

_FIRST: Final = 0x100
"""Kinds become letters: none of them means anything to a regular expression."""
MOST_KEPT: Final = 2048
LONGEST_KEPT: Final = 512
"""Shapes about which something is kept: how many, and of how many tokens at most."""
_LETTERS: Final = tuple(chr(_FIRST + number) for number in range(max(TokenType) + 1))


def shape_of(tokens: Iterable[Token]) -> str:
    """Return the kinds of tokens as a text with one letter for each token.

    >>> from sqlglot import tokenize
    >>> letter_of(TokenType.SELECT) + letter_of(TokenType.NUMBER) == shape_of(tokenize("SELECT 1"))
    True
    """
    return "".join([_LETTERS[token.token_type] for token in tokens])


def kept_by_shape(tell: Callable[[str], T]) -> Callable[[str], T]:
    """Keep what a function tells about a shape: statements of one shape come again and again.

    About long shapes nothing is kept, for the memory that they take.
    """
    kept = lru_cache(maxsize=MOST_KEPT)(tell)

    @wraps(tell)
    def told(shape: str) -> T:
        return kept(shape) if len(shape) <= LONGEST_KEPT else tell(shape)

    return told


def finder(patterns: Mapping[str, str]) -> Finder:
    """Return what finds named patterns in a shape."""
    pattern = re.compile("|".join(f"(?P<{name}>{one})" for name, one in patterns.items()))

    @kept_by_shape
    def found(shape: str) -> tuple[tuple[str, int, int], ...]:
        return tuple([(str(one.lastgroup), *one.span()) for one in pattern.finditer(shape)])

    return found


def count_up_to(most: int, pattern: re.Pattern[str], shape: str) -> int:
    """Count the matches of a pattern, but no more of them than would make a difference."""
    return sum(1 for _ in islice(pattern.finditer(shape), most))


def letter_of(kind: TokenType) -> str:
    """Return the letter of a kind."""
    return _LETTERS[kind]


def letters_of(kinds: Iterable[TokenType]) -> frozenset[str]:
    """Return the letters of some kinds, to look one up among them."""
    return frozenset(map(letter_of, kinds))


def any_of(*kinds: TokenType) -> str:
    """Return a pattern that fits one token of the given kinds."""
    return f"[{''.join(map(letter_of, kinds))}]"


def none_of(*kinds: TokenType) -> str:
    """Return a pattern that fits one token of another kind than the given ones."""
    return f"[^{''.join(map(letter_of, kinds))}]"


OPEN: Final = letter_of(TokenType.L_PAREN)
CLOSE: Final = letter_of(TokenType.R_PAREN)
"""Brackets by their letters."""
SET_OPERATIONS: Final = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT})
OPENING_BRACKETS: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSING_BRACKETS: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
OPENING: Final = OPENING_BRACKETS | {TokenType.CASE}
CLOSING: Final = CLOSING_BRACKETS | {TokenType.END}
"""Tokens between which a parser goes one level down."""
