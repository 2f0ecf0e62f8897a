"""What ClickHouse takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.shape import CLOSE, OPEN, any_of, letter_of, none_of, shape_of

_LIMIT: Final = letter_of(TokenType.LIMIT)
_BOUNDS: Final = any_of(TokenType.NUMBER, TokenType.COMMA, TokenType.OFFSET)
_TWICE: Final = re.compile(
    f"{_LIMIT}({none_of(TokenType.LIMIT, TokenType.SELECT)}*+)(?={_LIMIT}{_BOUNDS}++)"
)
_SECOND: Final = re.compile(f"{_LIMIT}{_BOUNDS}++")


def _without_limit_behind_limit_by(tokens: list[Token]) -> list[Token]:
    """Read `LIMIT 1 BY a` for `LIMIT 1 BY a LIMIT 10`."""
    shape = shape_of(tokens)
    for found in reversed(list(_TWICE.finditer(shape))):
        begin, end = found.span(1)
        is_by = any(token.text.upper() == "BY" for token in tokens[begin:end])
        second = _SECOND.match(shape, end)
        if is_by and second and found[1].count(OPEN) == found[1].count(CLOSE):
            del tokens[end : second.end()]
    return tokens


READINGS: Final = (_without_limit_behind_limit_by,)
