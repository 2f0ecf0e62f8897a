"""Strangers' texts as every file, terminal and database takes them."""

from __future__ import annotations

import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""No UTF-8 has half a surrogate pair, no PostgreSQL a zero, no XML and no terminal a control."""


def storable(text: str) -> str:
    """Return a text with a replacement character where nothing could keep the original."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def printable(text: str) -> str:
    """Return a text on one line, without what would steer a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
