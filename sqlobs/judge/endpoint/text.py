"""Strangers' texts as every file, terminal and database takes them."""

from __future__ import annotations

import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""No UTF-8 has half a surrogate pair, and no text of PostgreSQL a zero."""


def storable(text: str) -> str:
    """Return a text with a replacement character where nothing could keep the original."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def printable(text: str) -> str:
    """Return a text on one line, without what would steer a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
