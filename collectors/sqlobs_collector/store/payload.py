"""What a unit said, as the store keeps it: attributes and texts in one compressed document."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

Value = str | bool | int | float | bytes | list["Value"] | dict[str, "Value"] | None
"""What an attribute or a body may hold."""

_LEVEL: Final = 1
"""The fastest: a document is a kilobyte, mostly names that repeat."""


def pack(*, attributes: Mapping[str, Value], body: Value) -> bytes:
    """Return the document of a record."""
    document = orjson.dumps(
        {"attributes": attributes, "body": body}, default=_text, option=orjson.OPT_NON_STR_KEYS
    )
    return zlib.compress(document, _LEVEL)


def unpack(payload: bytes) -> tuple[dict[str, Value], Value]:
    """Return attributes and body of what `pack` wrote."""
    document = orjson.loads(zlib.decompress(payload))
    return document["attributes"], document["body"]


def _text(value: object) -> str:
    """Write bytes, which JSON does not have, as hex."""
    return value.hex() if isinstance(value, bytes) else str(value)
