"""What engines take behind LIMIT and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import any_of
from sqlobs.check.parsing.tokens import read_as

_REMAINDER: Final = re.compile(any_of(TokenType.MOD, TokenType.PERCENT))


def with_product_for_remainder(tokens: list[Token]) -> list[Token]:
    """Read `LIMIT 2 * 3` for `LIMIT 2 % 3`, where sqlglot sees a percentage."""
    if all(token.token_type is not TokenType.LIMIT for token in tokens):
        return tokens
    return read_as(TokenType.STAR, _REMAINDER, tokens)
