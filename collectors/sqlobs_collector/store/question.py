"""What a judge is to be shown, as the store keeps it until it was asked."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import TYPE_CHECKING

from sqlobs.judge.item import JudgeItem

if TYPE_CHECKING:
    from sqlobs_collector.store.payload import Value

_NAMES = tuple(field.name for field in fields(JudgeItem))


def pack_question(item: JudgeItem) -> bytes:
    """Return the document of an item whose results are texts already."""
    said = {name: value for name in _NAMES if (value := getattr(item, name)) not in (None, ())}
    return zlib.compress(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"), 1)


def unpack_question(document: bytes) -> JudgeItem:
    """Return the item that was packed."""
    said: dict[str, Value] = json.loads(zlib.decompress(document))
    return JudgeItem(**said)  # type: ignore[arg-type]  # `pack_question` wrote its fields
