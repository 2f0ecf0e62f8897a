"""The fingerprint of a statement: equal for texts that differ in literals and layout only."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlobs.check.statement import LITERALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

VERSION: Final = "1"
"""Goes up when the normal form changes: fingerprints of two versions are never compared."""


def fingerprint(words: Sequence[str]) -> str | None:
    """Return the version-prefixed hash of a statement's words; None where it has none.

    Args:
        words: of its tree (`survey`), or of its tokens where it does not parse.
    """
    if not words:
        return None
    digest = blake2b("\x1f".join(words).encode(errors="replace"), digest_size=8)
    return f"{VERSION}:{digest.hexdigest()}"


def words_of(tokens: Sequence[Token]) -> list[str]:
    """Return the tokens in lower case, every literal as `?`."""
    return ["?" if token.token_type in LITERALS else token.text.lower() for token in tokens]
