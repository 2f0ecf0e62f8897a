"""Metric labels of bounded cardinality. Tests: `tests/telemetry/test_instruments.py`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

OTHER: Final = "other"
UNKNOWN: Final = "unknown"

MAX_LABEL: Final = 100
"""Characters of an open label's value."""

_DATED: Final = re.compile(r"[-@]20\d{2}-?\d{2}-?\d{2}$")
"""A release date, as in `gpt-4o-2024-08-06`."""


@lru_cache(maxsize=1024)
def model_label(model: str | None) -> str:
    """Return a model's name as a label, or `unknown` for None.

    A provider's prefix, a release date and case are ignored, as instrumentations differ in them:
    `openai/gpt-4o-2024-08-06` is `gpt-4o`.
    """
    if not model:
        return UNKNOWN
    return _DATED.sub("", model.casefold().rpartition("/")[2])[:MAX_LABEL] or UNKNOWN
