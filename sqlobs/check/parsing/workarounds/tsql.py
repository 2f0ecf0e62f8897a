"""What SQL Server takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN, any_of, letter_of, shape_of
from sqlobs.check.parsing.tokens import token_as

_FROM: Final = letter_of(TokenType.FROM)
_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)
_TWICE: Final = re.compile(
    f"{letter_of(TokenType.DELETE)}({_FROM}){_NAME}(?:{letter_of(TokenType.DOT)}{_NAME})*{_FROM}"
)


def _without_first_from(tokens: list[Token]) -> list[Token]:
    """Read `DELETE e FROM staff e` for `DELETE FROM e FROM staff e`."""
    for found in reversed(list(_TWICE.finditer(shape_of(tokens)))):
        del tokens[found.start(1)]
    return tokens


_PARSE: Final = re.compile(f"{_NAME}(?={OPEN})")
_CASTS: Final = {
    "PARSE": (TokenType.VAR, "CAST"),
    "TRY_PARSE": (TokenType.VAR, "TRY_CAST"),
}
_CULTURE: Final = re.compile(
    f"{letter_of(TokenType.USING)}{any_of(TokenType.STRING, TokenType.NATIONAL_STRING)}(?={CLOSE})"
)


def _with_cast(tokens: list[Token]) -> list[Token]:
    """Read `CAST('1' AS INT)` for `PARSE('1' AS INT USING 'en-US')`."""
    shape = shape_of(tokens)
    calls = [
        one.start() for one in _PARSE.finditer(shape) if tokens[one.start()].text.upper() in _CASTS
    ]
    for place in calls:
        kind, word = _CASTS[tokens[place].text.upper()]
        tokens[place] = token_as(kind, word, tokens[place])
    for found in reversed(list(_CULTURE.finditer(shape)) if calls else []):
        del tokens[found.start() : found.end()]
    return tokens


READINGS: Final = (_without_first_from, _with_cast)
