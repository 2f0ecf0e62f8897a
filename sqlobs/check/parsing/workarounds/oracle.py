"""What Oracle takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, any_of, letter_of, shape_of
from sqlobs.check.parsing.tokens import token_as

_MERGE: Final = letter_of(TokenType.MERGE)
_DELETE: Final = re.compile(letter_of(TokenType.DELETE) + letter_of(TokenType.WHERE))


def _with_delete_as_update(tokens: list[Token]) -> list[Token]:
    """Read `UPDATE SET a = 1 WHERE …` for `UPDATE SET a = 1 DELETE WHERE …` of MERGE."""
    shape = shape_of(tokens)
    for found in reversed(list(_DELETE.finditer(shape) if _MERGE in shape else ())):
        del tokens[found.start()]
    return tokens


_BIND: Final = re.compile(letter_of(TokenType.COLON) + letter_of(TokenType.NUMBER))


def _with_named_binds(tokens: list[Token]) -> list[Token]:
    """Read `:p1` for `:1`."""
    for found in _BIND.finditer(shape_of(tokens)):
        number = tokens[found.end() - 1]
        tokens[found.end() - 1] = token_as(TokenType.VAR, f"p{number.text}", number)
    return tokens


_FROM_END: Final = re.compile(
    CLOSE + letter_of(TokenType.FROM) + any_of(TokenType.FIRST, TokenType.VAR)
)


def without_end_of_nth_value(tokens: list[Token]) -> list[Token]:
    """Read `NTH_VALUE(a, 2) OVER` for `NTH_VALUE(a, 2) FROM LAST OVER`."""
    for found in reversed(list(_FROM_END.finditer(shape_of(tokens)))):
        begin, end = found.start() + 1, found.end()
        behind = tokens[end].text.upper() if end < len(tokens) else ""
        if tokens[end - 1].text.upper() in _ENDS and behind in _BEHIND_END:
            del tokens[begin:end]
    return tokens


_ENDS: Final = frozenset({"FIRST", "LAST"})
_BEHIND_END: Final = frozenset({"OVER", "IGNORE", "RESPECT"})


READINGS: Final = (_with_delete_as_update, _with_named_binds, without_end_of_nth_value)
