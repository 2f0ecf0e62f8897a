"""Decides cheaply that clauses are in order, joins have conditions and parentheses are closed.

Most statements pass, so that the three rules for these faults need not run.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import (
    CLOSE,
    OPEN,
    SET_OPERATIONS,
    any_of,
    kept_by_shape,
    letter_of,
)

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
    """Return whether all is certainly in order; if False, the rules must decide.

    Parentheses that are empty, or contain an ordered query, are removed until none is left.
    """
    skeleton = "".join(_INSIDE.findall(shape))
    for _ in range(_LEVELS):
        if OPEN not in skeleton:
            break
        skeleton = _WITHIN.sub("", skeleton)
    return _WHOLE.fullmatch(skeleton) is not None
