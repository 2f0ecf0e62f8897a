"""Makes untrusted text safe for files, terminals and databases."""

from __future__ import annotations

import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Not allowed: lone surrogates in UTF-8, NUL in PostgreSQL, control characters in XML."""


def storable(text: str) -> str:
    """Return a text with characters that cannot be stored replaced by U+FFFD."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def printable(text: str) -> str:
    """Return a text on one line, without terminal control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
