"""What ClickHouse takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN, any_of, letter_of, none_of, shape_of

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


_TOP: Final = re.compile(
    f"{letter_of(TokenType.SELECT)}{letter_of(TokenType.DISTINCT)}?+."
    f"(?={letter_of(TokenType.NUMBER)})",
    re.DOTALL,
)


def _without_top(tokens: list[Token]) -> list[Token]:
    """Read `SELECT a` for `SELECT TOP 5 a`."""
    for found in reversed(list(_TOP.finditer(shape_of(tokens)))):
        place = found.end() - 1
        if tokens[place].text.upper() == "TOP":
            ties = [token.text.upper() for token in tokens[place + 2 : place + 4]]
            del tokens[place : place + (4 if ties == ["WITH", "TIES"] else 2)]
    return tokens


READINGS: Final = (_without_limit_behind_limit_by, _without_top)
