"""Metric labels of bounded cardinality. Tests: `tests/telemetry/test_instruments.py`."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

OTHER: Final = "other"
UNKNOWN: Final = "unknown"

_DATED: Final = re.compile(r"[-@]\d{4}[\d-]*$")
"""A release date, as in `gpt-4o-2024-08-06`."""


class ModelLabel:
    """Model names, normalized to the configured list."""

    def __init__(self, models: Iterable[str]) -> None:
        self._known = {name.casefold(): name for name in models}

    def __call__(self, model: str | None) -> str:
        """Return the configured name, `other`, or `unknown` for None.

        A provider's prefix and a release date are ignored: `openai/gpt-4o-2024-08-06` is `gpt-4o`
        if that is configured.
        """
        if model is None:
            return UNKNOWN
        name = model.casefold()
        bare = name.rpartition("/")[2]
        for candidate in (name, bare, _DATED.sub("", bare)):
            if candidate in self._known:
                return self._known[candidate]
        return OTHER


class BoundedLabel:
    """A label that keeps the first values up to a limit; later ones are `other`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, value: str | None) -> str | None:
        """Return the value, or `other` once the limit is reached; None stays None."""
        if value is None or value in self._seen:
            return value
        with self._lock:
            if value not in self._seen and len(self._seen) >= self._limit:
                return OTHER
            self._seen.add(value)
        return value
