"""Decodes disguised text: look-alike alphabets, escapes, encodings."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKALIKES: Final = str.maketrans(
    "авекмнорстухіјѕԁԛԝьαβεικνορτυχγ\u0131",
    "abekmhopctyxijsdqwbabeiknoptuxyi",
)
"""Cyrillic and Greek letters, and a dotless i, that look like Latin ones."""
_MIXED: Final = re.compile(
    "[a-z][\u0370-\u03ff\u0400-\u052f]|[\u0370-\u03ff\u0400-\u052f][a-z]", re.IGNORECASE
)
_STYLED: Final = re.compile(
    "[\uff21-\uff3a\uff41-\uff5a\u2460-\u24ff\u1d00-\u1dbf\U0001d400-\U0001d7ff"
    "\U0001f130-\U0001f189]{3}|[\u2070-\u209c\u1d00-\u1dbf\u02b0-\u02b8]{3}|(?:\\w[\u0334-\u0338]){3}"
)
_SPACED: Final = re.compile(r"(?<![a-z])(?:[a-z][ ._*-]{1,2}){5,200}[a-z](?![a-z])")
_ESCAPES: Final = re.compile(r"\\u[0-9a-f]{4}|\\x[0-9a-f]{2}", re.IGNORECASE)
_PACKED: Final = re.compile(r"[A-Za-z0-9+/_-]{16,4000}={0,2}")
_JOINT: Final = re.compile(r"[_-]+")
"""Separators of key and value that are not base64 characters: `key_SWdub3Jl`."""
_HEX: Final = re.compile(r"(?:[0-9a-f]{2}){12,2000}", re.IGNORECASE)
_BITS: Final = re.compile(r"(?:[01]{8}[ ,]?){4,500}")
_MOST_PACKED: Final = 1000
"""Maximum runs to decode; a text with more of them is a list of keys or digests."""
_LAYERS: Final = 2
"""Maximum nesting of encodings."""
_QUADS: Final = 4
"""Base64 characters per three bytes: a run may start within a group."""


def is_disguised(text: str) -> bool:
    """Return whether Latin words contain look-alike characters.

    Args:
        text: In lower case.
    """
    if _SPACED.search(text):
        return True
    return not text.isascii() and bool(_MIXED.search(text) or _STYLED.search(text))


def readings(text: str) -> Iterator[str]:
    """Yield the decoded readings of a text, in lower case; nothing for plain text.

    Args:
        text: In lower case.
    """
    if not text.isascii():
        yield _plain(text)
    if _ESCAPES.search(text) or "&" in text or "%" in text:
        yield unquote(html.unescape(_ESCAPES.sub(_character, text)))
    if "\n" in text:
        yield " ".join(text.split())
    for spaced in _SPACED.finditer(text):
        yield re.sub(r"[ ._*-]", "", re.sub(r"[ ._*-]{2,}", " ", spaced[0]))


def unpacked(text: str, *, layers: int = _LAYERS) -> Iterator[str]:
    """Yield the texts encoded in a text as base64, hexadecimal or binary numbers.

    Digests, keys and images do not decode to text and yield nothing.
    """
    for data in _data_in(text):
        hidden = _text_of(data)
        if hidden is None:
            continue
        if re.search(r"[ \"{]", hidden):
            yield hidden.lower()
        elif layers > 1:
            yield from unpacked(hidden, layers=layers - 1)


def _data_in(text: str) -> Iterator[bytes]:
    for run in islice(_PACKED.finditer(text), _MOST_PACKED):
        for part in dict.fromkeys((run[0], *_JOINT.split(run[0]))):
            yield from (_from_base64(part[start:]) for start in range(_QUADS))
    for numbers in (_HEX, _BITS):
        yield from map(_from_digits, islice(numbers.finditer(text), _MOST_PACKED))


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).translate(_LOOKALIKES)
    return "".join(c for c in folded if unicodedata.category(c) not in {"Mn", "Me", "Cf"})


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[0].lstrip("\\ux"), 16))


def _from_base64(run: str) -> bytes:
    letters = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4))
    except (ValueError, binascii.Error):
        return b""


def _from_digits(found: re.Match[str]) -> bytes:
    digits = found[0].replace(" ", "").replace(",", "")
    if found.re is _HEX:
        return bytes.fromhex(digits)
    return bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8))


def _text_of(data: bytes) -> str | None:
    """Return data as text if it is printable and long enough to be an instruction."""
    try:
        text = data.strip(b"\x00").decode("utf-8")
    except UnicodeDecodeError:
        return None
    is_text = len(text) > 2 and "".join(text.split()).isprintable()  # noqa: PLR2004 - as above
    return text if is_text else None
