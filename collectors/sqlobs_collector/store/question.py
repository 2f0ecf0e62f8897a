"""The stored input of a judge, kept until the judge was called."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any, Final

from sqlobs.judge.item import JudgeItem
from sqlobs.judge.judgment import Judgment

_JUDGMENT: Final = "judgement"
_OF_JUDGMENT: Final = ("name", "label", "explanation", "text", "decided_by")
"""What is shown of a judgment to anyone who sorts it."""
_NAMES = tuple(field.name for field in fields(JudgeItem))


def pack_question(item: JudgeItem, judgment: Judgment | None = None) -> bytes:
    """Return the document of an item whose results are texts already.

    Args:
        item: What is asked about.
        judgment: What a judge said of it, where that is what is asked about.
    """
    said = {name: value for name in _NAMES if (value := getattr(item, name)) not in (None, ())}
    if judgment is not None:
        said[_JUDGMENT] = {name: getattr(judgment, name) for name in _OF_JUDGMENT}
    return zlib.compress(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"), 1)


def unpack_question(document: bytes) -> tuple[JudgeItem, Judgment | None]:
    """Return the item that was packed, and the judgment of it if there was one."""
    said: dict[str, Any] = json.loads(zlib.decompress(document))
    judgment = said.pop(_JUDGMENT, None)
    return JudgeItem(**said), None if judgment is None else Judgment(**judgment)
