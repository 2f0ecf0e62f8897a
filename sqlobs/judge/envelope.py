"""Encloses untrusted texts as JSON strings between random delimiters, which no text can escape."""

from __future__ import annotations

import json
import re
import secrets
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMITS: Final[Mapping[str, int]] = {
    "schema": 200_000,
    "predicted_sql": 32_000,
    "reference_sql": 32_000,
    "settled_cases": 64_000,
}
"""Maximum characters of fields that differ from the default; longer items are not judged."""
DEFAULT_LIMIT: Final = 16_000

_UNSEEN: Final = re.compile(
    "[\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control, direction, zero-width and filler characters that JSON would not escape."""


def new_delimiter() -> str:
    """Return an unpredictable delimiter."""
    return f"DATA-{secrets.token_hex(8)}"


def enclose(fields: Mapping[str, str], *, delimiter: str) -> str:
    """Return the fields as one JSON object of strings, one per line, between delimiters."""
    lines = ",\n".join(f"{_string(name)}: {_string(text)}" for name, text in fields.items())
    return f"{delimiter} BEGIN\n{{\n{lines}\n}}\n{delimiter} END"


def opened(message: str) -> dict[str, str]:
    """Return the fields of a message by `enclose`; empty if there is no envelope."""
    found = _ENVELOPE.search(message)
    fields: dict[str, str] = json.loads(found["body"]) if found else {}
    return fields


def too_long(fields: Mapping[str, str]) -> str | None:
    """Return the name of a field beyond its limit; None if all fit."""
    for name, text in fields.items():
        if len(text) > LIMITS.get(name, DEFAULT_LIMIT):
            return name
    return None


_ENVELOPE: Final = re.compile(
    r"^(?P<mark>DATA-[0-9a-f]{16}) BEGIN\n(?P<body>.*)\n(?P=mark) END$", re.DOTALL | re.MULTILINE
)


def _string(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    if quoted.isascii() and "\x7f" not in quoted:
        return quoted
    return _UNSEEN.sub(_escaped, quoted)


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]
