"""What SQL Server takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.shape import any_of, letter_of, shape_of

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


READINGS: Final = (_without_first_from,)
