"""The fingerprint of a statement: equal for texts that differ in literals and layout only."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.statement import LITERALS
from sqlobs.check.parsing.token_pattern import letter_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlglot.tokenizer_core import Token

VERSION: Final = "1"
"""Goes up when the normal form changes: fingerprints of two versions are never compared."""

_SPELLED: Final = {
    **dict.fromkeys(map(letter_of, LITERALS), "?"),
    letter_of(TokenType.EQ): "=",
    letter_of(TokenType.NEQ): "<>",
    letter_of(TokenType.ALIAS): "",
    letter_of(TokenType.INNER): "",
    letter_of(TokenType.SEMICOLON): "",
}
"""What is written in several ways, or may be left out, by the letter of its kind."""
_QUOTED: Final = letter_of(TokenType.IDENTIFIER)


def fingerprint(tokens: Iterable[Token], shape: str) -> str | None:
    """Return the version-prefixed hash of a statement's tokens; None where it has none.

    Words count in lower case, names in quotes as written, literals as `?`; `AS`, `INNER` and
    semicolons may be left out.

    Args:
        tokens: of the statement.
        shape: their kinds.
    """
    if not shape:
        return None
    words = [_word(token, letter) for letter, token in zip(shape, tokens, strict=True)]
    digest = blake2b(" ".join(filter(None, words)).encode(errors="replace"), digest_size=8)
    return f"{VERSION}:{digest.hexdigest()}"


def _word(token: Token, letter: str) -> str:
    spelled = _SPELLED.get(letter)
    if spelled is not None:
        return spelled
    return token.text if letter == _QUOTED else token.text.lower()
