"""What a text reads like once its disguise is taken off: other alphabets, escapes, encodings."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKALIKES: Final = str.maketrans(
    "авекмнорстухіјѕԁԛԝьαβεικνορτυχγ\u0131",
    "abekmhopctyxijsdqwbabeiknoptuxyi",
)
"""Letters of Cyrillic and Greek, and a dotless i, that are read as Latin ones."""
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
_HEX: Final = re.compile(r"(?:[0-9a-f]{2}){12,2000}", re.IGNORECASE)
_BITS: Final = re.compile(r"(?:[01]{8}[ ,]?){4,500}")
_MOST_PACKED: Final = 50
"""Runs looked into; a text with more of them is one long list of keys or digests."""


def is_disguised(text: str) -> bool:
    """Say whether Latin words are written with characters that only look like theirs.

    Args:
        text: In lower case.
    """
    if _SPACED.search(text):
        return True
    return not text.isascii() and bool(_MIXED.search(text) or _STYLED.search(text))


def readings(text: str) -> Iterator[str]:
    """Yield the other ways in which a text may be read, in lower case; none for a plain one.

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


def unpacked(text: str) -> Iterator[str]:
    """Yield the texts that stand in a text as base64, hexadecimal or binary numbers."""
    for place, run in enumerate(_PACKED.finditer(text)):
        if place == _MOST_PACKED:
            break
        yield from _readable(_from_base64(run[0]))
    for found in (_HEX.search(text), _BITS.search(text)):
        if found is not None:
            yield from _readable(_from_digits(found))


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


def _readable(data: bytes) -> Iterator[str]:
    """Yield data as text where it is one: printable, with words in it."""
    try:
        text = data.strip(b"\x00").decode("utf-8")
    except UnicodeDecodeError:
        return
    if len(text) > 2 and text.isprintable() and re.search(r"[ \"{]", text):  # noqa: PLR2004 - shorter ones say nothing
        yield text.lower()
