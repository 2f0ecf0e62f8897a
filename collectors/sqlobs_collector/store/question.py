"""The stored input of a judge, kept until the judge was called."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Any, Final

from sqlobs.judge.item import JudgeItem
from sqlobs.judge.judgement import Judgement

_JUDGEMENT: Final = "judgement"
_OF_JUDGEMENT: Final = ("name", "label", "explanation", "text", "decided_by")
"""What is shown of a judgment to anyone who sorts it."""
_NAMES = tuple(field.name for field in fields(JudgeItem))


def pack_question(item: JudgeItem, judgement: Judgement | None = None) -> bytes:
    """Return the document of an item whose results are texts already.

    Args:
        item: What is asked about.
        judgement: What a judge said of it, where that is what is asked about.
    """
    said = {name: value for name in _NAMES if (value := getattr(item, name)) not in (None, ())}
    if judgement is not None:
        said[_JUDGEMENT] = {name: getattr(judgement, name) for name in _OF_JUDGEMENT}
    return zlib.compress(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"), 1)


def unpack_question(document: bytes) -> tuple[JudgeItem, Judgement | None]:
    """Return the item that was packed, and the judgment of it if there was one."""
    said: dict[str, Any] = json.loads(zlib.decompress(document))
    judgement = said.pop(_JUDGEMENT, None)
    return JudgeItem(**said), None if judgement is None else Judgement(**judgement)
