"""What Oracle takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.shape import letter_of, shape_of

_MERGE: Final = letter_of(TokenType.MERGE)
_DELETE: Final = re.compile(letter_of(TokenType.DELETE) + letter_of(TokenType.WHERE))


def _with_delete_as_update(tokens: list[Token]) -> list[Token]:
    """Read `UPDATE SET a = 1 WHERE …` for `UPDATE SET a = 1 DELETE WHERE …` of MERGE."""
    shape = shape_of(tokens)
    for found in reversed(list(_DELETE.finditer(shape) if _MERGE in shape else ())):
        del tokens[found.start()]
    return tokens


READINGS: Final = (_with_delete_as_update,)
